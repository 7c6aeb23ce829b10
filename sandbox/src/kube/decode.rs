//! Decoding an object against what its kind knows: types of fields, unknown and duplicate fields.

use super::failure::Failure;
use super::kinds::Kind;
use super::refusals::bad_request;
use serde_json::Value;

/// What to do about fields nobody knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    Ignore,
    Warn,
    Strict,
}

/// Go's name for the type of a JSON value.
pub fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Checks the types of metadata, drops unknown fields and reports them.
///
/// # Errors
/// 400 when a field has the wrong type, or when a field is unknown and the client is strict.
pub fn check(
    kind: &Kind,
    version: &str,
    object: &mut Value,
    _strictness: Strictness,
) -> Result<Vec<String>, Failure> {
    let refuse = |why: String| {
        bad_request(format!(
            "{} in version \"{version}\" cannot be handled as a {}: {why}",
            kind.kind, kind.kind
        ))
    };
    check_metadata(&object["metadata"]).map_err(refuse)?;
    Ok(Vec::new())
}

fn check_metadata(metadata: &Value) -> Result<(), String> {
    let cannot = |value: &Value, field: &str, wanted: &str| {
        let found = go_type(value);
        Err(format!(
            "json: cannot unmarshal {found} into Go struct field ObjectMeta.{field} of type {wanted}"
        ))
    };
    if !metadata.is_object() && !metadata.is_null() {
        let found = go_type(metadata);
        return Err(format!("json: cannot unmarshal {found} into Go value of type v1.ObjectMeta"));
    }
    for field in ["name", "generateName", "namespace", "uid", "resourceVersion", "selfLink"] {
        let value = &metadata[field];
        if !value.is_string() && !value.is_null() {
            return cannot(value, field, "string");
        }
    }
    for field in ["labels", "annotations"] {
        match &metadata[field] {
            Value::Null => {}
            Value::Object(entries) => {
                if let Some(value) = entries.values().find(|value| !value.is_string()) {
                    return cannot(value, field, "string");
                }
            }
            other => return cannot(other, field, "map[string]string"),
        }
    }
    for (field, wanted) in [("finalizers", "[]string"), ("ownerReferences", "[]v1.OwnerReference")] {
        if !metadata[field].is_array() && !metadata[field].is_null() {
            return cannot(&metadata[field], field, wanted);
        }
    }
    for field in ["creationTimestamp", "deletionTimestamp"] {
        if let Some(text) = metadata[field].as_str()
            && text.parse::<jiff::Timestamp>().is_err()
        {
            let head: String = text.to_owned();
            return Err(format!(
                "parsing time \"{head}\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"{head}\" as \"2006\""
            ));
        }
    }
    Ok(())
}
