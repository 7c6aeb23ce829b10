//! Strategic merge patch: like a merge patch, but lists with a merge key are merged by it, and directives say more.

use crate::kube::failure::Failure;
use crate::kube::kinds::Kind;
use crate::kube::refusals::{self, FieldError};
use crate::kube::schema::{Order, Shape};
use serde_json::{Map, Value, json};

const DIRECTIVE: &str = "$patch";
const ORDER: &str = "$setElementOrder/";
const DELETE_FROM: &str = "$deleteFromPrimitiveList/";
const RETAIN: &str = "$retainKeys";

/// The target with the patch applied.
///
/// # Errors
/// 422 when a value of the patch has another type than the object's field.
pub fn apply(kind: &Kind, target: &Value, patch: &Value) -> Result<Value, Failure> {
    merge(Shape::of_kind(kind), target, patch).map_err(|why| {
        let shown = go_print(patch);
        refusals::invalid_as("", "", "", &[FieldError::invalid("patch", &json!(shown), &why)])
    })
}

fn merge(shape: Shape, target: &Value, patch: &Value) -> Result<Value, String> {
    let (Value::Object(target), Value::Object(patch)) = (target, patch) else {
        return match (target, patch) {
            (Value::String(_), Value::Number(_)) => Err("cannot convert int64 to string".to_owned()),
            (Value::String(_), Value::Bool(_)) => Err("cannot convert bool to string".to_owned()),
            (Value::Array(target), Value::Array(patch)) => merge_list(shape, target, patch),
            (_, patch) => Ok(strip(patch)),
        };
    };
    match patch.get(DIRECTIVE).and_then(Value::as_str) {
        Some("replace") => return Ok(strip(&Value::Object(patch.clone()))),
        Some("delete") => return Ok(Value::Null),
        _ => {}
    }
    let mut merged = target.clone();
    if let Some(kept) = patch.get(RETAIN).and_then(Value::as_array) {
        merged.retain(|key, _| kept.iter().any(|name| name == key));
    }
    for (key, value) in patch.iter().filter(|(key, _)| !key.starts_with('$')) {
        merge_field(shape.child(key), &mut merged, key, value)?;
    }
    for (key, value) in patch {
        if let Some(field) = key.strip_prefix(DELETE_FROM) {
            delete_values(&mut merged, field, value);
        }
        if let Some(field) = key.strip_prefix(ORDER) {
            order(shape.child(field), &mut merged, field, value);
        }
    }
    Ok(Value::Object(merged))
}

fn merge_field(
    shape: Shape,
    merged: &mut Map<String, Value>,
    key: &str,
    value: &Value,
) -> Result<(), String> {
    let result = match (merged.get(key), value) {
        (_, Value::Null) => Value::Null,
        (Some(target), value) => merge(shape, target, value)?,
        (None, Value::Array(items)) => merge_list(shape, &[], items)?,
        (None, value) => strip(value),
    };
    if result.is_null() {
        merged.remove(key);
    } else {
        merged.insert(key.to_owned(), result);
    }
    Ok(())
}

fn merge_list(shape: Shape, target: &[Value], patch: &[Value]) -> Result<Value, String> {
    let keys = match shape {
        Shape::List(_, Order::Keyed(keys)) => keys,
        Shape::List(_, Order::Set) => {
            let mut merged = target.to_vec();
            merged.extend(patch.iter().filter(|item| !target.contains(item)).cloned());
            return Ok(Value::Array(merged));
        }
        _ => return Ok(Value::Array(patch.iter().map(strip).collect())),
    };
    // The merge key of upstream is the first of the keys.
    let key = keys[0];
    if patch.iter().any(|item| item[DIRECTIVE] == json!("replace")) {
        let rest = patch.iter().filter(|item| item.get(DIRECTIVE).is_none());
        return Ok(Value::Array(rest.map(strip).collect()));
    }
    let mut merged = target.to_vec();
    for item in patch {
        if item.get(key).is_none() {
            return Err(format!("map: {} does not contain declared merge key: {key}", go_print(item)));
        }
        let position = merged.iter().position(|known| known[key] == item[key]);
        match (item[DIRECTIVE].as_str(), position) {
            (Some("delete"), Some(position)) => drop(merged.remove(position)),
            (Some("delete"), None) => {}
            (_, Some(position)) => merged[position] = merge(shape.item(), &merged[position], item)?,
            (_, None) => merged.push(strip(item)),
        }
    }
    Ok(Value::Array(merged))
}

fn delete_values(merged: &mut Map<String, Value>, field: &str, values: &Value) {
    if let (Some(Value::Array(list)), Some(values)) = (merged.get_mut(field), values.as_array()) {
        list.retain(|item| !values.contains(item));
    }
}

/// Puts the named entries into the given order; the others keep theirs, after the entry they followed.
fn order(shape: Shape, merged: &mut Map<String, Value>, field: &str, wanted: &Value) {
    let (Some(Value::Array(list)), Some(wanted)) = (merged.get_mut(field), wanted.as_array()) else { return };
    let rank = |item: &Value| {
        wanted.iter().position(|want| match shape {
            Shape::List(_, Order::Keyed(keys)) => {
                keys.iter().all(|key| want.get(key).is_none() || want[key] == item[key])
            }
            _ => want == item,
        })
    };
    let mut last = 0;
    let mut ranked: Vec<(usize, Value)> = Vec::with_capacity(list.len());
    for item in list.drain(..) {
        last = rank(&item).unwrap_or(last);
        ranked.push((last, item));
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    list.extend(ranked.into_iter().map(|(_, item)| item));
}

/// A value without directives.
fn strip(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(key, value)| !key.starts_with('$') && !value.is_null());
            Value::Object(kept.map(|(key, value)| (key.clone(), strip(value))).collect())
        }
        Value::Array(items) => {
            let kept = items.iter().filter(|item| item[DIRECTIVE] != json!("delete"));
            Value::Array(kept.map(strip).collect())
        }
        other => other.clone(),
    }
}

/// As Go's `%v` prints a decoded JSON value.
fn go_print(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let mut pairs: Vec<String> =
                fields.iter().map(|(key, value)| format!("{key}:{}", go_print(value))).collect();
            pairs.sort();
            format!("map[{}]", pairs.join(" "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(go_print).collect::<Vec<_>>().join(" ")),
        Value::String(text) => text.clone(),
        Value::Null => "<nil>".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn pod(patch: &Value) -> Value {
        let target =
            json!({"spec": {"containers": [{"name": "a", "image": "1"}, {"name": "b", "image": "2"}]}});
        apply(crate::kube::kinds::by_plural("pods").unwrap(), &target, patch).unwrap()
    }

    #[test]
    fn containers_are_merged_by_name() {
        let patched = pod(&json!({"spec": {"containers": [{"name": "b", "image": "3"}]}}));
        assert_eq!(
            patched["spec"]["containers"],
            json!([{"name": "a", "image": "1"}, {"name": "b", "image": "3"}])
        );
    }

    #[test]
    fn directives_delete_replace_and_order() {
        let gone = pod(&json!({"spec": {"containers": [{"name": "a", "$patch": "delete"}]}}));
        assert_eq!(gone["spec"]["containers"], json!([{"name": "b", "image": "2"}]));
        let replaced = pod(&json!({"spec": {"$patch": "replace", "nodeName": "n"}}));
        assert_eq!(replaced["spec"], json!({"nodeName": "n"}));
        let ordered = pod(&json!({"spec": {"$setElementOrder/containers": [{"name": "b"}, {"name": "a"}]}}));
        assert_eq!(ordered["spec"]["containers"][0]["name"], "b");
    }
}
