//! What a template fills into a Space. Only unset fields are filled; the person's own value always wins.

use crate::cluster::fields::{self, is_unset, items};
use crate::cluster::names::{LABEL_TEMPLATE, LABEL_TEMPLATE_NAMESPACE};
use serde_json::{Value, json};

/// Field of the template and the field of the Space it fills, as whole values: `defaultResources` is not merged key by
/// key.
const WHOLE_VALUES: [(&str, &str); 16] = [
    ("defaultImage", "image"),
    ("defaultOwnershipType", "ownershipType"),
    ("defaultAccessType", "accessType"),
    ("defaultResources", "resources"),
    ("defaultContainerConfig", "containerConfig"),
    ("defaultNodeSelector", "nodeSelector"),
    ("defaultAffinity", "affinity"),
    ("defaultTolerations", "tolerations"),
    ("defaultLifecycle", "lifecycle"),
    ("defaultReadinessProbe", "readinessProbe"),
    ("defaultAccessStrategy", "accessStrategy"),
    ("defaultIdleShutdown", "idleShutdown"),
    ("appType", "appType"),
    ("defaultPodSecurityContext", "podSecurityContext"),
    ("defaultContainerSecurityContext", "containerSecurityContext"),
    ("defaultInitContainers", "initContainers"),
];
/// CRD defaults of a template's `primaryStorage`.
const STORAGE_SIZE: &str = "10Gi";
const STORAGE_MOUNT: &str = "/home/jovyan";

/// Fills the Space's unset fields and adds the template's labels.
pub(super) fn fill(space: &mut Value, template: &Value) {
    let from = &template["spec"];
    for (source, target) in WHOLE_VALUES {
        if !from[source].is_null() && is_unset(&space["spec"][target]) {
            space["spec"][target] = from[source].clone();
        }
    }
    fill_storage(space, &from["primaryStorage"]);
    if !is_unset(&from["defaultVolumes"]) && is_unset(&space["spec"]["volumes"]) {
        space["spec"]["volumes"] = from["defaultVolumes"].clone();
    }
    merge_env(space, items(&from["baseEnv"]));
    label(space, template);
}

fn fill_storage(space: &mut Value, storage: &Value) {
    if !storage.is_object() {
        return;
    }
    let fallbacks = [
        ("size", "defaultSize", Some(STORAGE_SIZE)),
        ("storageClassName", "defaultStorageClassName", None),
        ("mountPath", "defaultMountPath", Some(STORAGE_MOUNT)),
    ];
    for (target, source, otherwise) in fallbacks {
        let value = match (&storage[source], otherwise) {
            (value, _) if !is_unset(value) => value.clone(),
            (_, Some(text)) => json!(text),
            (_, None) => continue,
        };
        let block = fields::nested_mut(space, "spec", "storage");
        if block.get(target).is_none_or(is_unset) {
            block.insert(target.to_owned(), value);
        }
    }
}

/// The template's variables that the Space does not define itself, after the Space's own.
fn merge_env(space: &mut Value, base: &[Value]) {
    let mut env = items(&space["spec"]["env"]).to_vec();
    for variable in base {
        if !env.iter().any(|own| own["name"] == variable["name"]) {
            env.push(variable.clone());
        }
    }
    if !env.is_empty() {
        space["spec"]["env"] = Value::Array(env);
    }
}

fn label(space: &mut Value, template: &Value) {
    fields::set_label(space, LABEL_TEMPLATE, fields::name(template));
    fields::set_label(space, LABEL_TEMPLATE_NAMESPACE, fields::namespace(template));
    for base in items(&template["spec"]["baseLabels"]) {
        let key = fields::text(&base["key"]);
        if !key.is_empty() && fields::label(space, key).is_empty() {
            fields::set_label(space, key, fields::text(&base["value"]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(spec: Value) -> Value {
        json!({"metadata": {"name": "t", "namespace": "ns"}, "spec": spec})
    }

    #[test]
    fn a_template_fills_only_what_is_unset() {
        let mut space = json!({"metadata": {}, "spec": {"image": "mine", "appType": ""}});
        fill(&mut space, &template(json!({"defaultImage": "theirs", "appType": "jupyterlab"})));
        assert_eq!(space["spec"]["image"], "mine");
        assert_eq!(space["spec"]["appType"], "jupyterlab");
        assert_eq!(space["metadata"]["labels"][LABEL_TEMPLATE], "t");
    }

    #[test]
    fn resources_are_one_block() {
        let mut space = json!({"spec": {"resources": {"requests": {"cpu": "1"}}}});
        fill(&mut space, &template(json!({"defaultResources": {"requests": {"cpu": "2", "memory": "8Gi"}}})));
        assert_eq!(space["spec"]["resources"], json!({"requests": {"cpu": "1"}}));
    }

    #[test]
    fn storage_is_filled_field_by_field() {
        let mut space = json!({"spec": {"storage": {"size": "20Gi"}}});
        fill(&mut space, &template(json!({"primaryStorage": {"defaultStorageClassName": "gp3"}})));
        assert_eq!(
            space["spec"]["storage"],
            json!({"size": "20Gi", "storageClassName": "gp3", "mountPath": "/home/jovyan"})
        );
        let mut without = json!({"spec": {}});
        fill(&mut without, &template(json!({})));
        assert!(without["spec"]["storage"].is_null(), "no storage block in the template, no volume");
    }

    #[test]
    fn the_space_wins_over_base_variables_of_the_same_name() {
        let mut space = json!({"spec": {"env": [{"name": "A", "value": "mine"}]}});
        fill(
            &mut space,
            &template(json!({"baseEnv": [{"name": "A", "value": "t"}, {"name": "B", "value": "t"}]})),
        );
        assert_eq!(
            space["spec"]["env"],
            json!([{"name": "A", "value": "mine"}, {"name": "B", "value": "t"}])
        );
    }

    #[test]
    fn base_labels_do_not_replace_own_labels() {
        let mut space = json!({"metadata": {"labels": {"cost": "mine"}}, "spec": {}});
        let labels = json!([{"key": "cost", "value": "t"}, {"key": "unit", "value": "t"}]);
        fill(&mut space, &template(json!({"baseLabels": labels})));
        assert_eq!(space["metadata"]["labels"]["cost"], "mine");
        assert_eq!(space["metadata"]["labels"]["unit"], "t");
    }
}
