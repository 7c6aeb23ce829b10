//! Does a Space keep to its template? One sentence a violation, in the operator's words.

use super::idle;
use crate::cluster::fields::{self, entries, items, quantity, spelled, text};
use regex::RegexBuilder;
use serde_json::Value;

/// A pattern that compiles to more is refused; templates are written by people.
const PATTERN_BYTES: usize = 1 << 20;

/// Every violation of the template by the Space, in the order of the operator's checks.
pub(super) fn violations(space: &Value, template: &Value) -> Vec<String> {
    let name = fields::name(template);
    let (spec, rules) = (&space["spec"], &template["spec"]);
    let mut found = Vec::new();
    check_image(text(&spec["image"]), rules, name, &mut found);
    check_resources(&spec["resources"], &rules["resourceBounds"]["resources"], name, &mut found);
    check_storage(&spec["storage"]["size"], &rules["primaryStorage"], name, &mut found);
    check_volumes(spec, rules, name, &mut found);
    check_init_containers(spec, rules, name, &mut found);
    check_labels(space, items(&rules["labelRequirements"]), &mut found);
    check_env(spec, items(&rules["envRequirements"]), &mut found);
    found.extend(idle::violation(&spec["idleShutdown"], rules, name));
    found
}

/// The violations as the one message of a denial; `None` when there are none.
pub(super) fn denial(space: &Value, template: &Value) -> Option<String> {
    let found = violations(space, template);
    let wrapper = format!("workspace violates template '{}' constraints: ", fields::name(template));
    match found.as_slice() {
        [] => None,
        [one] => Some(format!("{wrapper}{one}")),
        many => Some(format!("{wrapper}{} violations: {}", many.len(), many.join("; "))),
    }
}

fn check_image(image: &str, rules: &Value, template: &str, found: &mut Vec<String>) {
    if rules["allowCustomImages"] == true || image.is_empty() {
        return;
    }
    let mut allowed: Vec<&str> = items(&rules["allowedImages"]).iter().map(text).collect();
    if allowed.is_empty() {
        allowed.push(text(&rules["defaultImage"]));
    }
    if !allowed.contains(&image) {
        let list = allowed.join(" ");
        found.push(format!(
            "Image '{image}' is not allowed by template '{template}'. Allowed images: [{list}]"
        ));
    }
}

fn check_resources(resources: &Value, bounds: &Value, template: &str, found: &mut Vec<String>) {
    for (resource, bound) in entries(bounds) {
        for (side, word) in [("requests", "request"), ("limits", "limit")] {
            let written = &resources[side][resource.as_str()];
            let Some(value) = quantity(written) else { continue };
            let shown = spelled(written);
            if quantity(&bound["min"]).is_some_and(|min| value < min) {
                let min = spelled(&bound["min"]);
                found.push(format!(
                    "{resource} {word} {shown} is below minimum {min} required by template '{template}'"
                ));
            }
            if quantity(&bound["max"]).is_some_and(|max| value > max) {
                let max = spelled(&bound["max"]);
                found.push(format!(
                    "{resource} {word} {shown} exceeds maximum {max} allowed by template '{template}'"
                ));
            }
        }
    }
    for (resource, title) in [("cpu", "CPU"), ("memory", "Memory")] {
        let (request, limit) = (&resources["requests"][resource], &resources["limits"][resource]);
        if let (Some(asked), Some(most)) = (quantity(request), quantity(limit))
            && most < asked
        {
            found.push(format!(
                "{title} limit {} must be greater than or equal to {title} request {}",
                spelled(limit),
                spelled(request)
            ));
        }
    }
}

fn check_storage(size: &Value, rules: &Value, template: &str, found: &mut Vec<String>) {
    let Some(value) = quantity(size) else { return };
    let shown = spelled(size);
    if quantity(&rules["minSize"]).is_some_and(|min| value < min) {
        let min = spelled(&rules["minSize"]);
        found.push(format!("Storage size {shown} is below minimum {min} required by template '{template}'"));
    }
    if quantity(&rules["maxSize"]).is_some_and(|max| value > max) {
        let max = spelled(&rules["maxSize"]);
        found.push(format!("Storage size {shown} exceeds maximum {max} allowed by template '{template}'"));
    }
}

fn check_volumes(spec: &Value, rules: &Value, template: &str, found: &mut Vec<String>) {
    let count = items(&spec["volumes"]).len();
    if rules["allowSecondaryStorages"] == false && count > 0 {
        found.push(format!(
            "Template '{template}' does not allow secondary storage volumes, but workspace specifies {count} volume(s)"
        ));
    }
}

fn check_init_containers(spec: &Value, rules: &Value, template: &str, found: &mut Vec<String>) {
    let own = items(&spec["initContainers"]);
    let is_default = own == items(&rules["defaultInitContainers"]);
    if !own.is_empty() && !is_default && rules["allowCustomInitContainers"] != true {
        found.push(format!(
            "Template '{template}' does not allow custom init containers (set allowCustomInitContainers: true to enable)"
        ));
    }
}

fn check_labels(space: &Value, requirements: &[Value], found: &mut Vec<String>) {
    for requirement in requirements {
        let key = text(&requirement["key"]);
        match space["metadata"]["labels"][key].as_str() {
            None if requirement["required"] == true => {
                found.push(format!("Label '{key}' is required by template"));
            }
            Some(value) if !matches_pattern(text(&requirement["regex"]), value) => {
                found.push(format!("Label '{key}' value does not match required pattern"));
            }
            _ => {}
        }
    }
}

fn check_env(spec: &Value, requirements: &[Value], found: &mut Vec<String>) {
    for requirement in requirements {
        let name = text(&requirement["name"]);
        let variable = items(&spec["env"]).iter().find(|variable| variable["name"] == name);
        match variable {
            None if requirement["required"] == true => {
                found.push(format!("Environment variable '{name}' is required by template"));
            }
            // A value from a secret cannot be seen here, so no pattern is asked of it.
            Some(variable)
                if variable["valueFrom"].is_null()
                    && !matches_pattern(text(&requirement["regex"]), text(&variable["value"])) =>
            {
                found.push(format!("Environment variable '{name}' value does not match required pattern"));
            }
            _ => {}
        }
    }
}

/// Not anchored, as Go's `MatchString`. An empty pattern asks nothing; one that does not compile is met by nothing.
fn matches_pattern(pattern: &str, value: &str) -> bool {
    pattern.is_empty()
        || RegexBuilder::new(pattern)
            .size_limit(PATTERN_BYTES)
            .build()
            .is_ok_and(|regex| regex.is_match(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(spec: Value, rules: Value) -> Vec<String> {
        let space = json!({"metadata": {"labels": {"unit": "ml-7"}}, "spec": spec});
        violations(&space, &json!({"metadata": {"name": "t"}, "spec": rules}))
    }

    #[test]
    fn each_bound_has_its_own_sentence() {
        let bounds = json!({"resourceBounds": {"resources": {"cpu": {"min": "1", "max": "4"}}}});
        let resources = |request: &str, limit: &str| json!({"resources": {"requests": {"cpu": request}, "limits": {"cpu": limit}}});
        assert_eq!(
            check(resources("500m", "2"), bounds.clone()),
            ["cpu request 500m is below minimum 1 required by template 't'"]
        );
        assert_eq!(
            check(resources("2", "8"), bounds.clone()),
            ["cpu limit 8 exceeds maximum 4 allowed by template 't'"]
        );
        assert_eq!(check(resources("8", "8"), bounds.clone()).len(), 2);
        assert_eq!(check(resources("4000m", "4"), bounds), [] as [&str; 0], "the bound itself is allowed");
    }

    #[test]
    fn accelerators_are_bounded_like_anything_else() {
        let bounds =
            json!({"resourceBounds": {"resources": {"nvidia.com/mig-1g.5gb": {"min": "0", "max": "1"}}}});
        let spec = json!({"resources": {"requests": {"nvidia.com/mig-1g.5gb": 2}}});
        assert_eq!(
            check(spec, bounds),
            ["nvidia.com/mig-1g.5gb request 2 exceeds maximum 1 allowed by template 't'"]
        );
    }

    #[test]
    fn a_limit_below_its_request_is_refused() {
        let spec = json!({"resources": {"requests": {"memory": "8Gi"}, "limits": {"memory": "4Gi"}}});
        assert_eq!(
            check(spec, json!({})),
            ["Memory limit 4Gi must be greater than or equal to Memory request 8Gi"]
        );
    }

    #[test]
    fn images_must_be_listed_unless_custom_ones_are_allowed() {
        let spec = json!({"image": "x"});
        assert_eq!(
            check(spec.clone(), json!({"defaultImage": "a", "allowedImages": ["a", "b"]})),
            ["Image 'x' is not allowed by template 't'. Allowed images: [a b]"]
        );
        assert_eq!(
            check(spec.clone(), json!({"defaultImage": "a"})).len(),
            1,
            "an empty list allows the default"
        );
        assert!(check(spec, json!({"defaultImage": "a", "allowCustomImages": true})).is_empty());
    }

    #[test]
    fn storage_volumes_and_init_containers_follow_the_template() {
        let rules =
            json!({"primaryStorage": {"minSize": "5Gi", "maxSize": "10Gi"}, "allowSecondaryStorages": false});
        let spec = json!({"storage": {"size": "20Gi"}, "volumes": [{"name": "a"}], "initContainers": [{"name": "i"}]});
        let found = check(spec, rules);
        assert_eq!(
            found,
            [
                "Storage size 20Gi exceeds maximum 10Gi allowed by template 't'",
                "Template 't' does not allow secondary storage volumes, but workspace specifies 1 volume(s)",
                "Template 't' does not allow custom init containers (set allowCustomInitContainers: true to enable)",
            ]
        );
    }

    #[test]
    fn patterns_are_not_anchored() {
        let label = |regex: &str| json!({"labelRequirements": [{"key": "unit", "regex": regex}]});
        assert!(check(json!({}), label("ml")).is_empty());
        assert_eq!(check(json!({}), label("^ml$")), ["Label 'unit' value does not match required pattern"]);
        assert_eq!(check(json!({}), label("(")), ["Label 'unit' value does not match required pattern"]);
        let missing = json!({"envRequirements": [{"name": "P", "required": true}]});
        assert_eq!(check(json!({}), missing), ["Environment variable 'P' is required by template"]);
    }

    #[test]
    fn several_violations_share_one_message() {
        let template = json!({"metadata": {"name": "t"}, "spec": {
            "defaultImage": "a", "primaryStorage": {"minSize": "5Gi"},
        }});
        let space = json!({"spec": {"image": "x", "storage": {"size": "1Gi"}}});
        let message = denial(&space, &template).unwrap_or_default();
        assert!(
            message.starts_with("workspace violates template 't' constraints: 2 violations: Image"),
            "{message}"
        );
    }

    #[test]
    fn absurd_objects_do_not_panic() {
        for spec in [json!(null), json!([]), json!({"resources": 3, "env": "x", "volumes": {"a": 1}})] {
            let _ = check(spec.clone(), spec);
        }
    }
}
