//! The store by itself: order, staleness, history, pages of the past, journal.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;
use serde_json::json;
use std::io::Write as _;

fn map(name: &str) -> Value {
    json!({"metadata": {"name": name, "namespace": "a", "uid": format!("uid-{name}")}})
}

fn kind() -> &'static Kind {
    kinds::by_plural("configmaps").unwrap()
}

fn everything(limit: usize, after: Option<&Key>) -> Range<'_> {
    Range { namespace: Some("a"), after, limit, matches: &|_| true }
}

fn names(page: &Page) -> Vec<&str> {
    page.items.iter().map(|object| object::name(object)).collect()
}

#[test]
fn a_second_create_finds_the_first() {
    let store = Store::open(None).unwrap();
    store.put(kind(), None, map("x")).unwrap();
    let Stale(stored) = store.put(kind(), None, map("x")).unwrap_err();
    assert!(stored.is_some());
}

#[test]
fn a_change_of_an_outdated_object_is_refused() {
    let store = Store::open(None).unwrap();
    let first = store.put(kind(), None, map("x")).unwrap();
    store.put(kind(), Some(&first), map("x")).unwrap();
    assert!(store.put(kind(), Some(&first), map("x")).is_err());
    assert!(store.remove(kind(), &first, map("x")).is_err());
}

#[test]
fn a_second_page_shows_the_snapshot_of_the_first() {
    let store = Store::open(None).unwrap();
    for name in ["p0", "p2", "p4"] {
        store.put(kind(), None, map(name)).unwrap();
    }
    let first = store.page(kind(), None, &everything(1, None)).unwrap();
    assert_eq!((names(&first), first.remaining), (vec!["p0"], 2));
    store.put(kind(), None, map("p3")).unwrap();
    let p4 = store.get(kind(), &Key::new("a", "p4")).unwrap();
    store.remove(kind(), &p4, map("p4")).unwrap();
    let rest = store.page(kind(), Some(first.version), &everything(0, first.next.as_ref())).unwrap();
    assert_eq!(names(&rest), ["p2", "p4"]);
    let now = store.page(kind(), None, &everything(0, first.next.as_ref())).unwrap();
    assert_eq!(names(&now), ["p2", "p3"]);
}

#[test]
fn a_forgotten_version_is_expired() {
    let store = Store::open(None).unwrap();
    let version = object::resource_version(&store.put(kind(), None, map("x")).unwrap());
    assert!(store.changes_after(kind(), version, 10).is_ok());
    store.forget_history();
    let Expired(oldest) = store.changes_after(kind(), version, 10).unwrap_err();
    assert!(oldest > version);
}

#[test]
fn history_is_replayed_in_order_with_the_old_state() {
    let store = Store::open(None).unwrap();
    let start = store.version();
    let first = store.put(kind(), None, map("x")).unwrap();
    store.remove(kind(), &first, map("x")).unwrap();
    let (changes, reached) = store.changes_after(kind(), start, 10).unwrap();
    let kinds: Vec<_> = changes.iter().map(|change| change.kind).collect();
    assert_eq!(kinds, [ChangeKind::Added, ChangeKind::Deleted]);
    assert_eq!(reached, store.version());
    assert!(object::resource_version(&changes[1].object) > object::resource_version(&first));
}

#[test]
fn dependents_are_found_by_the_uid_of_their_owner() {
    let store = Store::open(None).unwrap();
    let mut child = map("child");
    child["metadata"]["ownerReferences"] = json!([{"uid": "uid-owner"}]);
    let child = store.put(kind(), None, child).unwrap();
    assert_eq!(store.dependents("uid-owner").len(), 1);
    store.remove(kind(), &child, map("child")).unwrap();
    assert!(store.dependents("uid-owner").is_empty());
}

#[test]
fn objects_survive_a_restart_and_a_torn_line_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cluster.journal");
    let store = Store::open(Some(&path)).unwrap();
    let kept = store.put(kind(), None, map("kept")).unwrap();
    let gone = store.put(kind(), None, map("gone")).unwrap();
    store.remove(kind(), &gone, map("gone")).unwrap();
    let version = store.version();
    drop(store);
    OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"v\":9999,\"r\":\"config").unwrap();

    let store = Store::open(Some(&path)).unwrap();
    assert_eq!(store.list(kind(), None), [kept]);
    assert_eq!(store.version(), version);
    assert!(store.changes_after(kind(), version - 1, 10).is_err(), "history does not survive");
}

use std::fs::OpenOptions;
