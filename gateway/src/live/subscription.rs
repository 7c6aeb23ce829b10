//! One subscription: what its holder has been sent, and what a change means to them. No sockets, no clock.

use crate::cluster::hub::row::{Published, Sight, Version};
use crate::cluster::hub::state::{Change, Key};
use crate::live::frame;
use spaceport_shared::live::Topic;
use spaceport_shared::space::NamespaceAccess;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

/// The key is the row's `id`.
pub struct Subscription {
    /// Absent on NDJSON, where a stream has but one.
    id: Option<u32>,
    topic: Topic,
    access: BTreeMap<String, NamespaceAccess>,
    seq: u64,
    sent: HashMap<String, Arc<Version>>,
}

impl Subscription {
    pub fn new(id: Option<u32>, topic: Topic, access: BTreeMap<String, NamespaceAccess>) -> Subscription {
        let mut subscription =
            Subscription { id, topic, access: BTreeMap::new(), seq: 0, sent: HashMap::new() };
        subscription.set_access(access);
        subscription
    }

    pub fn topic(&self) -> &Topic {
        &self.topic
    }

    pub fn access(&self) -> Vec<NamespaceAccess> {
        self.access.values().cloned().collect()
    }

    /// Takes over new rights; answers whether anything changed.
    pub fn set_access(&mut self, access: BTreeMap<String, NamespaceAccess>) -> bool {
        let wanted = self.topic.namespaces.as_ref();
        let access: BTreeMap<_, _> =
            access.into_iter().filter(|(n, _)| wanted.is_none_or(|list| list.contains(n))).collect();
        let is_changed = access != self.access;
        self.access = access;
        is_changed
    }

    /// All rows anew: the frames of a snapshot.
    pub fn snapshot(&mut self, rows: &[(Key, Arc<Published>)]) -> Vec<String> {
        let visible: Vec<Arc<Version>> = rows.iter().filter_map(|(_, row)| self.visible(row)).collect();
        self.sent = visible.iter().map(|v| (v.row.id.clone(), v.clone())).collect();
        self.seq += 1;
        frame::snapshot(self.id, self.seq, &visible)
    }

    /// The frame of one change; nothing when its holder need not know.
    pub fn change(&mut self, change: &Change) -> Option<String> {
        let (id, visible) = match change {
            Change::Upsert(row) => (row.full().id.as_str(), self.visible(row)),
            Change::Remove { id, .. } => (id.as_str(), None),
        };
        self.put(id, visible)
    }

    /// What the present rights take away, give or show differently; after `set_access`.
    pub fn reconcile(&mut self, rows: &[(Key, Arc<Published>)]) -> Vec<String> {
        let visible: HashMap<String, Arc<Version>> =
            rows.iter().filter_map(|(_, row)| self.visible(row)).map(|v| (v.row.id.clone(), v)).collect();
        let lost: Vec<String> = self.sent.keys().filter(|id| !visible.contains_key(*id)).cloned().collect();
        let mut frames: Vec<String> = lost.iter().filter_map(|id| self.put(id, None)).collect();
        frames.extend(visible.into_iter().filter_map(|(id, version)| self.put(&id, Some(version))));
        frames
    }

    fn put(&mut self, id: &str, visible: Option<Arc<Version>>) -> Option<String> {
        match visible {
            Some(version) => {
                let old = self.sent.insert(id.to_owned(), version.clone());
                if old.is_some_and(|old| Arc::ptr_eq(&old, &version) || old == version) {
                    return None;
                }
                self.seq += 1;
                Some(frame::upsert(self.id, self.seq, &version.json))
            }
            None => {
                self.sent.remove(id)?;
                self.seq += 1;
                Some(frame::remove(self.id, self.seq, id))
            }
        }
    }

    /// The version of the row for its holder; `None` outside their rights or the topic.
    fn visible(&self, row: &Published) -> Option<Arc<Version>> {
        let full = row.full();
        let access = self.access.get(&full.namespace)?;
        let filter = &self.topic.filter;
        let is_named = filter.name.as_ref().is_none_or(|name| *name == full.name);
        let is_owned = filter.owner.as_ref().is_none_or(|owner| full.owner.username.as_ref() == Some(owner));
        (is_named && is_owned).then(|| row.version(Sight::of(access)).clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use spaceport_shared::live::{Filter, View};

    fn row(namespace: &str, name: &str, display: &str) -> (Key, Arc<Published>) {
        let object = json!({"metadata": {"name": name, "namespace": namespace, "uid": format!("{namespace}.{name}")},
            "spec": {"displayName": display}});
        let facts = crate::cluster::project::space::project("c", &object).facts;
        ((namespace.to_owned(), name.to_owned()), Arc::new(Published::new(&facts)))
    }

    fn rights(namespaces: &[&str]) -> BTreeMap<String, NamespaceAccess> {
        let of = |n: &&str| NamespaceAccess {
            namespace: (*n).to_owned(),
            list: true,
            ..NamespaceAccess::default()
        };
        namespaces.iter().map(|n| ((*n).to_owned(), of(n))).collect()
    }

    fn subscription(namespaces: &[&str]) -> Subscription {
        let topic =
            Topic { view: View::Spaces, cluster: "c".into(), namespaces: None, filter: Filter::default() };
        Subscription::new(Some(1), topic, rights(namespaces))
    }

    fn read(frame: &str) -> Value {
        serde_json::from_str(frame).expect("a frame is JSON")
    }

    fn upsert(row: &(Key, Arc<Published>)) -> Change {
        Change::Upsert(row.1.clone())
    }

    #[test]
    fn not_a_byte_of_a_foreign_namespace_leaves() {
        let mut mine = subscription(&["a"]);
        let rows = [row("a", "lab", "Lab"), row("b", "secret", "Secret")];
        let snapshot = mine.snapshot(&rows).concat();
        assert!(snapshot.contains("lab") && !snapshot.contains("ecret"));
        assert_eq!(mine.change(&upsert(&rows[1])), None);
        assert_eq!(mine.change(&Change::Remove { namespace: "b".into(), id: "b.secret".into() }), None);
    }

    #[test]
    fn the_sequence_has_no_gaps() {
        let mut mine = subscription(&["a"]);
        let snapshot = mine.snapshot(&[row("a", "x", "1")]);
        assert_eq!(read(&snapshot[0])["seq"], 1);
        let next = mine.change(&upsert(&row("a", "x", "2"))).expect("a change");
        assert_eq!(
            (read(&next)["seq"].clone(), read(&next)["row"]["displayName"].clone()),
            (json!(2), json!("2"))
        );
        assert_eq!(mine.change(&upsert(&row("a", "x", "2"))), None);
        let gone =
            mine.change(&Change::Remove { namespace: "a".into(), id: "a.x".into() }).expect("a change");
        assert_eq!((read(&gone)["seq"].clone(), read(&gone)["key"].clone()), (json!(3), json!("a.x")));
    }

    #[test]
    fn a_lost_right_arrives_as_removal_and_a_new_one_as_rows() {
        let mut mine = subscription(&["a"]);
        let rows = [row("a", "x", "1"), row("b", "y", "1")];
        mine.snapshot(&rows);
        assert!(mine.set_access(rights(&["b"])));
        let frames: Vec<Value> = mine.reconcile(&rows).iter().map(|f| read(f)).collect();
        assert_eq!((frames[0]["type"].clone(), frames[0]["key"].clone()), (json!("remove"), json!("a.x")));
        assert_eq!(
            (frames[1]["type"].clone(), frames[1]["row"]["name"].clone()),
            (json!("upsert"), json!("y"))
        );
        assert!(!mine.set_access(rights(&["b"])));
    }

    #[test]
    fn a_topic_narrows_by_namespace_and_filter() {
        let topic = Topic {
            view: View::Spaces,
            cluster: "c".into(),
            namespaces: Some(vec!["a".into()]),
            filter: Filter { name: Some("x".into()), owner: None },
        };
        let mut mine = Subscription::new(None, topic, rights(&["a", "b"]));
        let snapshot = mine.snapshot(&[row("a", "x", "1"), row("a", "z", "1"), row("b", "x", "1")]);
        let message = read(&snapshot[0]);
        assert_eq!(message["rows"].as_array().map(Vec::len), Some(1));
        assert_eq!(message.get("id"), None);
    }
}
