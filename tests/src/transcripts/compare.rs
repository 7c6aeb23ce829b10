//! Is an answer the recorded one? JSON by value, with placeholders, sets where order means nothing, and parts that
//! the recorder left out.

use super::placeholders::{Bindings, expand, shorten};
use serde_json::Value;

/// What `/version` says of the recorded server's build.
const BUILD: [&str; 2] = ["gitCommit", "buildDate"];

/// Compares parts of one answer, and learns placeholders on the way.
pub struct Comparison<'b> {
    pub bindings: &'b mut Bindings,
    /// Pointers that are compared loosely.
    pub unstable: &'b [String],
    /// The recording holds only a part of the body.
    pub reduced: bool,
    pub differences: Vec<String>,
}

impl Comparison<'_> {
    pub fn is_unstable(&self, at: &str) -> bool {
        self.unstable.iter().any(|pointer| pointer == at)
    }

    pub fn report(&mut self, at: &str, what: impl std::fmt::Display) {
        let at = at.strip_prefix("/response").unwrap_or(at);
        self.differences.push(format!("{at}: {what}"));
    }

    /// A text with placeholders.
    pub fn text(&mut self, at: &str, expected: &str, actual: &str) {
        self.learn(at, expected, actual, false);
    }

    fn learn(&mut self, at: &str, expected: &str, actual: &str, loose: bool) {
        if self.is_unstable(at) {
            return;
        }
        if let Err(why) = self.bindings.learn(&expand(expected), actual, loose) {
            self.report(at, why);
        }
    }

    pub fn json(&mut self, at: &str, expected: &Value, actual: &Value) {
        if self.is_unstable(at) {
            return self.unordered(at, expected, actual);
        }
        match (expected, actual) {
            (Value::String(expected), Value::String(actual)) => self.text(at, expected, actual),
            (Value::Object(fields), _) if fields.contains_key("_elided") => {}
            (Value::Object(fields), Value::Array(items)) if fields.contains_key("<repeat-item>") => {
                self.repeated(at, fields, items);
            }
            (Value::Object(_), Value::Object(_)) => self.object(at, expected, actual),
            (Value::Array(wanted), Value::Array(found)) => self.array(at, wanted, found),
            _ if expected == actual => {}
            _ => self.report(at, format_args!("expected {}, got {}", show(expected), show(actual))),
        }
    }

    fn object(&mut self, at: &str, expected: &Value, actual: &Value) {
        let listed = expected["items"].is_array() || expected["rows"].is_array();
        let (Value::Object(wanted), Value::Object(found)) = (expected, actual) else { return };
        let compared = |key: &str| !key.starts_with('_') && !BUILD.contains(&key);
        let mut known = Vec::new();
        for (key, value) in wanted.iter().filter(|(key, _)| compared(key)) {
            // Field ownership names list entries by their uid: `k:{"uid":"<uid:1>"}`.
            let key = self.bindings.fill(key).unwrap_or_else(|_| key.clone());
            let below = format!("{at}/{key}");
            match found.get(&key) {
                Some(other) if key == "metadata" && listed => self.list_metadata(&below, value, other),
                Some(other) => self.json(&below, value, other),
                None if self.is_unstable(&below) => {}
                None => self.report(&below, format_args!("is missing, expected {}", show(value))),
            }
            known.push(key);
        }
        if self.reduced {
            return;
        }
        for (key, value) in found.iter().filter(|(key, _)| compared(key) && !known.contains(*key)) {
            self.report(&format!("{at}/{key}"), format_args!("is not expected, got {}", show(value)));
        }
    }

    /// `metadata` of a list, table or bookmark, whose version moves on by itself; that of an object does not.
    pub fn list_metadata(&mut self, at: &str, expected: &Value, actual: &Value) {
        let (mut expected, mut actual) = (expected.clone(), actual.clone());
        let versions = (take(&mut expected, "resourceVersion"), take(&mut actual, "resourceVersion"));
        if let (Some(expected), Some(actual)) = &versions {
            self.learn(&format!("{at}/resourceVersion"), expected, actual, true);
        } else if versions.0 != versions.1 {
            self.report(
                &format!("{at}/resourceVersion"),
                format_args!("expected {:?}, got {:?}", versions.0, versions.1),
            );
        }
        self.json(at, &expected, &actual);
    }

    fn array(&mut self, at: &str, wanted: &[Value], found: &[Value]) {
        if at.ends_with("/managedFields") {
            return self.set(at, wanted, found);
        }
        if self.reduced {
            return self.subset(at, wanted, found);
        }
        if wanted.len() != found.len() {
            return self.report(at, format_args!("expected {} items, got {}", wanted.len(), found.len()));
        }
        for (position, (wanted, found)) in wanted.iter().zip(found).enumerate() {
            self.json(&format!("{at}/{position}"), wanted, found);
        }
    }

    fn repeated(&mut self, at: &str, fields: &serde_json::Map<String, Value>, found: &[Value]) {
        let count = fields.get("count").and_then(Value::as_u64).unwrap_or_default();
        if found.len() as u64 != count {
            return self.report(at, format_args!("expected {count} items, got {}", found.len()));
        }
        for (position, item) in found.iter().enumerate() {
            self.json(&format!("{at}/{position}"), &fields["<repeat-item>"], item);
        }
    }

    fn unordered(&mut self, at: &str, expected: &Value, actual: &Value) {
        if let (Value::Array(wanted), Value::Array(found)) = (expected, actual) {
            self.set(at, wanted, found);
        }
    }

    fn set(&mut self, at: &str, wanted: &[Value], found: &[Value]) {
        if wanted.len() != found.len() {
            return self.report(at, format_args!("expected {} items, got {}", wanted.len(), found.len()));
        }
        self.subset(at, wanted, found);
    }

    /// Every wanted item is among the found ones, each of which counts once.
    fn subset(&mut self, at: &str, wanted: &[Value], found: &[Value]) {
        let mut left: Vec<&Value> = found.iter().collect();
        for item in wanted {
            let matching = left.iter().position(|candidate| self.accepts(at, item, candidate));
            match matching {
                Some(position) => {
                    left.remove(position);
                }
                None => {
                    // One candidate alone: what differs says more than that none fits.
                    if let [only] = left.as_slice() {
                        return self.json(&format!("{at}/-"), item, only);
                    }
                    return self.report(at, format_args!("none is {}", show(item)));
                }
            }
        }
    }

    /// Tries an item; what it taught is kept only when it fits.
    fn accepts(&mut self, at: &str, wanted: &Value, found: &Value) -> bool {
        let mut bindings = self.bindings.clone();
        let mut trial = Comparison {
            bindings: &mut bindings,
            unstable: &[],
            reduced: self.reduced,
            differences: Vec::new(),
        };
        trial.json(&format!("{at}/-"), wanted, found);
        let fits = trial.differences.is_empty();
        if fits {
            *self.bindings = bindings;
        }
        fits
    }

    /// The events of a watch, in order. Of unstable ones the bookmarks need not be as many.
    pub fn events(&mut self, at: &str, wanted: &[Value], found: &[Value]) {
        if self.is_unstable(at) {
            let objects = |events: &[Value]| -> Vec<Value> {
                events.iter().filter(|event| event["type"] != "BOOKMARK").cloned().collect()
            };
            let marks = |events: &[Value]| events.iter().filter(|event| event["type"] == "BOOKMARK").count();
            if marks(wanted) > 0 && marks(found) == 0 {
                self.report(at, "no bookmark came");
            }
            return self.set(at, &objects(wanted), &objects(found));
        }
        if wanted.len() != found.len() {
            let types: Vec<&str> = found.iter().filter_map(|event| event["type"].as_str()).collect();
            self.report(at, format_args!("expected {} events, got {} {types:?}", wanted.len(), found.len()));
        }
        for (position, (wanted, found)) in wanted.iter().zip(found).enumerate() {
            let at = format!("{at}/{position}");
            if wanted["type"] == "BOOKMARK" && found["type"] == "BOOKMARK" {
                self.bookmark(&at, &wanted["object"], &found["object"]);
            } else {
                self.json(&at, wanted, found);
            }
        }
    }

    fn bookmark(&mut self, at: &str, expected: &Value, actual: &Value) {
        self.list_metadata(&format!("{at}/object/metadata"), &expected["metadata"], &actual["metadata"]);
        let (mut expected, mut actual) = (expected.clone(), actual.clone());
        expected["metadata"] = Value::Null;
        actual["metadata"] = Value::Null;
        self.json(&format!("{at}/object"), &expected, &actual);
    }
}

fn take(object: &mut Value, key: &str) -> Option<String> {
    let value = object.as_object_mut()?.remove(key)?;
    value.as_str().map(str::to_owned)
}

fn show(value: &Value) -> String {
    let text = shorten(&value.to_string());
    text.trim_matches('"').replace("\\\"", "\"")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn differences(reduced: bool, unstable: &[&str], expected: &Value, actual: &Value) -> Vec<String> {
        let mut bindings = Bindings::default();
        let unstable: Vec<String> = unstable.iter().map(|pointer| (*pointer).to_owned()).collect();
        let mut comparison =
            Comparison { bindings: &mut bindings, unstable: &unstable, reduced, differences: Vec::new() };
        comparison.json("/response/body", expected, actual);
        comparison.differences
    }

    #[test]
    fn a_missing_and_an_unexpected_field_are_named() {
        let found = differences(false, &[], &json!({"a": 1, "b": 2}), &json!({"a": 1, "c": 2}));
        assert_eq!(found, ["/body/b: is missing, expected 2", "/body/c: is not expected, got 2"]);
    }

    #[test]
    fn reduced_bodies_are_parts() {
        let whole = json!({"paths": {"x": 1, "y": 2}, "list": [1, 2, 3]});
        assert!(
            differences(true, &[], &json!({"paths": {"y": 2}, "_note": 1, "list": [3]}), &whole).is_empty()
        );
        assert!(!differences(true, &[], &json!({"list": [4]}), &whole).is_empty());
    }

    #[test]
    fn managed_fields_are_a_set() {
        let one = json!({"managedFields": [{"manager": "a"}, {"manager": "b"}]});
        let other = json!({"managedFields": [{"manager": "b"}, {"manager": "a"}]});
        assert!(differences(false, &[], &one, &other).is_empty());
        let twice = json!({"managedFields": [{"manager": "a"}, {"manager": "a"}]});
        assert!(!differences(false, &[], &one, &twice).is_empty());
    }

    #[test]
    fn unstable_lists_have_no_order_but_the_same_items() {
        let (one, other) = (json!({"l": [1, 2]}), json!({"l": [2, 1]}));
        assert!(differences(false, &["/response/body/l"], &one, &other).is_empty());
        assert!(!differences(false, &[], &one, &other).is_empty());
        assert!(!differences(false, &["/response/body/l"], &one, &json!({"l": [2, 3]})).is_empty());
    }
}
