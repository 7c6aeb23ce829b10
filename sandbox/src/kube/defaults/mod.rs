//! What the server fills in, and which parts of an object each endpoint may change.

use super::Core;
use super::failure::Failure;
use super::kinds::Kind;
use super::verbs::Request;
use super::{decode, object};
use serde_json::{Value, json};

/// Defaults of a kind; the same object twice gives the same result.
pub fn apply(kind: &Kind, object: &mut Value) {
    object::meta_mut(object);
    object["kind"] = json!(kind.kind);
    object["apiVersion"] = json!(kind.storage_api_version());
    if kind.custom {
        decode::fill_defaults(kind, object);
    }
}

/// Defaults that depend on other objects (service accounts, priority classes, storage classes).
///
/// # Errors
/// 403 when something named does not exist.
pub fn admit(_core: &Core, _request: &Request<'_>, _object: &mut Value) -> Result<(), Failure> {
    Ok(())
}

/// A new object has no status yet.
pub fn prepare_create(kind: &Kind, object: &mut Value) {
    if kind.status
        && kind.custom
        && let Some(fields) = object.as_object_mut()
    {
        fields.remove("status");
    }
}

/// The main endpoint leaves status alone; the status endpoint changes nothing else but its metadata's ownership.
pub fn prepare_update(kind: &Kind, subresource: &str, old: &Value, new: &mut Value) {
    if subresource == "status" {
        let status = new.get("status").cloned();
        let managed = new["metadata"].get("managedFields").cloned();
        *new = old.clone();
        put(new, "status", status);
        if let Some(managed) = managed {
            object::set_meta(new, "managedFields", managed);
        }
    } else if kind.status {
        put(new, "status", old.get("status").cloned());
    }
}

fn put(object: &mut Value, field: &str, value: Option<Value>) {
    if let Some(fields) = object.as_object_mut() {
        match value {
            Some(value) if !value.is_null() => fields.insert(field.to_owned(), value),
            _ => fields.remove(field),
        };
    }
}
