//! Admission in its order: the server's own plug-ins, the installed hooks, quota last.

use super::Request;
use crate::kube::Core;
use crate::kube::failure::Failure;
use crate::kube::hooks::{AdmissionRequest, Operation};
use crate::kube::{defaults, lifecycle, object, quota};
use serde_json::Value;

fn describe<'r>(
    request: &'r Request<'_>,
    operation: Operation,
    old: Option<&'r Value>,
    name: &'r str,
) -> AdmissionRequest<'r> {
    AdmissionRequest {
        user: request.user,
        operation,
        resource: request.kind.plural,
        subresource: request.subresource,
        namespace: request.namespace,
        name,
        old,
        dry_run: request.dry_run,
    }
}

/// Changes a new state before it is validated.
pub(super) fn mutate(
    core: &Core,
    request: &Request<'_>,
    operation: Operation,
    old: Option<&Value>,
    new: &mut Value,
    warnings: &mut Vec<String>,
) -> Result<(), Failure> {
    if operation == Operation::Create {
        lifecycle::check_namespace(core, request)?;
        defaults::admit(core, request, new)?;
    }
    let name = object::name(new).to_owned();
    let about = describe(request, operation, old, &name);
    for plugin in core.admission() {
        warnings.extend(plugin.mutate(&about, new)?);
    }
    Ok(())
}

/// May refuse a state that is otherwise valid; on delete `new` is the stored object.
pub(super) fn validate(
    core: &Core,
    request: &Request<'_>,
    operation: Operation,
    old: Option<&Value>,
    new: &Value,
    warnings: &mut Vec<String>,
) -> Result<(), Failure> {
    let about = describe(request, operation, old, object::name(new));
    for plugin in core.admission() {
        warnings.extend(plugin.validate(&about, new)?);
    }
    quota::admit(core, &about, new)
}
