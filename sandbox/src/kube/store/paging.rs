//! Ordered walks over a table: whole namespaces, pages, and pages of the past.

use super::{Key, Page, Range, Table};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

type Past = BTreeMap<Key, Option<Arc<Value>>>;

/// Entries of one namespace (or all), after a key.
pub(super) fn scan<'t, V>(
    table: &'t BTreeMap<Key, V>,
    namespace: Option<&'t str>,
    after: Option<&Key>,
) -> impl Iterator<Item = (&'t Key, &'t V)> {
    let start = match (after, namespace) {
        (Some(key), _) => Bound::Excluded(key.clone()),
        (None, Some(namespace)) => Bound::Included(Key::new(namespace, "")),
        (None, None) => Bound::Unbounded,
    };
    table
        .range((start, Bound::Unbounded))
        .take_while(move |(key, _)| namespace.is_none_or(|namespace| key.namespace == namespace))
}

pub(super) fn page(table: &Table, version: u64, range: &Range<'_>) -> Page {
    collect(
        scan(table, range.namespace, range.after).map(|(key, object)| (key, object.clone())),
        version,
        range,
    )
}

/// A page as of `version`: the table of today with the changed keys put back.
pub(super) fn page_of_past(table: &Table, past: &Past, version: u64, range: &Range<'_>) -> Page {
    let mut now = scan(table, range.namespace, range.after).peekable();
    let mut then = scan(past, range.namespace, range.after).peekable();
    let merged = std::iter::from_fn(move || {
        loop {
            let take_then = match (now.peek(), then.peek()) {
                (None, None) => return None,
                (Some(_), None) => false,
                (None, Some(_)) => true,
                (Some((today, _)), Some((key, _))) => key <= today,
            };
            if !take_then {
                return now.next().map(|(key, object)| (key, object.clone()));
            }
            let (key, object) = then.next()?;
            now.next_if(|(today, _)| *today == key);
            if let Some(object) = object {
                return Some((key, object.clone()));
            }
        }
    });
    collect(merged, version, range)
}

/// A full page says that more follows when any object does, matching or not: looking further would cost the page
/// after it (as upstream, whose last page can be empty).
fn collect<'t>(
    entries: impl Iterator<Item = (&'t Key, Arc<Value>)>,
    version: u64,
    range: &Range<'_>,
) -> Page {
    let mut page = Page { items: Vec::new(), version, next: None, remaining: 0 };
    let mut last: Option<&Key> = None;
    for (key, object) in entries {
        if range.limit > 0 && page.items.len() == range.limit {
            page.remaining += 1;
        } else if (range.matches)(&object) {
            page.items.push(object);
            last = Some(key);
        }
    }
    if page.remaining > 0 {
        page.next = last.cloned();
    }
    page
}
