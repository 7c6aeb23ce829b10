//! Start, stop and deletion of a Space.

use super::access::{self, Access};
use super::conditions::{AVAILABLE, Pending, Phase};
use super::{child_message, children, strategy_of, was_preempted, write_status};
use crate::cluster::fields::{self, has_finalizer, is_deleting, quantity, text};
use crate::cluster::names::{self, SPACE_FINALIZER};
use crate::cluster::queue::{Id, Key};
use crate::cluster::workloads::log_lost;
use crate::cluster::world::World;
use crate::kube::DeleteOptions;
use crate::kube::failure::Failure;
use serde_json::{Value, json};

/// A child that was refused, as a condition tells it.
struct ChildError {
    reason: &'static str,
    message: String,
}

/// Volume, Deployment, Service, then access; each only looks at what is stored.
pub(super) fn start(world: &mut World, id: &Id, space: &Value) {
    let strategy = strategy_of(world, space);
    let children = ensure_compute(world, id, space, strategy.as_deref())
        .and_then(|compute| ensure_service(world, id, space).map(|service| (compute, service)));
    let (compute, service) = match children {
        Ok(children) => children,
        Err(ChildError { reason, message }) => {
            // Tried again later as well: what refused it (a quota, a policy) may change without a sign.
            world.queue.push_after(Key::Space(id.clone()), world.options.pace.retry(access::RETRY));
            return write_status(world, id, space, &Phase::ChildError { reason, message }, json!({}));
        }
    };
    let (access, mut changes) = access::ensure(world, id, space, strategy.as_deref(), compute);
    changes["deploymentName"] = json!(names::deployment(&id.name));
    changes["serviceName"] = json!(names::service(&id.name));
    let pending = Pending { compute: !compute, service: !service, access: access != Access::Ready };
    let phase = match access {
        Access::GaveUp if compute => Phase::ProbeGaveUp,
        _ if pending.is_nothing() => Phase::Running,
        _ => Phase::Starting(pending),
    };
    if phase == Phase::Running && space["spec"]["idleShutdown"]["enabled"] == true {
        world.queue.push_after(Key::IdleCheck(id.clone()), world.options.idle_check);
    }
    write_status(world, id, space, &phase, changes);
}

/// The claim and the Deployment. True once its pod is available.
fn ensure_compute(
    world: &mut World,
    id: &Id,
    space: &Value,
    strategy: Option<&Value>,
) -> Result<bool, ChildError> {
    let error = |what: &str, why: &str| ChildError {
        reason: "ComputeError",
        message: child_message(what, space, why),
    };
    let is_available = fields::condition_is_true(space, AVAILABLE);
    ensure_claim(world, id, space, is_available)
        .map_err(|failure| error("reconcile PVC", &failure.message))?;
    let wanted = children::deployment(space, strategy).map_err(|why| error("build deployment", &why))?;
    let stored = world.operator.get("deployments", &id.namespace, &names::deployment(&id.name));
    let Some(stored) = stored else {
        world
            .operator
            .create("deployments", &id.namespace, wanted)
            .map_err(|failure| error("create deployment", &failure.message))?;
        return Ok(false);
    };
    if is_deleting(&stored) {
        return Ok(false);
    }
    // A Space that is stuck starting is not helped by a new spec: upstream updates children of available ones only.
    if is_available && children::differs(&stored, &wanted) {
        let mut updated = Value::clone(&stored);
        updated["spec"]["template"] = wanted["spec"]["template"].clone();
        updated["metadata"]["labels"] = wanted["metadata"]["labels"].clone();
        updated["metadata"]["annotations"] = wanted["metadata"]["annotations"].clone();
        world
            .operator
            .update("deployments", &id.namespace, updated)
            .map_err(|failure| error("update deployment", &failure.message))?;
        return Ok(false);
    }
    let observed = stored["status"]["observedGeneration"] == stored["metadata"]["generation"];
    Ok(observed && fields::condition_is_true(&stored, AVAILABLE))
}

fn ensure_claim(world: &World, id: &Id, space: &Value, is_available: bool) -> Result<(), Failure> {
    let Some(wanted) = children::claim(space) else { return Ok(()) };
    let claim = names::claim(&id.name);
    let Some(stored) = world.operator.get("persistentvolumeclaims", &id.namespace, &claim) else {
        return world.operator.create("persistentvolumeclaims", &id.namespace, wanted).map(|_| ());
    };
    let size = |claim: &Value| quantity(&claim["spec"]["resources"]["requests"]["storage"]);
    if !is_available || size(&stored) >= size(&wanted) {
        return Ok(());
    }
    let patch = json!({"spec": {"resources": wanted["spec"]["resources"]}});
    world.operator.patch("persistentvolumeclaims", &id.namespace, &claim, patch).map(|_| ())
}

fn ensure_service(world: &World, id: &Id, space: &Value) -> Result<bool, ChildError> {
    let service = names::service(&id.name);
    if let Some(stored) = world.operator.get("services", &id.namespace, &service) {
        return Ok(!is_deleting(&stored));
    }
    let created = world.operator.create("services", &id.namespace, children::service(space));
    created.map(|_| true).map_err(|failure| ChildError {
        reason: "ServiceError",
        message: child_message("create service", space, &failure.message),
    })
}

/// Everything but the volume goes.
pub(super) fn stop(world: &mut World, id: &Id, space: &Value) {
    let compute = remove(world, "deployments", id, &names::deployment(&id.name));
    let service = remove(world, "services", id, &names::service(&id.name));
    world.spaces.remove(id);
    let pending = Pending { compute, service, access: false };
    if pending.is_nothing() {
        let phase = Phase::Stopped { preempted: was_preempted(space) };
        return write_status(world, id, space, &phase, cleared());
    }
    write_status(world, id, space, &Phase::Stopping(pending), json!({}));
}

/// Status fields that a stopped Space does not have.
fn cleared() -> Value {
    json!({
        "deploymentName": null, "serviceName": null, "accessURL": null, "applicationBasePath": null,
        "accessResources": null, "accessResourceSelector": null, "observedAccessStrategyVersion": null,
        "accessStartupProbeSucceeded": null, "accessStartupProbeFailures": null, "earliestNextProbeTime": null,
    })
}

/// Asks for a child's removal; true while it is still there.
fn remove(world: &World, resource: &str, id: &Id, child: &str) -> bool {
    let Some(stored) = world.operator.get(resource, &id.namespace, child) else { return false };
    if !is_deleting(&stored) {
        let deleted = world.operator.delete(resource, &id.namespace, child, DeleteOptions::default());
        log_lost("removal of a child", deleted);
    }
    world.operator.get(resource, &id.namespace, child).is_some()
}

/// Children first, the volume with its data among them, then the finalizer.
pub(super) fn delete(world: &mut World, id: &Id, space: &Value) {
    if !has_finalizer(space, SPACE_FINALIZER) {
        return;
    }
    let children = [
        ("deployments", names::deployment(&id.name)),
        ("services", names::service(&id.name)),
        ("persistentvolumeclaims", names::claim(&id.name)),
    ];
    let mut left = false;
    for (resource, child) in children {
        let own = world.operator.get(resource, &id.namespace, &child).is_some_and(|stored| {
            let owner = fields::owner_reference(&stored, "Workspace");
            owner.is_some_and(|owner| text(&owner["uid"]) == fields::uid(space))
        });
        left |= own && remove(world, resource, id, &child);
    }
    if left {
        return write_status(world, id, space, &Phase::Deleting, json!({}));
    }
    let rest: Vec<&str> = fields::finalizers(space).filter(|f| *f != SPACE_FINALIZER).collect();
    let patch = json!({"metadata": {"finalizers": rest}});
    log_lost("space finalizer", world.operator.patch("workspaces", &id.namespace, &id.name, patch));
}
