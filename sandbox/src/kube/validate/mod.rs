//! Which objects are valid: metadata of all kinds, then the rules of each kind.

mod builtin;
mod meta;
pub(super) mod names;
mod pods;
mod rules;
mod schema;

use super::kinds::Kind;
use super::object;
use super::refusals::FieldError;
use serde_json::Value;

/// What is wrong with a new object.
pub fn create(kind: &Kind, new: &Value) -> Vec<FieldError> {
    let mut errors = meta::check(kind, new);
    if kind.custom {
        custom(kind, None, new, &mut errors);
    } else {
        errors.extend(builtin::check(kind.plural, None, new));
    }
    errors
}

/// What is wrong with a changed object.
pub fn update(kind: &Kind, subresource: &str, old: &Value, new: &Value) -> Vec<FieldError> {
    let mut errors = meta::check_update(kind, old, new);
    if kind.custom {
        custom(kind, Some(old), new, &mut errors);
    } else if subresource != "status" {
        errors.extend(builtin::check(kind.plural, Some(old), new));
    }
    errors
}

fn custom(kind: &Kind, old: Option<&Value>, new: &Value, errors: &mut Vec<FieldError>) {
    errors.extend(schema::check(super::schema::of(kind), new));
    if !rules::has_rules(kind) {
        return;
    }
    if errors.iter().any(FieldError::blocks_rules) {
        errors.push(FieldError::rules_skipped());
    } else {
        errors.extend(rules::check(kind, old, new));
    }
}

/// What is accepted with a warning.
pub fn warnings(kind: &Kind, new: &Value) -> Vec<String> {
    if !kind.custom {
        return Vec::new();
    }
    let bare = object::finalizers(new).into_iter().filter(|finalizer| !finalizer.contains('/'));
    let standard = ["orphan", "foregroundDeletion", "kubernetes"];
    bare.filter(|finalizer| !standard.contains(finalizer))
        .map(|finalizer| {
            format!(
                "metadata.finalizers: \"{finalizer}\": prefer a domain-qualified finalizer name to avoid accidental \
                 conflicts with other finalizer writers"
            )
        })
        .collect()
}
