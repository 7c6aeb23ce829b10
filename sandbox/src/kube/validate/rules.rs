//! The rules that CRDs state in CEL, by hand: there are few, and each has its own message.

use crate::kube::kinds::Kind;
use crate::kube::refusals::FieldError;
use serde_json::Value;

/// Kinds whose CRD has rules at all; only these say that rules were skipped.
pub(super) fn has_rules(kind: &Kind) -> bool {
    matches!(kind.plural, "workspaces" | "workspacetemplates" | "clusterqueues" | "localqueues" | "workloads")
}

/// Errors of a valid object; `old` on updates.
pub(super) fn check(kind: &Kind, old: Option<&Value>, new: &Value) -> Vec<FieldError> {
    match kind.plural {
        "workspaces" => workspace(old, new),
        "workspacetemplates" => template(new),
        "localqueues" => {
            immutable(old, new, &["spec", "clusterQueue"], "field is immutable").into_iter().collect()
        }
        "clusterqueues" => cluster_queue(new),
        _ => Vec::new(),
    }
}

/// Both states must have the field for a transition rule to apply.
fn immutable(old: Option<&Value>, new: &Value, path: &[&str], why: &str) -> Option<FieldError> {
    let read = |object: &Value| path.iter().try_fold(object.clone(), |value, part| value.get(part).cloned());
    let (was, is) = (read(old?)?, read(new)?);
    (was != is).then(|| FieldError::invalid(path.join("."), &is, why))
}

fn workspace(old: Option<&Value>, new: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    let class = ["spec", "storage", "storageClassName"];
    errors.extend(immutable(old, new, &class, "storage class name is immutable"));
    let volumes = new["spec"]["volumes"].as_array().into_iter().flatten();
    if volumes.into_iter().any(|volume| volume["name"] == "workspace-storage") {
        let why = "volume name 'workspace-storage' is reserved";
        errors.push(FieldError::invalid_without_value("spec.volumes", why));
    }
    errors
}

fn template(new: &Value) -> Vec<FieldError> {
    const PREFIX: &str = "workspace.jupyter.org/";
    let labels = new["spec"]["baseLabels"].as_array().into_iter().flatten();
    let reserved =
        labels.into_iter().any(|label| label["key"].as_str().is_some_and(|key| key.starts_with(PREFIX)));
    if !reserved {
        return Vec::new();
    }
    let why = format!("baseLabels keys must not use the reserved prefix {PREFIX}");
    vec![FieldError::invalid_without_value("spec.baseLabels", &why)]
}

fn cluster_queue(new: &Value) -> Vec<FieldError> {
    let groups = new["spec"]["resourceGroups"].as_array().into_iter().flatten();
    let uneven = |group: &Value| {
        let covered = group["coveredResources"].as_array().map_or(0, Vec::len);
        let mut flavors = group["flavors"].as_array().into_iter().flatten();
        flavors.any(|flavor| flavor["resources"].as_array().map_or(0, Vec::len) != covered)
    };
    groups
        .enumerate()
        .filter(|(_, group)| uneven(group))
        .map(|(at, _)| {
            let why = "flavors must have the same number of resources as the coveredResources";
            FieldError::invalid_without_value(format!("spec.resourceGroups[{at}]"), why)
        })
        .collect()
}
