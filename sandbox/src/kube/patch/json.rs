//! JSON patch (RFC 6902), with the refusals that the API server words itself.

use crate::kube::failure::Failure;
use crate::kube::refusals::{self, FieldError, bad_request};
use crate::kube::verbs::Request;
use serde_json::{Value, json};

/// The server refuses longer patches (`MaxJSONPatchOperations`).
const MOST_STEPS: usize = 10_000;

/// Applies the steps in order, all or nothing.
///
/// # Errors
/// 400 for a step that cannot be understood, 413 for too many, 422 when one does not fit the object.
pub fn apply(request: &Request<'_>, target: &Value, steps: &[Value]) -> Result<Value, Failure> {
    if steps.len() > MOST_STEPS {
        let message =
            format!("The allowed maximum operations in a JSON patch is {MOST_STEPS}, got {}", steps.len());
        return Err(Failure::new(413, "RequestEntityTooLarge", message));
    }
    let mut patched = target.clone();
    for step in steps {
        apply_step(&mut patched, step).map_err(|problem| problem.failure(request))?;
    }
    Ok(patched)
}

enum Problem {
    Malformed(String),
    DoesNotFit(String),
}

impl Problem {
    fn failure(self, request: &Request<'_>) -> Failure {
        match self {
            Problem::Malformed(why) => bad_request(why),
            Problem::DoesNotFit(why) => {
                let mut details = refusals::details(request.name, request.kind.group, request.kind.plural);
                let _ = FieldError::forbidden("", "");
                if let Some(details) = details.as_object_mut() {
                    details.retain(|_, value| !value.is_null());
                }
                Failure::new(
                    422,
                    "Invalid",
                    format!("the server rejected our request due to an error in our request: {why}"),
                )
                .with_details(json!({}))
            }
        }
    }
}

fn apply_step(target: &mut Value, step: &Value) -> Result<(), Problem> {
    let operation: json_patch::PatchOperation =
        serde_json::from_value(step.clone()).map_err(|error| Problem::Malformed(error.to_string()))?;
    json_patch::patch(target, &[operation]).map_err(|error| Problem::DoesNotFit(error.to_string()))
}
