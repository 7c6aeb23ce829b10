//! Reading and writing the metadata of a stored object.

use serde_json::{Map, Value, json};

/// Text of a metadata field; empty when absent.
pub fn meta<'a>(object: &'a Value, field: &str) -> &'a str {
    object["metadata"][field].as_str().unwrap_or_default()
}

pub fn name(object: &Value) -> &str {
    meta(object, "name")
}

pub fn namespace(object: &Value) -> &str {
    meta(object, "namespace")
}

pub fn uid(object: &Value) -> &str {
    meta(object, "uid")
}

/// The resourceVersion as a number; 0 when absent or opaque.
pub fn resource_version(object: &Value) -> u64 {
    meta(object, "resourceVersion").parse().unwrap_or(0)
}

/// Has its deletion been asked for?
pub fn is_terminating(object: &Value) -> bool {
    object["metadata"]["deletionTimestamp"].is_string()
}

/// The object's metadata, made an object if it was missing or malformed.
pub fn meta_mut(object: &mut Value) -> &mut Map<String, Value> {
    if !object.is_object() {
        *object = json!({});
    }
    let metadata = &mut object["metadata"];
    if !metadata.is_object() {
        *metadata = json!({});
    }
    metadata.as_object_mut().expect("set to an object above")
}

pub fn set_meta(object: &mut Value, field: &str, value: impl Into<Value>) {
    meta_mut(object).insert(field.to_owned(), value.into());
}

/// Copies a metadata field from another object, or removes it where that one lacks it.
pub fn keep_meta(object: &mut Value, from: &Value, field: &str) {
    match from["metadata"].get(field) {
        Some(value) => set_meta(object, field, value.clone()),
        None => {
            meta_mut(object).remove(field);
        }
    }
}

/// Finalizers in order; malformed entries are left out.
pub fn finalizers(object: &Value) -> Vec<&str> {
    strings(&object["metadata"]["finalizers"])
}

/// Owner references; empty when absent.
pub fn owners(object: &Value) -> &[Value] {
    object["metadata"]["ownerReferences"].as_array().map_or(&[], Vec::as_slice)
}

fn strings(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// Now, as metav1.Time writes it.
pub fn now() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
