//! Patch: applies one of the patch formats to the stored object, then goes the way of an update.

use super::{Request, Written, create, update};
use crate::kube::Core;
use crate::kube::failure::Failure;
use crate::kube::managed;
use crate::kube::patch::{json, merge, strategic};
use crate::kube::refusals;
use crate::kube::scale;
use serde_json::Value;

/// A decoded patch body.
pub enum Patch {
    Merge(Value),
    /// Steps as sent.
    Json(Vec<Value>),
    Strategic(Value),
    /// Server-side apply: creates what is absent. `force` takes fields from their owners.
    Apply {
        object: Value,
        force: bool,
    },
}

/// Looks at what a patch made of an object before it goes on: the edge checks kinds and types there.
pub type Check<'a> = &'a dyn Fn(Value) -> Result<Value, Failure>;

/// Patches an object.
///
/// # Errors
/// 404, 409, 422, or a refusal of the patch itself.
pub fn patch(
    core: &Core,
    request: &Request<'_>,
    patch: &Patch,
    check: Check<'_>,
) -> Result<Written, Failure> {
    let operation = managed::Operation::Update;
    if request.subresource == "scale" {
        return scale(core, request, patch);
    }
    match patch {
        Patch::Merge(patch) => {
            update::modify(core, request, operation, |old| own(request, check(merge::apply(old, patch))?))
        }
        Patch::Json(steps) => {
            update::modify(core, request, operation, |old| own(request, check(json::apply(old, steps)?)?))
        }
        Patch::Strategic(patch) => update::modify(core, request, operation, |old| {
            own(request, check(strategic::apply(request.kind, old, patch)?)?)
        }),
        Patch::Apply { object, force } => apply(core, request, object, *force),
    }
}

/// A patch of the scale is applied to the scale, and its replicas then to the workload.
fn scale(core: &Core, request: &Request<'_>, patch: &Patch) -> Result<Written, Failure> {
    update::modify(core, request, managed::Operation::Update, |old| {
        let current = scale::of(old);
        let changed = match patch {
            Patch::Merge(patch) | Patch::Strategic(patch) => merge::apply(&current, patch),
            Patch::Json(steps) => json::apply(&current, steps)?,
            Patch::Apply { object, .. } => merge::apply(&current, object),
        };
        Ok(scale::apply(old, &changed))
    })
}

/// A patch cannot move an object; its uid is looked at by validation, not as a precondition.
fn own(request: &Request<'_>, new: Value) -> Result<Value, Failure> {
    update::check_identity(request, &new)?;
    Ok(new)
}

fn apply(core: &Core, request: &Request<'_>, applied: &Value, force: bool) -> Result<Written, Failure> {
    update::check_identity(request, applied)?;
    let absent = core.store.get(request.kind, &request.key()).is_none();
    if !absent {
        let build = |old: &Value| managed::apply(request, old, applied, force);
        return update::modify(core, request, managed::Operation::Apply, build);
    }
    if !request.subresource.is_empty() {
        return Err(refusals::not_found(request.kind, request.name));
    }
    managed::named_by(request, applied)?;
    let request = Request { api_version: request.api_version.clone(), applied: Some(applied), ..*request };
    create::create(core, &request, applied.clone())
}
