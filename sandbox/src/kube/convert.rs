//! Between the stored form of an object and the other versions it is served in.
//!
//! Kueue's versions differ in apiVersion alone here (their CRDs convert by none); the two event APIs name the same
//! facts differently.

use super::kinds::Kind;
use serde_json::{Map, Value};

/// Core name, events.k8s.io name.
const EVENT_FIELDS: &[(&str, &str)] = &[
    ("involvedObject", "regarding"),
    ("message", "note"),
    ("source", "deprecatedSource"),
    ("firstTimestamp", "deprecatedFirstTimestamp"),
    ("lastTimestamp", "deprecatedLastTimestamp"),
    ("count", "deprecatedCount"),
    ("reportingComponent", "reportingController"),
];

/// From the stored form to the one of `group`.
pub fn from_storage(kind: &Kind, group: &str, object: &mut Value) {
    if kind.plural == "events" && group != kind.group {
        rename(object, EVENT_FIELDS.iter().copied());
    }
}

/// From the form of `group` to the stored one.
pub fn to_storage(kind: &Kind, group: &str, object: &mut Value) {
    if kind.plural == "events" && group != kind.group {
        rename(object, EVENT_FIELDS.iter().map(|(core, events)| (*events, *core)));
    }
}

fn rename<'n>(object: &mut Value, names: impl Iterator<Item = (&'n str, &'n str)>) {
    let Some(fields) = object.as_object_mut() else { return };
    let mut moved = Map::new();
    for (from, to) in names {
        if let Some(value) = fields.remove(from) {
            moved.insert(to.to_owned(), value);
        }
    }
    fields.extend(moved);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_event_keeps_its_facts_under_both_names() {
        let kind = crate::kube::kinds::by_plural("events").expect("events are served");
        let stored = json!({"involvedObject": {"name": "p"}, "message": "m", "reason": "R"});
        let mut shown = stored.clone();
        from_storage(kind, "events.k8s.io", &mut shown);
        assert_eq!(shown, json!({"regarding": {"name": "p"}, "note": "m", "reason": "R"}));
        to_storage(kind, "events.k8s.io", &mut shown);
        assert_eq!(shown, stored);
    }
}
