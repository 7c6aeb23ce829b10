//! Rules of the other built-in kinds that clients meet.

use super::pods;
use crate::kube::object;
use crate::kube::refusals::FieldError;
use serde_json::{Value, json};
use spaceport_shared::quantity::Quantity;
use std::cmp::Ordering;

/// User-defined priorities end here (scheduling.k8s.io).
const HIGHEST_PRIORITY: i64 = 1_000_000_000;

pub(super) fn check(plural: &str, old: Option<&Value>, new: &Value) -> Vec<FieldError> {
    match plural {
        "pods" => match old {
            None => pods::check_spec(&new["spec"], "spec"),
            Some(old) if pods::is_binding(old, new) => Vec::new(),
            Some(old) => pods::check_update(old, new),
        },
        "deployments" | "replicasets" | "statefulsets" | "daemonsets" => workload(old, new),
        "secrets" => secret(old, new),
        "persistentvolumeclaims" => claim(old, new),
        "priorityclasses" => priority_class(old, new),
        "resourcequotas" => quota(new),
        "services" => service(new),
        "rolebindings" | "clusterrolebindings" => binding(old, new),
        _ => Vec::new(),
    }
}

fn workload(old: Option<&Value>, new: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let spec = &new["spec"];
    if spec["replicas"].as_i64().is_some_and(|replicas| replicas < 0) {
        errors.push(FieldError::invalid(
            "spec.replicas",
            &spec["replicas"],
            "must be greater than or equal to 0",
        ));
    }
    let wanted = spec["selector"]["matchLabels"].as_object();
    let expressions = spec["selector"]["matchExpressions"].as_array().is_some_and(|list| !list.is_empty());
    let labels = &spec["template"]["metadata"]["labels"];
    match wanted {
        None if !expressions => errors.push(FieldError::required("spec.selector", "")),
        _ => {
            let fits = wanted.into_iter().flatten().all(|(key, value)| labels.get(key) == Some(value));
            if !fits {
                let why = "`selector` does not match template `labels`";
                errors.push(FieldError::invalid("spec.template.metadata.labels", labels, why));
            }
        }
    }
    errors.extend(pods::check_spec(&spec["template"]["spec"], "spec.template.spec"));
    if let Some(old) = old
        && old["spec"]["selector"] != spec["selector"]
    {
        errors.push(FieldError::invalid("spec.selector", &spec["selector"], "field is immutable"));
    }
    errors
}

fn secret(old: Option<&Value>, new: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if let Some(old) = old
        && old["type"] != new["type"]
    {
        errors.push(FieldError::invalid("type", &new["type"], "field is immutable"));
    }
    if new["type"] == json!("kubernetes.io/tls") {
        for key in ["tls.crt", "tls.key"] {
            if new["data"].get(key).is_none() {
                errors.push(FieldError::required(format!("data[{key}]"), ""));
            }
        }
    }
    errors
}

fn amount(value: &Value) -> Option<Quantity> {
    Quantity::parse(value.as_str()?).ok()
}

fn claim(old: Option<&Value>, new: &Value) -> Vec<FieldError> {
    let spec = &new["spec"];
    let mut errors = Vec::new();
    if spec["accessModes"].as_array().is_none_or(Vec::is_empty) {
        errors.push(FieldError::required("spec.accessModes", "at least 1 access mode is required"));
    }
    let size = &spec["resources"]["requests"]["storage"];
    if size.is_null() {
        errors.push(FieldError::required("spec.resources[storage]", ""));
    } else if amount(size).is_some_and(|size| size.compare(Quantity::ZERO) != Ordering::Greater) {
        errors.push(FieldError::invalid("spec.resources[storage]", size, "must be greater than zero"));
    }
    let Some(old) = old else { return errors };
    if let (Some(was), Some(is)) = (amount(&old["spec"]["resources"]["requests"]["storage"]), amount(size))
        && is.compare(was) == Ordering::Less
    {
        let why = "field can not be less than status.capacity";
        errors.push(FieldError::forbidden("spec.resources.requests.storage", why));
    }
    let fixed = |claim: &Value| {
        let mut spec = claim["spec"].clone();
        spec["resources"] = Value::Null;
        // A volume is bound once.
        if old["spec"]["volumeName"].is_null() {
            spec["volumeName"] = Value::Null;
        }
        spec
    };
    let bound = old["status"]["phase"] == json!("Bound");
    let resized = old["spec"]["resources"] != spec["resources"];
    if fixed(old) != fixed(new) || (resized && !bound) {
        let why = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound \
                   claims";
        errors.push(FieldError::forbidden("spec", why));
    }
    errors
}

fn priority_class(old: Option<&Value>, new: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let name = object::name(new);
    if name.starts_with("system-") && !matches!(name, "system-node-critical" | "system-cluster-critical") {
        let why = format!(
            "priority class names with 'system-' prefix are reserved for system use only. error: {name} is not a known \
             system priority class"
        );
        errors.push(FieldError::forbidden("metadata.name", &why));
    } else if !name.starts_with("system-")
        && new["value"].as_i64().is_some_and(|value| value > HIGHEST_PRIORITY)
    {
        let why = format!("maximum allowed value of a user defined priority is {HIGHEST_PRIORITY}");
        errors.push(FieldError::forbidden("value", &why));
    }
    for field in ["value", "preemptionPolicy"] {
        if old.is_some_and(|old| old[field] != new[field]) {
            errors.push(FieldError::forbidden(field, "may not be changed in an update."));
        }
    }
    errors
}

fn quota(new: &Value) -> Vec<FieldError> {
    let hard = new["spec"]["hard"].as_object().into_iter().flatten();
    let negative = hard.filter(|(_, value)| amount(value).is_some_and(Quantity::is_negative));
    negative
        .map(|(name, value)| {
            FieldError::invalid(format!("spec.hard[{name}]"), value, "must be greater than or equal to 0")
        })
        .collect()
}

fn service(new: &Value) -> Vec<FieldError> {
    let spec = &new["spec"];
    let ports = spec["ports"].as_array().map_or(&[][..], Vec::as_slice);
    let mut errors = Vec::new();
    let headless = spec["clusterIP"] == json!("None");
    if ports.is_empty() && !headless && spec["type"] != json!("ExternalName") {
        errors.push(FieldError::required("spec.ports", ""));
    }
    for (at, port) in ports.iter().enumerate() {
        if !port["port"].as_i64().is_some_and(|port| (1..=65535).contains(&port)) {
            let why = "must be between 1 and 65535, inclusive";
            errors.push(FieldError::invalid(format!("spec.ports[{at}].port"), &port["port"], why));
        }
        if ports.len() > 1 && port["name"].as_str().is_none_or(str::is_empty) {
            errors.push(FieldError::required(format!("spec.ports[{at}].name"), ""));
        }
    }
    errors
}

fn binding(old: Option<&Value>, new: &Value) -> Vec<FieldError> {
    match old {
        Some(old) if old["roleRef"] != new["roleRef"] => {
            vec![FieldError::invalid("roleRef", &new["roleRef"], "cannot change roleRef")]
        }
        _ => Vec::new(),
    }
}
