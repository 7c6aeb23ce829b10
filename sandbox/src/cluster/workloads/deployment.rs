//! Deployment to ReplicaSet. Both strategies are carried out as Recreate: the old pods end first. Spaces use no other.

use super::{DEPLOYMENTS, log_lost, owned_by};
use crate::cluster::fields::{self, condition, is_deleting, items, name, namespace, set_condition, uid};
use crate::cluster::queue::Id;
use crate::cluster::world::World;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::sync::Arc;

const HASH_LABEL: &str = "pod-template-hash";
/// Letters that form no words (`k8s.io/apimachinery/pkg/util/rand`).
const SAFE: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

pub fn reconcile(world: &mut World, id: &Id) {
    let Some(deployment) = world.controllers.get("deployments", &id.namespace, &id.name) else { return };
    if is_deleting(&deployment) {
        return;
    }
    let hash = template_hash(&deployment["spec"]["template"]);
    let sets: Vec<Arc<Value>> = world
        .controllers
        .dependents(uid(&deployment))
        .into_iter()
        .filter(|(resource, set)| *resource == "replicasets" && !is_deleting(set))
        .map(|(_, set)| set)
        .collect();
    let (current, old): (Vec<_>, Vec<_>) =
        sets.into_iter().partition(|set| fields::label(set, HASH_LABEL) == hash);
    let replicas = replicas_of(&deployment);
    for set in &old {
        scale(world, &deployment, set, 0);
    }
    let busy = old.iter().any(|set| set["status"]["replicas"].as_i64().unwrap_or(0) > 0);
    let current = current.into_iter().next();
    match &current {
        Some(set) => scale(world, &deployment, set, replicas),
        // Recreate: nothing new before the old pods are gone.
        None if busy => {}
        None => create_set(world, &deployment, &hash, replicas),
    }
    write_status(world, &deployment, current.as_deref(), old.iter().map(AsRef::as_ref));
}

fn replicas_of(deployment: &Value) -> i64 {
    deployment["spec"]["replicas"].as_i64().unwrap_or(1).max(0)
}

/// Name suffix of the ReplicaSet: the same template, the same set.
fn template_hash(template: &Value) -> String {
    let digest = Sha256::digest(template.to_string());
    digest.iter().take(10).map(|byte| char::from(SAFE[usize::from(*byte) % SAFE.len()])).collect()
}

fn create_set(world: &mut World, deployment: &Value, hash: &str, replicas: i64) {
    let mut template = deployment["spec"]["template"].clone();
    fields::set_label(&mut template, HASH_LABEL, hash);
    let mut selector = deployment["spec"]["selector"].clone();
    fields::map_mut(&mut selector, "matchLabels").insert(HASH_LABEL.to_owned(), json!(hash));
    let set_name = format!("{}-{hash}", name(deployment));
    let set = json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": {
            "name": set_name, "namespace": namespace(deployment), "labels": template["metadata"]["labels"],
            "annotations": {
                "deployment.kubernetes.io/desired-replicas": replicas.to_string(),
                "deployment.kubernetes.io/max-replicas": replicas.to_string(),
                "deployment.kubernetes.io/revision": "1",
            },
            "ownerReferences": owned_by(deployment),
        },
        "spec": {"replicas": replicas, "selector": selector, "template": template},
    });
    match world.controllers.create("replicasets", namespace(deployment), set) {
        Ok(_) => {
            let message = format!("Scaled up replica set {set_name} from 0 to {replicas}");
            world.events.normal(DEPLOYMENTS, deployment, "ScalingReplicaSet", &message);
        }
        Err(failure) => {
            let message = format!("Failed to create new replica set \"{set_name}\": {}", failure.message);
            world.events.warning(DEPLOYMENTS, deployment, "ReplicaSetCreateError", &message);
        }
    }
}

fn scale(world: &mut World, deployment: &Value, set: &Value, replicas: i64) {
    let now = set["spec"]["replicas"].as_i64().unwrap_or(0);
    if now == replicas {
        return;
    }
    let patch = json!({"spec": {"replicas": replicas}});
    if world.controllers.patch("replicasets", namespace(set), name(set), patch).is_ok() {
        let way = if replicas > now { "up" } else { "down" };
        let message = format!("Scaled {way} replica set {} from {now} to {replicas}", name(set));
        world.events.normal(DEPLOYMENTS, deployment, "ScalingReplicaSet", &message);
    }
}

fn write_status<'a>(
    world: &World,
    deployment: &Value,
    current: Option<&'a Value>,
    old: impl Iterator<Item = &'a Value>,
) {
    let status = status_of(deployment, current, old);
    if status != deployment["status"] {
        let mut updated = deployment.clone();
        updated["status"] = status;
        let written = world.controllers.update_status("deployments", namespace(deployment), updated);
        log_lost("deployment status", written);
    }
}

/// The Deployment's status from its ReplicaSets'.
fn status_of<'a>(
    deployment: &Value,
    current: Option<&'a Value>,
    old: impl Iterator<Item = &'a Value>,
) -> Value {
    let count = |set: &Value, field: &str| set["status"][field].as_i64().unwrap_or(0);
    let (mut total, mut ready, mut available) = (0, 0, 0);
    for set in old.chain(current) {
        total += count(set, "replicas");
        ready += count(set, "readyReplicas");
        available += count(set, "availableReplicas");
    }
    let wanted = replicas_of(deployment);
    let updated = current.map_or(0, |set| count(set, "replicas"));
    let mut conditions = items(&deployment["status"]["conditions"]).to_vec();
    let is_available = available >= wanted;
    let (reason, message) = if is_available {
        ("MinimumReplicasAvailable", "Deployment has minimum availability.")
    } else {
        ("MinimumReplicasUnavailable", "Deployment does not have minimum availability.")
    };
    set_condition(&mut conditions, "Available", is_available, reason, message);
    set_progress(&mut conditions, current, is_available && updated == wanted);
    match current.and_then(|set| condition(set, "ReplicaFailure")).filter(|c| c["status"] == "True") {
        Some(failure) => {
            let (reason, message) = (fields::text(&failure["reason"]), fields::text(&failure["message"]));
            set_condition(&mut conditions, "ReplicaFailure", true, reason, message);
        }
        None => conditions.retain(|condition| condition["type"] != "ReplicaFailure"),
    }
    let mut status = json!({
        "observedGeneration": deployment["metadata"]["generation"], "conditions": conditions,
    });
    let unavailable = (total.max(wanted) - available).max(0);
    let counts = [
        ("replicas", total),
        ("updatedReplicas", updated),
        ("readyReplicas", ready),
        ("availableReplicas", available),
        ("unavailableReplicas", unavailable),
    ];
    for (field, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
        status[field] = json!(count);
    }
    status
}

fn set_progress(conditions: &mut Vec<Value>, current: Option<&Value>, complete: bool) {
    let Some(set) = current else { return };
    let set_name = name(set);
    let was_complete =
        conditions.iter().any(|c| c["type"] == "Progressing" && c["reason"] == "NewReplicaSetAvailable");
    let (reason, message) = if complete || was_complete {
        ("NewReplicaSetAvailable", format!("ReplicaSet \"{set_name}\" has successfully progressed."))
    } else if set["status"]["replicas"].as_i64().unwrap_or(0) > 0 {
        ("ReplicaSetUpdated", format!("ReplicaSet \"{set_name}\" is progressing."))
    } else {
        ("NewReplicaSetCreated", format!("Created new replica set \"{set_name}\""))
    };
    set_condition(conditions, "Progressing", true, reason, &message);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(ready: i64) -> Value {
        json!({
            "metadata": {"name": "workspace-lab-x"},
            "status": {"replicas": 1, "readyReplicas": ready, "availableReplicas": ready},
        })
    }

    fn available(status: &Value) -> bool {
        fields::condition_is_true(&json!({"status": status}), "Available")
    }

    #[test]
    fn a_deployment_is_available_with_its_pods() {
        let deployment = json!({"metadata": {"generation": 1}, "spec": {"replicas": 1}});
        let waiting = status_of(&deployment, Some(&set(0)), std::iter::empty());
        assert!(!available(&waiting));
        assert_eq!(waiting["unavailableReplicas"], 1);
        let running = status_of(&deployment, Some(&set(1)), std::iter::empty());
        assert!(available(&running));
        assert!(running["unavailableReplicas"].is_null());
    }

    #[test]
    fn a_refused_pod_shows_on_the_deployment_and_goes_with_its_cause() {
        let mut refused = set(0);
        refused["status"]["conditions"] = json!([{"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": "exceeded quota"}]);
        let mut deployment = json!({"metadata": {"generation": 1}, "spec": {"replicas": 1}});
        deployment["status"] = status_of(&deployment, Some(&refused), std::iter::empty());
        assert_eq!(
            condition(&deployment, "ReplicaFailure").map(|c| &c["message"]),
            Some(&json!("exceeded quota"))
        );
        let status = status_of(&deployment, Some(&set(1)), std::iter::empty());
        assert!(condition(&json!({"status": status}), "ReplicaFailure").is_none());
    }

    #[test]
    fn the_same_template_has_the_same_hash() {
        let template = json!({"spec": {"containers": [{"name": "a"}]}});
        assert_eq!(template_hash(&template), template_hash(&template.clone()));
        assert_ne!(template_hash(&template), template_hash(&json!({"spec": {}})));
    }
}
