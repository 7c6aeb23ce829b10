//! Admission of templates themselves.

use crate::cluster::fields::{entries, items, quantity, text};
use serde_json::Value;

/// What the client is told when constraints of a template in use change.
pub(super) const CHANGED: &str = "Template constraints changed. Affected workspaces will be marked for compliance \
                                  validation by the controller.";
/// Fields that constrain Spaces; the others are defaults.
const CONSTRAINTS: [&str; 10] = [
    "allowedImages",
    "allowCustomImages",
    "resourceBounds",
    "primaryStorage",
    "allowSecondaryStorages",
    "envRequirements",
    "labelRequirements",
    "idleShutdownOverrides",
    "allowCustomInitContainers",
    "defaultIdleShutdown",
];

pub(super) fn constraints_changed(old: &Value, new: &Value) -> bool {
    CONSTRAINTS.iter().any(|field| old["spec"][field] != new["spec"][field])
}

/// Is the template consistent in itself?
pub(super) fn check(template: &Value) -> Result<(), String> {
    let spec = &template["spec"];
    check_default_image(spec)?;
    check_ranges(spec)?;
    check_idle(spec)
}

fn check_default_image(spec: &Value) -> Result<(), String> {
    let (allowed, image) = (items(&spec["allowedImages"]), text(&spec["defaultImage"]));
    if spec["allowCustomImages"] == true || allowed.is_empty() || allowed.iter().any(|a| a == image) {
        return Ok(());
    }
    Err(format!("defaultImage '{image}' must be in allowedImages"))
}

fn check_ranges(spec: &Value) -> Result<(), String> {
    let ranges = entries(&spec["resourceBounds"]["resources"])
        .map(|(resource, bound)| (format!("resourceBounds for {resource}"), &bound["min"], &bound["max"]));
    let storage = &spec["primaryStorage"];
    let storage = ("primaryStorage".to_owned(), &storage["minSize"], &storage["maxSize"]);
    for (what, min, max) in ranges.chain([storage]) {
        if let (Some(least), Some(most)) = (quantity(min), quantity(max))
            && least > most
        {
            return Err(format!("{what}: minimum {} exceeds maximum {}", text(min), text(max)));
        }
    }
    Ok(())
}

fn check_idle(spec: &Value) -> Result<(), String> {
    let (overrides, default) = (&spec["idleShutdownOverrides"], &spec["defaultIdleShutdown"]);
    let min = overrides["minIdleTimeoutInMinutes"].as_i64();
    let max = overrides["maxIdleTimeoutInMinutes"].as_i64();
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        return Err(format!(
            "idleShutdownOverrides: minIdleTimeoutInMinutes {min} exceeds maxIdleTimeoutInMinutes {max}"
        ));
    }
    if overrides["allow"] == false && !default.is_object() {
        return Err("idleShutdownOverrides.allow is false but defaultIdleShutdown is not set".to_owned());
    }
    let timeout = default["idleTimeoutInMinutes"].as_i64();
    match timeout.filter(|t| min.is_some_and(|min| *t < min) || max.is_some_and(|max| *t > max)) {
        Some(timeout) => Err(format!(
            "defaultIdleShutdown.idleTimeoutInMinutes {timeout} is outside the bounds of idleShutdownOverrides"
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check_spec(spec: Value) -> Result<(), String> {
        check(&json!({"spec": spec}))
    }

    #[test]
    fn the_default_image_must_be_allowed_by_its_own_list() {
        assert!(check_spec(json!({"defaultImage": "a", "allowedImages": ["b"]})).is_err());
        assert!(
            check_spec(json!({"defaultImage": "a", "allowedImages": ["b"], "allowCustomImages": true}))
                .is_ok()
        );
        assert!(check_spec(json!({"defaultImage": "a"})).is_ok());
    }

    #[test]
    fn no_minimum_may_exceed_its_maximum() {
        let bounds = json!({"resourceBounds": {"resources": {"memory": {"min": "8Gi", "max": "4Gi"}}}});
        assert_eq!(
            check_spec(bounds),
            Err("resourceBounds for memory: minimum 8Gi exceeds maximum 4Gi".to_owned())
        );
        assert!(check_spec(json!({"primaryStorage": {"minSize": "2Gi", "maxSize": "1Gi"}})).is_err());
    }

    #[test]
    fn a_locked_idle_policy_needs_a_default_within_its_bounds() {
        assert!(check_spec(json!({"idleShutdownOverrides": {"allow": false}})).is_err());
        let spec = |minutes: i64| {
            json!({
                "idleShutdownOverrides": {"allow": false, "minIdleTimeoutInMinutes": 10, "maxIdleTimeoutInMinutes": 60},
                "defaultIdleShutdown": {"enabled": true, "idleTimeoutInMinutes": minutes},
            })
        };
        assert!(check_spec(spec(30)).is_ok());
        assert!(check_spec(spec(90)).is_err());
    }

    #[test]
    fn only_constraints_warn() {
        let old = json!({"spec": {"allowedImages": ["a"], "description": "x"}});
        assert!(constraints_changed(&old, &json!({"spec": {"allowedImages": ["a", "b"]}})));
        assert!(!constraints_changed(&old, &json!({"spec": {"allowedImages": ["a"], "description": "y"}})));
    }
}
