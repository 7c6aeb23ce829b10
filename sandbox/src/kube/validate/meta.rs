//! metadata of any object: name, labels, annotations, owners, finalizers, and what never changes.

use super::names;
use crate::kube::kinds::{Kind, NameRule};
use crate::kube::object;
use crate::kube::refusals::{FieldError, quote};
use serde_json::{Value, json};

/// All annotations of an object together, in bytes.
const ANNOTATIONS_LIMIT: usize = 256 * 1024;

fn check_name(kind: &Kind, name: &str) -> Vec<String> {
    match kind.names {
        NameRule::Subdomain => names::subdomain(name),
        NameRule::Label => names::label(name),
        NameRule::PathSegment => names::path_segment(name),
    }
}

pub(super) fn check(kind: &Kind, new: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let prefix = object::meta(new, "generateName");
    if !prefix.is_empty() {
        // A prefix may end in a dash, the generated name will not.
        let stem = prefix.strip_suffix('-').map_or(prefix.to_owned(), |stem| format!("{stem}a"));
        push_all(&mut errors, "metadata.generateName", prefix, check_name(kind, &stem));
    }
    let name = object::name(new);
    if name.is_empty() {
        errors.push(FieldError::required("metadata.name", "name or generateName is required"));
    } else {
        push_all(&mut errors, "metadata.name", name, check_name(kind, name));
    }
    errors.extend(check_maps_and_lists(new));
    errors
}

fn push_all(errors: &mut Vec<FieldError>, field: &str, value: &str, why: Vec<String>) {
    errors.extend(why.iter().map(|why| FieldError::invalid(field, &json!(value), why)));
}

fn check_maps_and_lists(new: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (key, value) in new["metadata"]["labels"].as_object().into_iter().flatten() {
        push_all(&mut errors, "metadata.labels", key, names::qualified(key));
        let value = value.as_str().unwrap_or_default();
        push_all(&mut errors, "metadata.labels", value, names::label_value(value));
    }
    let mut size = 0;
    for (key, value) in new["metadata"]["annotations"].as_object().into_iter().flatten() {
        push_all(&mut errors, "metadata.annotations", key, names::qualified(&key.to_lowercase()));
        size += key.len() + value.as_str().map_or(0, str::len);
    }
    if size > ANNOTATIONS_LIMIT {
        errors.push(FieldError::too_long("metadata.annotations", ANNOTATIONS_LIMIT));
    }
    errors.extend(check_owners(new));
    for finalizer in object::finalizers(new) {
        push_all(&mut errors, "metadata.finalizers", finalizer, names::qualified(finalizer));
    }
    errors
}

fn check_owners(new: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let mut controller: Option<&Value> = None;
    let owners = object::owners(new);
    for owner in owners {
        for field in ["apiVersion", "kind", "name", "uid"] {
            let value = &owner[field];
            if value.as_str().is_none_or(str::is_empty) {
                let field_path = format!(
                    "metadata.ownerReferences.{}",
                    if field == "apiVersion" { "version" } else { field }
                );
                errors.push(FieldError::invalid(field_path, &json!(""), "must not be empty"));
            }
        }
        if owner["controller"] != json!(true) {
            continue;
        }
        if let Some(first) = controller {
            let text = |owner: &Value, field: &str| owner[field].as_str().unwrap_or_default().to_owned();
            let why = format!(
                "Only one reference can have Controller set to true. Found \"true\" in references for {}/{} and {}/{}",
                text(first, "kind"),
                text(first, "name"),
                text(owner, "kind"),
                text(owner, "name")
            );
            errors.push(FieldError::invalid_without_value(
                "metadata.ownerReferences",
                &format!("{}: {why}", in_upstream_order(owners)),
            ));
        } else {
            controller = Some(owner);
        }
    }
    errors
}

/// Owner references print in the order of their Go struct.
fn in_upstream_order(owners: &[Value]) -> String {
    let fields = ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"];
    let one = |owner: &Value| {
        let pairs = fields.iter().filter_map(|field| Some(format!("\"{field}\":{}", owner.get(field)?)));
        format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
    };
    format!("[{}]", owners.iter().map(one).collect::<Vec<_>>().join(","))
}

/// What must not change, said twice for custom resources (upstream validates their metadata twice).
pub(super) fn check_update(kind: &Kind, old: &Value, new: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let (was, is) = (object::uid(old), object::uid(new));
    if was != is {
        errors.push(FieldError::invalid("metadata.uid", &json!(is), "field is immutable"));
    }
    let (was, is) = (object::meta(old, "deletionTimestamp"), object::meta(new, "deletionTimestamp"));
    if was != is {
        errors.push(FieldError::invalid("metadata.deletionTimestamp", &json!(is), "field is immutable"));
    }
    if object::is_terminating(old) {
        let before = object::finalizers(old);
        let added: Vec<String> =
            object::finalizers(new).iter().filter(|f| !before.contains(f)).map(|f| quote(f)).collect();
        if !added.is_empty() {
            let why = format!(
                "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                added.join(", ")
            );
            errors.push(FieldError::forbidden("metadata.finalizers", &why));
        }
    }
    if kind.custom {
        errors.extend(errors.clone());
    }
    errors.extend(check_maps_and_lists(new));
    errors
}
