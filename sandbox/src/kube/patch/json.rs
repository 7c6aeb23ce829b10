//! JSON patch (RFC 6902), with the refusals that the API server words itself.

use crate::kube::failure::Failure;
use crate::kube::refusals;
use crate::kube::verbs::Request;
use serde_json::Value;

/// One operation of a patch, decoded.
pub type Step = json_patch::PatchOperation;

/// The server refuses longer patches (`MaxJSONPatchOperations`).
pub const MOST_STEPS: usize = 10_000;

/// Applies the steps in order, all or nothing.
///
/// # Errors
/// 422 when a step does not fit the object.
pub fn apply(request: &Request<'_>, target: &Value, steps: &[Step]) -> Result<Value, Failure> {
    let mut patched = target.clone();
    json_patch::patch(&mut patched, steps).map_err(|error| {
        let mut details = refusals::details(request.name, request.kind.group, request.kind.plural);
        details["causes"] = serde_json::json!([]);
        let _ = details.as_object_mut().map(|details| details.remove("causes"));
        Failure::new(422, "Invalid", error.to_string()).with_details(details)
    })?;
    Ok(patched)
}
