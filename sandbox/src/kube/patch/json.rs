//! JSON patch (RFC 6902), with the refusals that the API server words itself.

use crate::kube::failure::Failure;
use serde_json::{Value, json};

/// The server refuses longer patches (`MaxJSONPatchOperations`).
const MOST_STEPS: usize = 10_000;

/// Applies the steps in order, all or nothing.
///
/// # Errors
/// 413 for too many steps, 422 when one cannot be understood or does not fit the object.
pub fn apply(target: &Value, steps: &[Value]) -> Result<Value, Failure> {
    if steps.len() > MOST_STEPS {
        let message =
            format!("The allowed maximum operations in a JSON patch is {MOST_STEPS}, got {}", steps.len());
        return Err(Failure::new(413, "RequestEntityTooLarge", message));
    }
    let mut patched = target.clone();
    for step in steps {
        let step: json_patch::PatchOperation =
            serde_json::from_value(step.clone()).map_err(|_| does_not_fit())?;
        json_patch::patch(&mut patched, &[step]).map_err(|_| does_not_fit())?;
    }
    Ok(patched)
}

/// Upstream does not say which step, or why.
fn does_not_fit() -> Failure {
    Failure::new(422, "Invalid", "the server rejected our request due to an error in our request")
        .with_details(json!({}))
}
