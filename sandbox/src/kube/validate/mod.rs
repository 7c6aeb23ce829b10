//! Which objects are valid: metadata of all kinds, then the rules of each kind.

mod meta;
pub(super) mod names;

use super::kinds::Kind;
use super::refusals::FieldError;
use serde_json::Value;

/// What is wrong with a new object.
pub fn create(kind: &Kind, new: &Value) -> Vec<FieldError> {
    meta::check(kind, new)
}

/// What is wrong with a changed object.
pub fn update(kind: &Kind, _subresource: &str, old: &Value, new: &Value) -> Vec<FieldError> {
    meta::check_update(kind, old, new)
}

/// What is accepted with a warning.
pub fn warnings(_kind: &Kind, _new: &Value) -> Vec<String> {
    Vec::new()
}
