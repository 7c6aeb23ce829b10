//! JSON merge patch (RFC 7396).

use serde_json::Value;

/// The target with the patch applied; `null` removes, lists are replaced.
pub fn apply(target: &Value, patch: &Value) -> Value {
    let mut merged = target.clone();
    json_patch::merge(&mut merged, patch);
    merged
}
