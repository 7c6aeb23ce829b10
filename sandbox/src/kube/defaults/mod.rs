//! What the server fills in, and which parts of an object each endpoint may change.

mod kinds;
mod pods;

use super::Core;
use super::failure::Failure;
use super::kinds::Kind;
use super::verbs::Request;
use super::{decode, object};
pub use kinds::NOT_READY;
use serde_json::{Value, json};

/// Defaults of a kind; the same object twice gives the same result.
pub fn apply(kind: &Kind, object: &mut Value) {
    object::meta_mut(object);
    object["kind"] = json!(kind.kind);
    object["apiVersion"] = json!(kind.storage_api_version());
    if kind.custom {
        decode::fill_defaults(kind, object);
    } else {
        kinds::apply(kind.plural, object);
        kinds::tidy(object, &["data", "binaryData"]);
    }
}

/// Defaults of a new object that depend on other objects (service accounts, priority classes, storage classes).
///
/// # Errors
/// 403 when something named does not exist.
pub fn admit(core: &Core, request: &Request<'_>, object: &mut Value) -> Result<(), Failure> {
    if request.kind.plural == "pods" {
        pods::admit(core, request, object)?;
    }
    kinds::admit(core, request.kind.plural, object);
    Ok(())
}

/// A new object has no status but the one it starts with.
pub fn prepare_create(kind: &Kind, object: &mut Value) {
    if kind.custom
        && kind.status
        && let Some(fields) = object.as_object_mut()
    {
        fields.remove("status");
    }
    kinds::initial_status(kind.plural, object);
}

/// The main endpoint leaves status alone; the status endpoint changes nothing else but who owns it.
pub fn prepare_update(kind: &Kind, subresource: &str, old: &Value, new: &mut Value) {
    if subresource == "status" {
        let status = new.get("status").cloned();
        let metadata = new["metadata"].clone();
        *new = old.clone();
        put(new, "status", status);
        if let Some(managed) = metadata.get("managedFields") {
            object::set_meta(new, "managedFields", managed.clone());
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
