//! Defaults of pods and pod templates (core/v1 `SetDefaults_*`), and what pod admission adds.

use crate::kube::Core;
use crate::kube::failure::Failure;
use crate::kube::store::Key;
use crate::kube::verbs::Request;
use crate::kube::{kinds, refusals};
use serde_json::{Map, Value, json};

/// How long a pod stays on a node that is not ready, in seconds.
const EVICT_AFTER: i64 = 300;

fn default(fields: &mut Map<String, Value>, name: &str, value: Value) {
    if fields.get(name).is_none_or(Value::is_null) {
        fields.insert(name.to_owned(), value);
    }
}

/// Defaults of a template, which a pod shares.
pub(super) fn spec(spec: &mut Value) {
    let Some(fields) = spec.as_object_mut() else { return };
    default(fields, "restartPolicy", json!("Always"));
    default(fields, "terminationGracePeriodSeconds", json!(30));
    default(fields, "dnsPolicy", json!("ClusterFirst"));
    default(fields, "securityContext", json!({}));
    default(fields, "schedulerName", json!("default-scheduler"));
    if let Some(account) = fields.get("serviceAccountName").cloned() {
        default(fields, "serviceAccount", account);
    }
    for list in ["initContainers", "containers"] {
        each(fields.get_mut(list), container);
    }
    each(fields.get_mut("volumes"), volume);
}

fn each(list: Option<&mut Value>, change: fn(&mut Map<String, Value>)) {
    for item in list.and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(fields) = item.as_object_mut() {
            change(fields);
        }
    }
}

fn container(fields: &mut Map<String, Value>) {
    default(fields, "resources", json!({}));
    default(fields, "terminationMessagePath", json!("/dev/termination-log"));
    default(fields, "terminationMessagePolicy", json!("File"));
    let image = fields.get("image").and_then(Value::as_str).unwrap_or_default();
    let tag = image.rsplit('/').next().unwrap_or_default().split_once(':').map_or("latest", |(_, tag)| tag);
    let policy = if tag == "latest" { "Always" } else { "IfNotPresent" };
    default(fields, "imagePullPolicy", json!(policy));
    each(fields.get_mut("ports"), |port| default(port, "protocol", json!("TCP")));
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        if let Some(Value::Object(probe)) = fields.get_mut(name) {
            probe_defaults(probe);
        }
    }
    each(fields.get_mut("env"), |variable| {
        if let Some(Value::Object(field)) =
            variable.get_mut("valueFrom").and_then(|from| from.get_mut("fieldRef"))
        {
            default(field, "apiVersion", json!("v1"));
        }
    });
}

fn probe_defaults(probe: &mut Map<String, Value>) {
    for (name, value) in
        [("timeoutSeconds", 1), ("periodSeconds", 10), ("successThreshold", 1), ("failureThreshold", 3)]
    {
        default(probe, name, json!(value));
    }
    if let Some(Value::Object(get)) = probe.get_mut("httpGet") {
        default(get, "path", json!("/"));
        default(get, "scheme", json!("HTTP"));
    }
}

fn volume(fields: &mut Map<String, Value>) {
    for source in ["secret", "configMap", "projected", "downwardAPI"] {
        if let Some(Value::Object(source)) = fields.get_mut(source) {
            default(source, "defaultMode", json!(420));
        }
    }
}

/// Defaults of a pod itself.
pub(super) fn pod(pod: &mut Value) {
    if let Some(spec_of_pod) = pod.get_mut("spec") {
        spec(spec_of_pod);
    }
    if let Some(fields) = pod.get_mut("spec").and_then(Value::as_object_mut) {
        default(fields, "enableServiceLinks", json!(true));
        for list in ["initContainers", "containers"] {
            each(fields.get_mut(list), request_the_limits);
        }
    }
    let Some(status) = pod.get_mut("status") else { return };
    each(status.get_mut("conditions"), |condition| {
        for field in ["lastProbeTime", "lastTransitionTime"] {
            condition.entry(field).or_insert(Value::Null);
        }
    });
    for list in ["containerStatuses", "initContainerStatuses"] {
        each(status.get_mut(list), |status| {
            for field in ["state", "lastState"] {
                default(status, field, json!({}));
            }
        });
    }
}

/// What a container limits and does not ask for, it asks for.
fn request_the_limits(container: &mut Map<String, Value>) {
    let Some(Value::Object(resources)) = container.get_mut("resources") else { return };
    let Some(Value::Object(limits)) = resources.get("limits").cloned() else { return };
    let requests = resources.entry("requests").or_insert_with(|| json!({}));
    if let Some(requests) = requests.as_object_mut() {
        for (name, limit) in limits {
            default(requests, &name, limit);
        }
    }
}

/// What a pod is when it is new.
pub(super) fn initial_status(pod: &mut Value) {
    let class = quality_of_service(&pod["spec"]);
    pod["status"] = json!({"phase": "Pending", "qosClass": class});
}

/// Guaranteed when every container's cpu and memory requests equal its limits, BestEffort when there are none.
fn quality_of_service(spec: &Value) -> &'static str {
    let mut any = false;
    let mut guaranteed = true;
    for list in ["initContainers", "containers"] {
        for container in spec[list].as_array().into_iter().flatten() {
            let resources = &container["resources"];
            for name in ["cpu", "memory"] {
                let (request, limit) = (&resources["requests"][name], &resources["limits"][name]);
                any |= !request.is_null() || !limit.is_null();
                guaranteed &= !limit.is_null() && (request.is_null() || request == limit);
            }
        }
    }
    match (any, guaranteed) {
        (false, _) => "BestEffort",
        (true, true) => "Guaranteed",
        (true, false) => "Burstable",
    }
}

/// Service account, priority and eviction tolerations.
///
/// # Errors
/// 403 when the account or the priority class does not exist.
pub(super) fn admit(core: &Core, request: &Request<'_>, pod: &mut Value) -> Result<(), Failure> {
    let name = crate::kube::object::name(pod).to_owned();
    let forbid = |why: String| refusals::forbidden(request.kind, &name, &why);
    let Some(fields) = pod.get_mut("spec").and_then(Value::as_object_mut) else { return Ok(()) };
    default(fields, "serviceAccountName", json!("default"));
    let account = fields["serviceAccountName"].as_str().unwrap_or_default().to_owned();
    fields.insert("serviceAccount".to_owned(), json!(account));
    let accounts = kinds::by_plural("serviceaccounts").expect("service accounts are always served");
    if core.store.get(accounts, &Key::new(request.namespace, &account)).is_none() {
        let namespace = request.namespace;
        return Err(forbid(format!(
            "error looking up service account {namespace}/{account}: serviceaccount \"{account}\" not found"
        )));
    }
    let (class, priority, preemption) = priority(core, fields.get("priorityClassName")).map_err(forbid)?;
    if let Some(class) = class {
        fields.insert("priorityClassName".to_owned(), json!(class));
    }
    fields.insert("priority".to_owned(), json!(priority));
    default(fields, "preemptionPolicy", json!(preemption));
    tolerate(fields);
    Ok(())
}

/// Class, value and preemption policy of a pod.
fn priority(core: &Core, named: Option<&Value>) -> Result<(Option<String>, i64, String), String> {
    let classes = kinds::by_plural("priorityclasses").expect("priority classes are always served");
    let found = match named.and_then(Value::as_str).filter(|name| !name.is_empty()) {
        Some("system-node-critical") => return Ok((None, 2_000_001_000, "PreemptLowerPriority".to_owned())),
        Some("system-cluster-critical") => {
            return Ok((None, 2_000_000_000, "PreemptLowerPriority".to_owned()));
        }
        Some(name) => Some(
            core.store
                .get(classes, &Key::new("", name))
                .ok_or_else(|| format!("no PriorityClass with name {name} was found"))?,
        ),
        None => {
            core.store.list(classes, None).into_iter().find(|class| class["globalDefault"] == json!(true))
        }
    };
    let Some(class) = found else { return Ok((None, 0, "PreemptLowerPriority".to_owned())) };
    let policy = class["preemptionPolicy"].as_str().unwrap_or("PreemptLowerPriority").to_owned();
    let name = crate::kube::object::name(&class).to_owned();
    Ok((Some(name), class["value"].as_i64().unwrap_or(0), policy))
}

fn tolerate(spec: &mut Map<String, Value>) {
    let list = spec.entry("tolerations").or_insert_with(|| json!([]));
    let Some(list) = list.as_array_mut() else { return };
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        let covered = list.iter().any(|toleration| {
            let same = toleration["key"] == json!(key) || toleration["key"].is_null();
            same && matches!(toleration["effect"].as_str(), None | Some("" | "NoExecute"))
        });
        if !covered {
            list.push(json!({
                "key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": EVICT_AFTER,
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quality_of_service_follows_requests_and_limits() {
        let spec = |resources: Value| json!({"containers": [{"resources": resources}]});
        assert_eq!(quality_of_service(&spec(json!({}))), "BestEffort");
        assert_eq!(quality_of_service(&spec(json!({"requests": {"cpu": "1"}}))), "Burstable");
        let both = json!({"cpu": "1", "memory": "1Gi"});
        assert_eq!(quality_of_service(&spec(json!({"requests": both, "limits": both}))), "Guaranteed");
    }

    #[test]
    fn an_image_without_a_tag_is_always_pulled() {
        let mut pod = json!({"spec": {"containers": [{"image": "host:5000/a"}, {"image": "host:5000/a:1"}]}});
        super::pod(&mut pod);
        assert_eq!(pod["spec"]["containers"][0]["imagePullPolicy"], "Always");
        assert_eq!(pod["spec"]["containers"][1]["imagePullPolicy"], "IfNotPresent");
    }
}
