//! Reading Kubernetes objects as JSON. Absent and malformed fields read as empty: whoever writes an absurd object gets
//! an inert one, not a panic.

use serde_json::{Map, Value};
use spaceport_shared::quantity::Quantity;

pub fn name(object: &Value) -> &str {
    text(&object["metadata"]["name"])
}

pub fn namespace(object: &Value) -> &str {
    text(&object["metadata"]["namespace"])
}

pub fn uid(object: &Value) -> &str {
    text(&object["metadata"]["uid"])
}

pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

pub fn label<'a>(object: &'a Value, key: &str) -> &'a str {
    text(&object["metadata"]["labels"][key])
}

pub fn annotation<'a>(object: &'a Value, key: &str) -> &'a str {
    text(&object["metadata"]["annotations"][key])
}

pub fn is_deleting(object: &Value) -> bool {
    object["metadata"]["deletionTimestamp"].is_string()
}

pub fn finalizers(object: &Value) -> impl Iterator<Item = &str> {
    items(&object["metadata"]["finalizers"]).iter().filter_map(Value::as_str)
}

pub fn has_finalizer(object: &Value, finalizer: &str) -> bool {
    finalizers(object).any(|found| found == finalizer)
}

/// A list; empty when it is none.
pub fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Key and value pairs of a map; empty when it is none.
pub fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// A quantity written as text or as a number.
pub fn quantity(value: &Value) -> Option<Quantity> {
    match value {
        Value::String(text) => Quantity::parse(text).ok(),
        Value::Number(number) => Quantity::parse(&number.to_string()).ok(),
        _ => None,
    }
}

/// A quantity as its writer spelled it.
pub fn spelled(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// As [`spelled`]; null is empty.
pub fn spelled_or_empty(value: &Value) -> String {
    if value.is_null() { String::new() } else { spelled(value) }
}

/// The owner reference of a kind: its name.
pub fn owner<'a>(object: &'a Value, kind: &str) -> Option<&'a str> {
    owner_reference(object, kind).map(|reference| text(&reference["name"]))
}

pub fn owner_reference<'a>(object: &'a Value, kind: &str) -> Option<&'a Value> {
    items(&object["metadata"]["ownerReferences"]).iter().find(|reference| reference["kind"] == kind)
}

/// The condition of a type.
pub fn condition<'a>(object: &'a Value, kind: &str) -> Option<&'a Value> {
    items(&object["status"]["conditions"]).iter().find(|condition| condition["type"] == kind)
}

pub fn condition_is_true(object: &Value, kind: &str) -> bool {
    condition(object, kind).is_some_and(|condition| condition["status"] == "True")
}

/// Is the field unset: absent, null, or an empty text, list or map?
pub fn is_unset(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The map at a key, made one if it is missing or something else.
pub fn map_mut<'a>(object: &'a mut Value, key: &str) -> &'a mut Map<String, Value> {
    if !object.is_object() {
        *object = Value::Object(Map::new());
    }
    let inner = &mut object[key];
    if !inner.is_object() {
        *inner = Value::Object(Map::new());
    }
    inner.as_object_mut().expect("made an object above")
}

/// The map two keys deep.
pub fn nested_mut<'a>(object: &'a mut Value, key: &str, inner: &str) -> &'a mut Map<String, Value> {
    map_mut(object, key);
    map_mut(&mut object[key], inner)
}

pub fn set_label(object: &mut Value, key: &str, value: &str) {
    nested_mut(object, "metadata", "labels").insert(key.to_owned(), value.into());
}

pub fn set_annotation(object: &mut Value, key: &str, value: &str) {
    nested_mut(object, "metadata", "annotations").insert(key.to_owned(), value.into());
}

/// Now, as metav1.Time writes it.
pub fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// A metav1.Time.
pub fn time(value: &Value) -> Option<jiff::Timestamp> {
    value.as_str()?.parse().ok()
}

/// Sets a condition in a list; the transition time moves only with the status. Returns whether anything changed.
pub fn set_condition(
    conditions: &mut Vec<Value>,
    kind: &str,
    status: bool,
    reason: &str,
    message: &str,
) -> bool {
    let word = if status { "True" } else { "False" };
    let mut condition = serde_json::json!({
        "type": kind, "status": word, "reason": reason, "message": message, "lastTransitionTime": now(),
    });
    match conditions.iter_mut().find(|condition| condition["type"] == kind) {
        Some(before) => {
            if before["status"] == word {
                condition["lastTransitionTime"] = before["lastTransitionTime"].clone();
            }
            let changed = *before != condition;
            *before = condition;
            changed
        }
        None => {
            conditions.push(condition);
            true
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_transition_time_moves_only_with_the_status() {
        let mut conditions = vec![
            json!({"type": "Ready", "status": "True", "reason": "a", "message": "", "lastTransitionTime": "then"}),
        ];
        assert!(set_condition(&mut conditions, "Ready", true, "b", ""));
        assert_eq!(conditions[0]["lastTransitionTime"], "then");
        assert!(!set_condition(&mut conditions, "Ready", true, "b", ""), "nothing changed");
        assert!(set_condition(&mut conditions, "Ready", false, "b", ""));
        assert_ne!(conditions[0]["lastTransitionTime"], "then");
    }

    #[test]
    fn maps_are_made_where_something_else_was() {
        let mut object = json!({"metadata": "absurd"});
        set_label(&mut object, "k", "v");
        assert_eq!(label(&object, "k"), "v");
    }
}
