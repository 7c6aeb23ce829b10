//! Bringing an applied configuration into an object, and taking out what nobody names any more.

use super::compare::{below, entries};
use crate::kube::schema::Shape;
use serde_json::Value;

/// The live object with the configuration laid over it.
pub(super) fn merge(shape: Shape, live: &Value, applied: &Value) -> Value {
    match (shape, live, applied) {
        (Shape::Struct(_) | Shape::Map(_) | Shape::Any, Value::Object(live), Value::Object(applied)) => {
            let mut merged = live.clone();
            for (key, value) in applied {
                let into = match live.get(key) {
                    Some(live) => merge(shape.child(key), live, value),
                    None => value.clone(),
                };
                merged.insert(key.clone(), into);
            }
            Value::Object(merged)
        }
        (Shape::List(..), Value::Array(live), Value::Array(applied)) => merge_list(shape, live, applied),
        _ => applied.clone(),
    }
}

fn merge_list(shape: Shape, live: &[Value], applied: &[Value]) -> Value {
    let mut merged = live.to_vec();
    for item in applied {
        let name = shape.entry_name(item);
        match merged.iter_mut().find(|known| shape.entry_name(known) == name) {
            Some(known) => *known = merge(shape.item(), known, item),
            None => merged.push(item.clone()),
        }
    }
    Value::Array(merged)
}

/// Removes one named part; a part that is not there is fine.
pub(super) fn remove(shape: Shape, object: &mut Value, path: &[String]) {
    let Some((first, rest)) = path.split_first() else { return };
    if rest.is_empty() {
        match object {
            Value::Object(fields) => {
                fields.remove(first.strip_prefix("f:").unwrap_or(first));
            }
            Value::Array(items) => items.retain(|item| shape.entry_name(item).as_ref() != Some(first)),
            _ => {}
        }
        return;
    }
    if entries(shape, Some(object)).is_none() {
        return;
    }
    let next = below(shape, first);
    match object {
        Value::Object(fields) => {
            if let Some(child) = first.strip_prefix("f:").and_then(|key| fields.get_mut(key)) {
                remove(next, child, rest);
            }
        }
        Value::Array(items) => {
            if let Some(child) = items.iter_mut().find(|item| shape.entry_name(item).as_ref() == Some(first))
            {
                remove(next, child, rest);
            }
        }
        _ => {}
    }
}
