//! Update and the tail that patch shares with it: concurrency, server-owned fields, admission, commit.

use super::{ATTEMPTS, Request, Written, admit, read};
use crate::kube::Core;
use crate::kube::failure::Failure;
use crate::kube::hooks::Operation;
use crate::kube::refusals::FieldError;
use crate::kube::store::Stale;
use crate::kube::{controllers, defaults, managed, object, refusals, scale, validate};
use serde_json::{Value, json};
use std::sync::Arc;

/// Replaces an object (or, by its subresource, a part of it).
///
/// # Errors
/// 400 when name or namespace do not fit the path, 404, 409 when it changed since the caller read it, 403, 422.
pub fn update(core: &Core, request: &Request<'_>, new: Value) -> Result<Written, Failure> {
    check_identity(request, &new)?;
    let bound = version_of(&new)?;
    if bound.is_none() && request.kind.custom && request.manager.is_some() {
        read(core, request.kind, &request.key())?;
        let error =
            FieldError::invalid("metadata.resourceVersion", &json!(0), "must be specified for an update");
        return Err(refusals::invalid_as(request.kind.plural, request.kind.group, request.name, &[error]));
    }
    modify(core, request, managed::Operation::Update, |old| {
        check_uid(request, old, &new)?;
        Ok(if request.subresource == "scale" { scale::apply(old, &new) } else { new.clone() })
    })
}

/// A uid in the new state is a precondition.
fn check_uid(request: &Request<'_>, old: &Value, new: &Value) -> Result<(), Failure> {
    let (stored, given) = (object::uid(old), object::uid(new));
    if !given.is_empty() && given != stored {
        let kind = request.kind;
        let group = if kind.group.is_empty() { String::new() } else { format!("{}/", kind.group) };
        let place = if kind.namespaced { format!("{}/", request.namespace) } else { String::new() };
        let why = format!(
            "StorageError: invalid object, Code: 4, Key: /registry/{group}{}/{place}{}, ResourceVersion: 0, \
             AdditionalErrorMsg: Precondition failed: UID in precondition: {given}, UID in object meta: {stored}",
            kind.plural, request.name
        );
        return Err(refusals::conflict(kind, request.name, &why));
    }
    Ok(())
}

pub(super) fn check_identity(request: &Request<'_>, new: &Value) -> Result<(), Failure> {
    let name = object::name(new);
    if name.is_empty() {
        return Err(refusals::bad_request(format!(
            "the name of the object ({} based on URL) was undeterminable: name must be provided",
            request.name
        )));
    }
    if name != request.name {
        return Err(refusals::bad_request(format!(
            "the name of the object ({name}) does not match the name on the URL ({})",
            request.name
        )));
    }
    let namespace = object::namespace(new);
    if request.kind.namespaced && !namespace.is_empty() && namespace != request.namespace {
        return Err(refusals::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    Ok(())
}

/// The version a new state is bound to; `None` when it is not bound to any.
fn version_of(new: &Value) -> Result<Option<u64>, Failure> {
    match object::meta(new, "resourceVersion") {
        "" | "0" => Ok(None),
        text => text.parse().map(Some).map_err(|_| {
            Failure::new(
                500,
                "",
                format!("strconv.ParseUint: parsing {}: invalid syntax", refusals::quote(text)),
            )
        }),
    }
}

/// Runs `build` on the stored object and commits what it makes of it, again if something came in between and the
/// new state is not bound to a version.
///
/// # Errors
/// Those of `build`, and those of [`update`].
pub(super) fn modify(
    core: &Core,
    request: &Request<'_>,
    operation: managed::Operation,
    build: impl Fn(&Value) -> Result<Value, Failure>,
) -> Result<Written, Failure> {
    for _ in 0..ATTEMPTS {
        let old = read(core, request.kind, &request.key())?;
        let mut new = build(&old)?;
        let bound = check_version(request, &old, &new)?;
        let mut warnings = Vec::new();
        finish(core, request, operation, &old, &mut new, &mut warnings)?;
        if new == *old {
            return Ok(Written { object: old, warnings });
        }
        if request.dry_run {
            return Ok(Written { object: Arc::new(new), warnings });
        }
        match commit(core, request, &old, new) {
            Ok(object) => return Ok(Written { object, warnings }),
            Err(Stale(_)) if bound => return Err(refusals::modified(request.kind, request.name)),
            Err(Stale(_)) => {}
        }
    }
    Err(refusals::modified(request.kind, request.name))
}

fn check_version(request: &Request<'_>, old: &Value, new: &Value) -> Result<bool, Failure> {
    match version_of(new)? {
        Some(version) if version != object::resource_version(old) => {
            Err(refusals::modified(request.kind, request.name))
        }
        bound => Ok(bound.is_some()),
    }
}

fn finish(
    core: &Core,
    request: &Request<'_>,
    operation: managed::Operation,
    old: &Arc<Value>,
    new: &mut Value,
    warnings: &mut Vec<String>,
) -> Result<(), Failure> {
    keep_server_fields(old, new);
    defaults::apply(request.kind, new);
    defaults::prepare_update(request.kind, request.subresource, old, new);
    managed::track_update(request, operation, old, new);
    if request.kind.generation {
        object::keep_meta(new, old, "generation");
    }
    admit::mutate(core, request, Operation::Update, Some(old), new, warnings)?;
    defaults::apply(request.kind, new);
    bump_generation(request, old, new);
    warnings.extend(validate::warnings(request.kind, new));
    let errors = validate::update(request.kind, request.subresource, old, new);
    if !errors.is_empty() {
        return Err(refusals::invalid(request.kind, request.name, &errors));
    }
    if new != &**old {
        admit::validate(core, request, Operation::Update, Some(old), new, warnings)?;
    }
    Ok(())
}

/// Fields that clients may send and never change.
fn keep_server_fields(old: &Value, new: &mut Value) {
    for field in ["name", "namespace", "creationTimestamp", "resourceVersion"] {
        object::keep_meta(new, old, field);
    }
    if object::uid(new).is_empty() {
        object::keep_meta(new, old, "uid");
    }
    let metadata = object::meta_mut(new);
    metadata.remove("selfLink");
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
    for field in ["deletionTimestamp", "deletionGracePeriodSeconds"] {
        if !metadata.contains_key(field) && old["metadata"].get(field).is_some() {
            metadata.insert(field.to_owned(), old["metadata"][field].clone());
        }
    }
}

/// Everything but metadata and status counts as a change of what is asked for.
fn bump_generation(request: &Request<'_>, old: &Value, new: &mut Value) {
    if !request.kind.generation || request.subresource == "status" {
        return;
    }
    let asked = |object: &Value| {
        let mut fields = object.as_object().cloned().unwrap_or_default();
        for field in ["metadata", "apiVersion", "kind"] {
            fields.remove(field);
        }
        if request.kind.status {
            fields.remove("status");
        }
        fields
    };
    if asked(old) != asked(new) {
        let generation = old["metadata"]["generation"].as_i64().unwrap_or(0) + 1;
        object::set_meta(new, "generation", generation);
    }
}

/// Stores the new state; an object that was only held by its last finalizer goes away instead.
fn commit(core: &Core, request: &Request<'_>, old: &Arc<Value>, new: Value) -> Result<Arc<Value>, Stale> {
    if object::is_terminating(&new) && object::finalizers(&new).is_empty() && grace_is_over(&new) {
        let gone = core.store.remove(request.kind, old, Value::clone(old))?;
        controllers::after_delete(core, request.kind, &gone);
        return Ok(Arc::new(new));
    }
    let object = core.store.put(request.kind, Some(old), new)?;
    controllers::after_update(core, request.kind, old, &object);
    Ok(object)
}

fn grace_is_over(object: &Value) -> bool {
    object["metadata"]["deletionGracePeriodSeconds"].as_i64().unwrap_or(0) == 0
}
