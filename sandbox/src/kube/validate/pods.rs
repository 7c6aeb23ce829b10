//! Rules of pods and pod templates (core/v1 validation), the part that clients meet.

use crate::kube::refusals::FieldError;
use serde_json::{Value, json};
use spaceport_shared::quantity::Quantity;
use std::cmp::Ordering;

/// Fields of a pod's spec that may change after it was made.
const CHANGEABLE: &[&str] =
    &["activeDeadlineSeconds", "tolerations", "terminationGracePeriodSeconds", "schedulingGates"];

pub(super) fn check_spec(spec: &Value, path: &str) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let containers = spec["containers"].as_array().map_or(&[][..], Vec::as_slice);
    if containers.is_empty() {
        errors.push(FieldError::required(format!("{path}.containers"), ""));
    }
    check_containers(containers, &format!("{path}.containers"), &mut errors);
    let init = spec["initContainers"].as_array().map_or(&[][..], Vec::as_slice);
    check_containers(init, &format!("{path}.initContainers"), &mut errors);
    one_of(spec, path, "restartPolicy", &["Always", "OnFailure", "Never"], &mut errors);
    one_of(
        spec,
        path,
        "dnsPolicy",
        &["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"],
        &mut errors,
    );
    check_volume_names(spec, containers, path, &mut errors);
    errors
}

fn one_of(object: &Value, path: &str, field: &str, supported: &[&str], errors: &mut Vec<FieldError>) {
    if let Some(value) = object.get(field).filter(|value| !value.is_null())
        && !value.as_str().is_some_and(|text| supported.contains(&text))
    {
        errors.push(FieldError::unsupported(format!("{path}.{field}"), value, supported));
    }
}

fn check_containers(containers: &[Value], path: &str, errors: &mut Vec<FieldError>) {
    let mut names: Vec<&str> = Vec::new();
    for (at, container) in containers.iter().enumerate() {
        let path = format!("{path}[{at}]");
        let name = container["name"].as_str().unwrap_or_default();
        if name.is_empty() {
            errors.push(FieldError::required(format!("{path}.name"), ""));
        } else {
            let why = super::names::label(name);
            errors
                .extend(why.iter().map(|why| FieldError::invalid(format!("{path}.name"), &json!(name), why)));
            if names.contains(&name) {
                errors.push(FieldError::duplicate(format!("{path}.name"), &json!(name)));
            }
            names.push(name);
        }
        if container["image"].as_str().is_none_or(str::is_empty) && path.starts_with("spec.containers") {
            errors.push(FieldError::required(format!("{path}.image"), ""));
        }
        one_of(container, &path, "imagePullPolicy", &["Always", "IfNotPresent", "Never"], errors);
        check_resources(&container["resources"], &format!("{path}.resources"), errors);
    }
}

fn is_extended(name: &str) -> bool {
    name.contains('/') && !name.starts_with("kubernetes.io/")
}

fn check_resources(resources: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let limits = &resources["limits"];
    for list in ["limits", "requests"] {
        for (name, value) in resources[list].as_object().into_iter().flatten() {
            let Some(amount) = amount(value) else { continue };
            let field = format!("{path}.{list}[{name}]");
            if amount.is_negative() {
                errors.push(FieldError::invalid(field, &text(value), "must be greater than or equal to 0"));
            } else if is_extended(name) && !amount.is_whole() {
                errors.push(FieldError::invalid(field, &text(value), "must be an integer"));
            }
        }
    }
    for (name, request) in resources["requests"].as_object().into_iter().flatten() {
        let Some(asked) = amount(request) else { continue };
        match amount(&limits[name]) {
            Some(limit) if is_extended(name) && asked.compare(limit) != Ordering::Equal => {
                let why = format!("must be equal to {name} limit of {}", text_of(&limits[name]));
                errors.push(FieldError::invalid(format!("{path}.requests"), &text(request), &why));
            }
            Some(limit) if asked.compare(limit) == Ordering::Greater => {
                let why = format!("must be less than or equal to {name} limit of {}", text_of(&limits[name]));
                errors.push(FieldError::invalid(format!("{path}.requests"), &text(request), &why));
            }
            None if is_extended(name) => {
                errors.push(FieldError::required(
                    format!("{path}.limits"),
                    "Limit must be set for non overcommitable resources",
                ));
            }
            _ => {}
        }
    }
}

fn amount(value: &Value) -> Option<Quantity> {
    Quantity::parse(&text_of(value)).ok()
}

fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn text(value: &Value) -> Value {
    json!(text_of(value))
}

fn check_volume_names(spec: &Value, containers: &[Value], path: &str, errors: &mut Vec<FieldError>) {
    let known: Vec<&str> = spec["volumes"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|volume| volume["name"].as_str())
        .collect();
    for (at, container) in containers.iter().enumerate() {
        for (place, mount) in container["volumeMounts"].as_array().into_iter().flatten().enumerate() {
            let name = mount["name"].as_str().unwrap_or_default();
            if !known.contains(&name) {
                let field = format!("{path}.containers[{at}].volumeMounts[{place}].name");
                errors.push(FieldError::not_found(field, &json!(name)));
            }
        }
    }
}

/// A pod is what it was made to be, but for images and a few fields.
pub(super) fn check_update(old: &Value, new: &Value) -> Vec<FieldError> {
    let count = |pod: &Value, list: &str| pod["spec"][list].as_array().map_or(0, Vec::len);
    for list in ["containers", "initContainers"] {
        if count(old, list) != count(new, list) {
            let why = "pod updates may not add or remove containers";
            return vec![FieldError::forbidden(format!("spec.{list}"), why)];
        }
    }
    if fixed(old) == fixed(new) {
        return Vec::new();
    }
    let why = "pod updates may not change fields other than `spec.containers[*].image`,\
               `spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to \
               existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously \
               negative)";
    vec![FieldError::forbidden("spec", why)]
}

/// What must stay. A pod that is not placed yet may be placed once (the binding of the scheduler).
fn fixed(pod: &Value) -> Value {
    let mut spec = pod["spec"].clone();
    if let Some(fields) = spec.as_object_mut() {
        for name in CHANGEABLE {
            fields.remove(*name);
        }
    }
    for list in ["containers", "initContainers"] {
        for container in spec[list].as_array_mut().into_iter().flatten() {
            container["image"] = Value::Null;
        }
        if spec[list].is_null()
            && let Some(fields) = spec.as_object_mut()
        {
            fields.remove(list);
        }
    }
    spec
}

/// The scheduler's write: it sets the node of a pod that has none.
pub(super) fn is_binding(old: &Value, new: &Value) -> bool {
    let unplaced = old["spec"]["nodeName"].as_str().is_none_or(str::is_empty);
    let mut placed = old.clone();
    placed["spec"]["nodeName"] = new["spec"]["nodeName"].clone();
    unplaced && fixed(&placed) == fixed(new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(resources: Value) -> Vec<FieldError> {
        check_spec(&json!({"containers": [{"name": "m", "image": "i", "resources": resources}]}), "spec")
    }

    #[test]
    fn a_request_stays_below_its_limit() {
        let errors = with(json!({"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}));
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].message, "Invalid value: \"2\": must be less than or equal to cpu limit of 1");
        assert!(with(json!({"requests": {"cpu": "500m"}, "limits": {"cpu": "0.5"}})).is_empty());
    }

    #[test]
    fn devices_are_whole_and_not_overcommitted() {
        assert_eq!(with(json!({"requests": {"nvidia.com/gpu": "1"}})).len(), 1);
        let half = json!({"requests": {"nvidia.com/gpu": "500m"}, "limits": {"nvidia.com/gpu": "500m"}});
        assert_eq!(with(half).len(), 2);
    }

    #[test]
    fn only_the_image_of_a_pod_may_change() {
        let pod = |image: &str, policy: &str| json!({"spec": {"restartPolicy": policy, "containers": [{"name": "m", "image": image}]}});
        assert!(check_update(&pod("1", "Always"), &pod("2", "Always")).is_empty());
        assert_eq!(check_update(&pod("1", "Always"), &pod("1", "Never")).len(), 1);
    }
}
