//! The Spaces operator: brings the children of a Space to what it asks for and writes its status.

mod access;
mod children;
mod conditions;
mod idle;
mod lifecycle;
mod protection;

pub use self::access::{bearer_url, probe};
pub use self::idle::{Answer, evaluate as hear_activity, reconcile as check_idle};
pub use self::protection::{strategy as release_strategy, template as release_template};

use self::conditions::Phase;
use super::fields::{self, annotation, finalizers, has_finalizer, is_deleting, name, namespace, text};
use super::gotemplate::strategy_reference;
use super::names::{LABEL_SPACE, PREEMPTION_REASON, SPACE_FINALIZER};
use super::queue::{Id, Key};
use super::recorder::Component;
use super::workloads::log_lost;
use super::world::World;
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) const OPERATOR: Component = Component("workspace-controller");

/// What the operator remembers of a Space between two looks.
#[derive(Default)]
pub struct SpaceNotes {
    /// The idle endpoint does not exist: not asked again while this start lasts.
    idle_endpoint_missing: bool,
}

pub fn reconcile(world: &mut World, id: &Id) {
    let Some(space) = world.operator.get("workspaces", &id.namespace, &id.name) else { return };
    if is_deleting(&space) {
        return lifecycle::delete(world, id, &space);
    }
    if !has_finalizer(&space, SPACE_FINALIZER) {
        let mut all: Vec<&str> = finalizers(&space).collect();
        all.push(SPACE_FINALIZER);
        let patch = json!({"metadata": {"finalizers": all}});
        // The change that this makes brings the Space back here.
        return log_lost("finalizer", world.operator.patch("workspaces", &id.namespace, &id.name, patch));
    }
    if space["spec"]["desiredStatus"] == "Stopped" {
        lifecycle::stop(world, id, &space);
    } else {
        lifecycle::start(world, id, &space);
    }
}

/// The strategy of a Space, if it has one that exists.
fn strategy_of(world: &World, space: &Value) -> Option<Arc<Value>> {
    let (place, strategy) = strategy_reference(space)?;
    world.operator.get("workspaceaccessstrategies", place, strategy)
}

/// Writes the status that a phase makes, with the given fields set (null removes one).
fn write_status(world: &mut World, id: &Id, space: &Value, phase: &Phase, changes: Value) {
    let mut status = space["status"].as_object().cloned().unwrap_or_default();
    for (field, value) in fields::entries(&changes) {
        if value.is_null() {
            status.remove(field);
        } else {
            status.insert(field.clone(), value.clone());
        }
    }
    status.insert("conditions".into(), Value::Array(conditions::of_phase(space, phase)));
    let status = Value::Object(status);
    if status == space["status"] {
        return;
    }
    let was = |kind: &str| fields::condition_is_true(space, kind);
    let said = match phase {
        Phase::Running if !was("Available") => Some(("WorkspaceRunning", "Workspace is now running")),
        Phase::Stopped { preempted: true } if !was("Stopped") => {
            Some(("WorkspaceStopped", "Workspace preempted due to resource contention"))
        }
        Phase::Stopped { .. } if !was("Stopped") => Some(("WorkspaceStopped", "Workspace has been stopped")),
        _ => None,
    };
    let mut updated = space.clone();
    updated["status"] = status;
    match world.operator.update_status("workspaces", &id.namespace, updated) {
        Ok(_) => {
            if let Some((reason, message)) = said {
                world.events.normal(OPERATOR, space, reason, message);
            }
        }
        Err(failure) if failure.code == 409 => world.queue.push(Key::Space(id.clone())),
        Err(failure) => log_lost("space status", Err::<(), _>(failure)),
    }
}

/// Kueue says that it ended a pod for another workload. The handler looks for pods named `jupyter-…`, and Spaces' pods
/// are named `workspace-…`: preemption goes unnoticed, and the Deployment makes a new pod that waits in the queue. Kept
/// as the operator has it (jupyter-k8s, `internal/controller/pod_event_handler.go`), because portals must cope.
pub fn watch_preemption(world: &mut World, event: &Value) {
    let about = &event["involvedObject"];
    let preempted = about["kind"] == "Pod"
        && event["reason"] == "Stopped"
        && text(&event["message"]).contains("Preempted");
    if !preempted || !text(&about["name"]).starts_with("jupyter-") {
        return;
    }
    let Some(pod) = world.operator.get("pods", namespace(event), text(&about["name"])) else { return };
    let space = fields::label(&pod, LABEL_SPACE);
    let patch = json!({
        "metadata": {"annotations": {PREEMPTION_REASON: text(&event["message"])}},
        "spec": {"desiredStatus": "Stopped"},
    });
    log_lost("preemption", world.operator.patch("workspaces", namespace(event), space, patch));
}

/// Was the Space stopped by preemption? The annotation outlives a restart, so a later stop shows it again, as upstream.
fn was_preempted(space: &Value) -> bool {
    !annotation(space, PREEMPTION_REASON).is_empty()
}

/// `name` in the messages of children.
fn child_message(what: &str, space: &Value, why: &str) -> String {
    format!("failed to {what} for workspace {}: {why}", name(space))
}
