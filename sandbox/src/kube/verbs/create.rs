//! Create: name, server-owned fields, admission, validation, commit.

use super::{Request, Written, admit};
use crate::kube::Core;
use crate::kube::failure::Failure;
use crate::kube::hooks::Operation;
use crate::kube::store::{Key, Stale};
use crate::kube::{controllers, defaults, managed, object, quota, refusals, validate};
use serde_json::Value;
use std::sync::Arc;

/// Letters of a generated suffix: no vowels, so that no word comes out by accident (apimachinery `rand`).
const SUFFIX_LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_LENGTH: usize = 5;
const NAME_LENGTH: usize = 253;
const LABEL_LENGTH: usize = 63;

/// Stores a new object.
///
/// # Errors
/// 404 for its namespace, 403 from admission, 422 when invalid, 409 when the name is taken.
pub fn create(core: &Core, request: &Request<'_>, mut new: Value) -> Result<Written, Failure> {
    let mut warnings = Vec::new();
    own_namespace(request, &mut new)?;
    fill_system_fields(request, &mut new);
    let supplied_version = object::meta(&new, "resourceVersion").to_owned();
    object::meta_mut(&mut new).remove("resourceVersion");
    defaults::apply(request.kind, &mut new);
    // What admission adds belongs to nobody.
    managed::track_create(request, &mut new);
    admit::mutate(core, request, Operation::Create, None, &mut new, &mut warnings)?;
    defaults::apply(request.kind, &mut new);
    defaults::prepare_create(request.kind, &mut new);
    warnings.extend(validate::warnings(request.kind, &new));
    let name = object::name(&new).to_owned();
    let errors = validate::create(request.kind, &new);
    if !errors.is_empty() {
        return Err(refusals::invalid(request.kind, &name, &errors));
    }
    admit::validate(core, request, Operation::Create, None, &new, &mut warnings)?;
    if !supplied_version.is_empty() && supplied_version != "0" {
        return Err(Failure::new(500, "", "resourceVersion should not be set on objects to be created"));
    }
    let object = store(core, request, new)?;
    if !request.dry_run {
        controllers::after_create(core, request.kind, &object);
    }
    Ok(Written { object, warnings })
}

fn own_namespace(request: &Request<'_>, new: &mut Value) -> Result<(), Failure> {
    if !request.kind.namespaced {
        object::meta_mut(new).remove("namespace");
        return Ok(());
    }
    let given = object::namespace(new);
    if !given.is_empty() && given != request.namespace {
        return Err(refusals::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    object::set_meta(new, "namespace", request.namespace);
    Ok(())
}

fn fill_system_fields(request: &Request<'_>, new: &mut Value) {
    for field in ["deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "generation"] {
        object::meta_mut(new).remove(field);
    }
    object::set_meta(new, "uid", uuid::Uuid::new_v4().to_string());
    object::set_meta(new, "creationTimestamp", object::now());
    if request.kind.generation {
        object::set_meta(new, "generation", 1);
    }
    let prefix = object::meta(new, "generateName");
    if object::name(new).is_empty() && !prefix.is_empty() {
        let longest =
            if request.kind.custom || prefix.len() > LABEL_LENGTH { NAME_LENGTH } else { LABEL_LENGTH };
        let generated = generate_name(prefix, longest);
        object::set_meta(new, "name", generated);
    }
    let metadata = object::meta_mut(new);
    metadata.retain(|_, value| !value.is_null());
    for field in ["labels", "annotations", "finalizers", "ownerReferences"] {
        let empty = metadata.get(field).is_some_and(|value| {
            value.as_object().is_some_and(serde_json::Map::is_empty)
                || value.as_array().is_some_and(Vec::is_empty)
        });
        if empty {
            metadata.remove(field);
        }
    }
}

fn generate_name(prefix: &str, longest: usize) -> String {
    let kept: String = prefix.chars().take(longest - SUFFIX_LENGTH).collect();
    let random = uuid::Uuid::new_v4();
    let letters = random.as_bytes().iter().take(SUFFIX_LENGTH);
    let suffix = letters.map(|byte| char::from(SUFFIX_LETTERS[usize::from(*byte) % SUFFIX_LETTERS.len()]));
    kept + &suffix.collect::<String>()
}

fn store(core: &Core, request: &Request<'_>, new: Value) -> Result<Arc<Value>, Failure> {
    let taken = |stored: &Value| {
        let name = object::name(stored);
        let mut failure = refusals::already_exists(request.kind, name);
        if object::is_terminating(stored) {
            failure.message = format!("object is being deleted: {}", failure.message);
        }
        failure
    };
    if request.dry_run {
        return match core.store.get(request.kind, &Key::of(&new)) {
            Some(stored) => Err(taken(&stored)),
            None => Ok(Arc::new(new)),
        };
    }
    let name = object::name(&new).to_owned();
    let booked = quota::charge(request.kind, &new);
    core.store.put(request.kind, None, new).map_err(|Stale(stored)| {
        quota::give_back(core, request.namespace, &booked);
        match stored {
            Some(stored) => taken(&stored),
            None => refusals::modified(request.kind, &name),
        }
    })
}
