//! Templates and access strategies.

use super::pod::amounts;
use super::space::reference;
use crate::cluster::reading::{self, at, label, list, owned, quantity, text};
use serde_json::Value;
use spaceport_shared::space::create::EnvVar;
use spaceport_shared::space::{Accelerator, ObjectRef, Sharing};
use spaceport_shared::template::{
    IdleBounds, PatternRequirement, ResourceBound, ResourceDefaults, StorageBounds, Template,
};

/// Namespace of the add-on: its templates come back when edited.
pub const SYSTEM_NAMESPACE: &str = "jupyter-k8s-system";
/// Namespace whose templates every team may use (the operator's default).
pub const SHARED_NAMESPACE: &str = "jupyter-k8s-shared";
const DEFAULT_LABEL: &str = "workspace.jupyter.org/default-template";

/// What an access strategy offers and adds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Strategy {
    /// `web-ui`, then the remote types in alphabetical order.
    pub connection_types: Vec<String>,
    /// Sum of the requests of the containers that it adds to each pod.
    pub overhead: ResourceDefaults,
}

pub fn project_strategy(object: &Value) -> Strategy {
    let mut connection_types = Vec::new();
    if !text(object, &["spec", "bearerAuthURLTemplate"]).is_empty() {
        connection_types.push("web-ui".to_owned());
    }
    let handlers = at(object, &["spec", "createConnectionHandlerMap"]).as_object();
    let mut remote: Vec<String> =
        handlers.into_iter().flat_map(|map| map.keys()).filter(|k| k.ends_with("-remote")).cloned().collect();
    remote.sort();
    connection_types.extend(remote);
    let added =
        list(object, &["spec", "deploymentModifications", "podModifications", "additionalContainers"]);
    let (mut cpu, mut memory) = (0, 0);
    for container in added {
        let one = amounts(at(container, &["resources", "requests"]));
        cpu += one.cpu_millis;
        memory += one.memory_bytes;
    }
    let overhead = ResourceDefaults {
        cpu_millis: (cpu > 0).then_some(cpu),
        memory_bytes: (memory > 0).then_some(memory),
        accelerator: None,
    };
    Strategy { connection_types, overhead }
}

/// A template as it stands; what its access strategy gives is added by `with_strategy`.
pub fn project_template(cluster: &str, object: &Value) -> Template {
    let spec = at(object, &["spec"]);
    let name = reading::name(object).to_owned();
    let namespace = reading::namespace(object).to_owned();
    Template {
        cluster: cluster.to_owned(),
        display_name: owned(spec, &["displayName"]).unwrap_or_else(|| name.clone()),
        description: owned(spec, &["description"]),
        app_type: owned(spec, &["appType"]),
        default_image: text(spec, &["defaultImage"]).to_owned(),
        allowed_images: texts(at(spec, &["allowedImages"])),
        allow_custom_images: at(spec, &["allowCustomImages"]).as_bool().unwrap_or(false),
        default_resources: defaults(at(spec, &["defaultResources", "requests"])),
        bounds: bounds(at(spec, &["resourceBounds", "resources"])),
        storage: storage(at(spec, &["primaryStorage"])),
        allow_secondary_storages: at(spec, &["allowSecondaryStorages"]).as_bool().unwrap_or(true),
        base_env: list(spec, &["baseEnv"]).iter().map(variable).collect(),
        env_requirements: list(spec, &["envRequirements"]).iter().map(|r| requirement(r, "name")).collect(),
        label_requirements: list(spec, &["labelRequirements"])
            .iter()
            .map(|r| requirement(r, "key"))
            .collect(),
        default_access_type: sharing(text(spec, &["defaultAccessType"])),
        default_ownership_type: sharing(text(spec, &["defaultOwnershipType"])),
        idle: idle(spec),
        access_strategy: reference(object, &["spec", "defaultAccessStrategy"]),
        web_access: None,
        remote_types: Vec::new(),
        overhead: ResourceDefaults::default(),
        is_default: label(object, DEFAULT_LABEL) == Some("true"),
        is_system: namespace == SYSTEM_NAMESPACE,
        resource_version: text(object, &["metadata", "resourceVersion"]).to_owned(),
        namespace,
        name,
    }
}

/// Adds what the template's access strategy offers; unknown when the strategy is not there.
#[must_use]
pub fn with_strategy(mut template: Template, strategy: Option<&Strategy>) -> Template {
    if let Some(strategy) = strategy {
        template.web_access = Some(strategy.connection_types.iter().any(|t| t == "web-ui"));
        template.remote_types =
            strategy.connection_types.iter().filter(|t| t.ends_with("-remote")).cloned().collect();
        template.overhead = strategy.overhead.clone();
    }
    template
}

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(|v| v.as_str().map(str::to_owned)).collect()
}

fn defaults(requests: &Value) -> ResourceDefaults {
    let of = |resource: &str| quantity(at(requests, &[resource]));
    let accelerator = requests.as_object().into_iter().flatten().find_map(|(name, value)| {
        let count = quantity(value)?.units();
        (Accelerator::is_accelerator(name) && count > 0)
            .then(|| Accelerator { resource: name.clone(), count })
    });
    ResourceDefaults {
        cpu_millis: of("cpu").map(|q| q.millis()),
        memory_bytes: of("memory").map(|q| q.units()),
        accelerator,
    }
}

fn bounds(resources: &Value) -> Vec<ResourceBound> {
    let show = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    resources
        .as_object()
        .into_iter()
        .flatten()
        .map(|(resource, bound)| ResourceBound {
            resource: resource.clone(),
            min: show(at(bound, &["min"])),
            max: show(at(bound, &["max"])),
        })
        .collect()
}

fn storage(primary: &Value) -> StorageBounds {
    let size = |field: &str| quantity(at(primary, &[field])).map(|q| q.units());
    StorageBounds {
        default_bytes: size("defaultSize"),
        min_bytes: size("minSize"),
        max_bytes: size("maxSize"),
        class_name: owned(primary, &["defaultStorageClassName"]),
        mount_path: owned(primary, &["defaultMountPath"]),
    }
}

fn variable(value: &Value) -> EnvVar {
    EnvVar { name: text(value, &["name"]).to_owned(), value: text(value, &["value"]).to_owned() }
}

fn requirement(value: &Value, key: &str) -> PatternRequirement {
    PatternRequirement {
        name: text(value, &[key]).to_owned(),
        required: at(value, &["required"]).as_bool().unwrap_or(false),
        pattern: owned(value, &["regex"]),
    }
}

fn sharing(word: &str) -> Sharing {
    match word {
        "" | "Public" => Sharing::Public,
        "OwnerOnly" => Sharing::OwnerOnly,
        _ => Sharing::Unknown,
    }
}

fn idle(spec: &Value) -> IdleBounds {
    let default = at(spec, &["defaultIdleShutdown"]);
    let overrides = at(spec, &["idleShutdownOverrides"]);
    let detection = at(default, &["detection"]);
    IdleBounds {
        default_enabled: at(default, &["enabled"]).as_bool(),
        default_timeout_minutes: at(default, &["idleTimeoutInMinutes"]).as_i64(),
        has_detection: detection.get("httpGet").is_some(),
        detection: detection.is_object().then(|| detection.clone()),
        may_override: overrides.is_object().then(|| at(overrides, &["allow"]).as_bool().unwrap_or(true)),
        min_timeout_minutes: at(overrides, &["minIdleTimeoutInMinutes"]).as_i64(),
        max_timeout_minutes: at(overrides, &["maxIdleTimeoutInMinutes"]).as_i64(),
    }
}

/// Namespaces whose templates a Space of `namespace` may use.
pub fn offered_in(template: &Template, namespace: &str) -> bool {
    [namespace, SYSTEM_NAMESPACE, SHARED_NAMESPACE].contains(&template.namespace.as_str())
}

/// The strategy's key in a map of strategies.
pub fn strategy_key(reference: &ObjectRef) -> (String, String) {
    (reference.namespace.clone(), reference.name.clone())
}
