//! ReplicaSet to pods, and what becomes of a pod that is refused.

use super::{REPLICA_SETS, log_lost, owned_by};
use crate::cluster::fields::{self, is_deleting, items, name, namespace, text, uid};
use crate::cluster::queue::{Id, Key};
use crate::cluster::world::World;
use crate::kube::DeleteOptions;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// A refused pod is tried again after this, doubled each time.
const RETRY: Duration = Duration::from_secs(5);
const LONGEST_RETRY: Duration = Duration::from_secs(300);

/// A set whose pods are refused.
pub struct Refused {
    attempts: u32,
    /// Not tried again before, unless a quota or an account changes.
    not_before: Instant,
}

/// What refused pods may have changed: every refused set tries again now.
pub fn retry_refused(world: &mut World) {
    for (id, refused) in &mut world.refused {
        refused.not_before = Instant::now();
        world.queue.push(Key::ReplicaSet(id.clone()));
    }
}

pub fn reconcile(world: &mut World, id: &Id) {
    let Some(set) = world.controllers.get("replicasets", &id.namespace, &id.name) else { return };
    if is_deleting(&set) {
        return;
    }
    let pods: Vec<Arc<Value>> = world
        .controllers
        .dependents(uid(&set))
        .into_iter()
        .filter(|(resource, _)| *resource == "pods")
        .map(|(_, pod)| pod)
        .collect();
    let active = pods.iter().filter(|pod| is_active(pod)).count();
    let wanted = usize::try_from(set["spec"]["replicas"].as_i64().unwrap_or(1)).unwrap_or(0);
    let refusal = if active < wanted { create_pods(world, id, &set, wanted - active) } else { Ok(()) };
    if refusal.is_ok() {
        world.refused.remove(id);
    }
    for pod in pods.iter().filter(|pod| is_active(pod)).skip(wanted) {
        if world.controllers.delete("pods", &id.namespace, name(pod), DeleteOptions::default()).is_ok() {
            world.events.normal(
                REPLICA_SETS,
                &set,
                "SuccessfulDelete",
                &format!("Deleted pod: {}", name(pod)),
            );
        }
    }
    write_status(world, &set, &pods, refusal.err().flatten());
}

fn is_active(pod: &Value) -> bool {
    !is_deleting(pod) && !matches!(text(&pod["status"]["phase"]), "Succeeded" | "Failed")
}

/// # Errors
/// The server's words of a refusal, nothing while the next attempt is not due.
fn create_pods(world: &mut World, id: &Id, set: &Value, missing: usize) -> Result<(), Option<String>> {
    let now = Instant::now();
    if let Some(wait) = world.refused.get(id).and_then(|r| r.not_before.checked_duration_since(now))
        && !wait.is_zero()
    {
        world.queue.push_after(Key::ReplicaSet(id.clone()), wait);
        return Err(None);
    }
    for _ in 0..missing {
        if let Err(message) = create_pod(world, set) {
            let attempts = world.refused.get(id).map_or(0, |refused| refused.attempts);
            let pause = (RETRY * 2u32.saturating_pow(attempts.min(10))).min(LONGEST_RETRY);
            let pause = world.options.pace.retry(pause);
            world.refused.insert(id.clone(), Refused { attempts: attempts + 1, not_before: now + pause });
            world.queue.push_after(Key::ReplicaSet(id.clone()), pause);
            return Err(Some(message));
        }
    }
    Ok(())
}

/// # Errors
/// The server's words, as the ReplicaFailure condition repeats them.
fn create_pod(world: &mut World, set: &Value) -> Result<(), String> {
    let suffix = uuid::Uuid::new_v4().simple().to_string();
    let pod_name = format!("{}-{}", name(set), &suffix[..5]);
    let template = &set["spec"]["template"];
    let mut metadata = json!({
        "name": pod_name, "generateName": format!("{}-", name(set)), "namespace": namespace(set),
        "ownerReferences": owned_by(set),
    });
    for field in ["labels", "annotations", "finalizers"] {
        if !template["metadata"][field].is_null() {
            metadata[field] = template["metadata"][field].clone();
        }
    }
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"]});
    match world.controllers.create("pods", namespace(set), pod) {
        Ok(_) => {
            world.events.normal(REPLICA_SETS, set, "SuccessfulCreate", &format!("Created pod: {pod_name}"));
            Ok(())
        }
        Err(failure) => {
            world.events.warning(
                REPLICA_SETS,
                set,
                "FailedCreate",
                &format!("Error creating: {}", failure.message),
            );
            Err(failure.message)
        }
    }
}

fn write_status(world: &World, set: &Value, pods: &[Arc<Value>], refusal: Option<String>) {
    // A pod on its way out still counts, so that Recreate waits for it; a new one is counted by its own change.
    let counted = pods.len();
    let ready = pods.iter().filter(|pod| is_active(pod) && fields::condition_is_true(pod, "Ready")).count();
    let mut conditions = items(&set["status"]["conditions"]).to_vec();
    match refusal {
        // The first message stays, as upstream's: each attempt names another pod, and writing that would wake this
        // controller again at once.
        Some(_) if conditions.iter().any(|condition| condition["type"] == "ReplicaFailure") => {}
        Some(message) => {
            fields::set_condition(&mut conditions, "ReplicaFailure", true, "FailedCreate", &message);
        }
        None if world.refused.contains_key(&Id::of(set)) => {}
        None => conditions.retain(|condition| condition["type"] != "ReplicaFailure"),
    }
    let mut status = json!({"observedGeneration": set["metadata"]["generation"], "replicas": counted});
    if ready > 0 {
        status["readyReplicas"] = json!(ready);
        status["availableReplicas"] = json!(ready);
    }
    if counted > 0 {
        status["fullyLabeledReplicas"] = json!(counted);
    }
    if !conditions.is_empty() {
        status["conditions"] = Value::Array(conditions);
    }
    if status != set["status"] {
        let mut updated = set.clone();
        updated["status"] = status;
        log_lost(
            "replica set status",
            world.controllers.update_status("replicasets", namespace(set), updated),
        );
    }
}
