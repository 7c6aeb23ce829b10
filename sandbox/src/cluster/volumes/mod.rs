//! Claims and volumes: provisioning, binding, zones, protection, growth, reclaiming.

use super::fields::{self, is_deleting, name, namespace, owner, text, uid};
use super::names::LABEL_SPACE;
use super::nodes::{EBS_DRIVER, LABEL_ZONE};
use super::pace::figures;
use super::queue::{Id, Key};
use super::recorder::Component;
use super::scheduler;
use super::sentinel::{self, Sentinel};
use super::workloads::log_lost;
use super::world::World;
use crate::kube::DeleteOptions;
use serde_json::{Value, json};
use std::path::PathBuf;

const BINDER: Component = Component("persistentvolume-controller");
const PROVISIONER: Component = Component("ebs.csi.aws.com_ebs-csi-controller");
const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";
const DEFAULT_CLASS: &str = "storageclass.kubernetes.io/is-default-class";

/// What the scheduler needs to know of a claim.
#[derive(Debug, PartialEq, Eq)]
pub enum ClaimState {
    Missing,
    Deleting,
    UnboundImmediate,
    WaitsForConsumer,
    /// Its node is chosen, its volume not there yet.
    BeingMade,
    Bound {
        zone: Option<String>,
    },
}

pub fn state_of(world: &World, namespace: &str, claim: &str) -> ClaimState {
    let Some(claim) = world.scheduler.get("persistentvolumeclaims", namespace, claim) else {
        return ClaimState::Missing;
    };
    if is_deleting(&claim) {
        return ClaimState::Deleting;
    }
    if claim["status"]["phase"] == "Bound" {
        let volume = world.scheduler.get("persistentvolumes", "", text(&claim["spec"]["volumeName"]));
        return ClaimState::Bound { zone: volume.and_then(|volume| zone(&volume)) };
    }
    match class_of(world, &claim) {
        Some(class) if class["volumeBindingMode"] == "WaitForFirstConsumer" => {
            if fields::annotation(&claim, SELECTED_NODE).is_empty() {
                ClaimState::WaitsForConsumer
            } else {
                ClaimState::BeingMade
            }
        }
        _ => ClaimState::UnboundImmediate,
    }
}

/// The zone a volume is bound to.
fn zone(volume: &Value) -> Option<String> {
    let term = &volume["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"][0];
    let rules = fields::items(&term["matchExpressions"]);
    let rule = rules.iter().find(|rule| text(&rule["key"]).ends_with("zone"))?;
    rule["values"][0].as_str().map(str::to_owned)
}

fn class_of(world: &World, claim: &Value) -> Option<std::sync::Arc<Value>> {
    match claim["spec"]["storageClassName"].as_str() {
        Some(class) => world.scheduler.get("storageclasses", "", class),
        None => {
            let classes = world.scheduler.list("storageclasses", None);
            classes.into_iter().find(|class| fields::annotation(class, DEFAULT_CLASS) == "true")
        }
    }
}

/// The scheduler chose a node for the first pod: the volume is made in its zone.
pub fn select_node(world: &mut World, id: &Id, node: &str) {
    let patch = json!({"metadata": {"annotations": {SELECTED_NODE: node}}});
    log_lost(
        "claim annotation",
        world.scheduler.patch("persistentvolumeclaims", &id.namespace, &id.name, patch),
    );
}

pub fn reconcile(world: &mut World, id: &Id) {
    let Some(claim) = world.nodes.get("persistentvolumeclaims", &id.namespace, &id.name) else {
        return;
    };
    if is_deleting(&claim) {
        return;
    }
    if claim["status"]["phase"] == "Bound" {
        return grow(world, id, &claim);
    }
    let Some(class) = class_of(world, &claim) else {
        let wanted = text(&claim["spec"]["storageClassName"]);
        let message = if wanted.is_empty() {
            "no persistent volumes available for this claim and no storage class is set".to_owned()
        } else {
            format!("storageclass.storage.k8s.io \"{wanted}\" not found")
        };
        let reason = if wanted.is_empty() { "FailedBinding" } else { "ProvisioningFailed" };
        mark_pending(world, &claim);
        return world.events.warning(BINDER, &claim, reason, &message);
    };
    let node = fields::annotation(&claim, SELECTED_NODE);
    if node.is_empty() && class["volumeBindingMode"] == "WaitForFirstConsumer" {
        mark_pending(world, &claim);
        let message = "waiting for first consumer to be created before binding";
        return world.events.normal(BINDER, &claim, "WaitForFirstConsumer", message);
    }
    provision(world, id, &claim, &class);
}

fn mark_pending(world: &World, claim: &Value) {
    if claim["status"]["phase"] != "Pending" {
        let patch = json!({"status": {"phase": "Pending"}});
        log_lost(
            "claim status",
            world.nodes.patch_status("persistentvolumeclaims", namespace(claim), name(claim), patch),
        );
    }
}

fn provision(world: &mut World, id: &Id, claim: &Value, class: &Value) {
    let space = Some(fields::label(claim, LABEL_SPACE)).filter(|space| !space.is_empty());
    let space = space.or_else(|| owner(claim, "Workspace")).unwrap_or_default();
    if sentinel::of_space(space) == Some(Sentinel::FailVolume) {
        mark_pending(world, claim);
        let message = format!(
            "failed to provision volume with StorageClass \"{}\": rpc error: code = Internal desc = Could not create \
             volume \"pvc-{}\": could not create volume in EC2: UnauthorizedOperation: You are not authorized to \
             perform this operation.",
            name(class),
            uid(claim)
        );
        return world.events.warning(PROVISIONER, claim, "ProvisioningFailed", &message);
    }
    // The volume takes its time to be made; the timer comes back here.
    let delay = world.options.pace.work(figures::CREATE_VOLUME);
    let started = world.kubelet.provisioning_since(uid(claim));
    if started.elapsed() < delay {
        mark_pending(world, claim);
        return world.queue.push_after(Key::Claim(id.clone()), delay - started.elapsed());
    }
    world.kubelet.provisioned(uid(claim));
    let zone = match fields::annotation(claim, SELECTED_NODE) {
        "" => first_zone(world),
        node => scheduler::zone_of(world, node),
    };
    let volume = volume_for(claim, class, &zone);
    let volume_name = name(&volume).to_owned();
    if let Err(failure) = world.nodes.create("persistentvolumes", "", volume)
        && failure.code != 409
    {
        return log_lost("volume", Err::<(), _>(failure));
    }
    bind(world, claim, &volume_name);
    let message = format!("Successfully provisioned volume {volume_name}");
    world.events.normal(PROVISIONER, claim, "ProvisioningSucceeded", &message);
}

fn first_zone(world: &World) -> String {
    let node = world.ledger.nodes().find_map(|node| node.object.clone());
    node.map_or_else(String::new, |node| fields::label(&node, LABEL_ZONE).to_owned())
}

fn volume_for(claim: &Value, class: &Value, zone: &str) -> Value {
    let serial: String = uid(claim).chars().filter(|c| *c != '-').take(16).collect();
    let handle = format!("vol-0{serial}");
    json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {
            "name": format!("pvc-{}", uid(claim)),
            "annotations": {"pv.kubernetes.io/provisioned-by": EBS_DRIVER},
        },
        "spec": {
            "accessModes": claim["spec"]["accessModes"],
            "capacity": {"storage": claim["spec"]["resources"]["requests"]["storage"]},
            "claimRef": {
                "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": namespace(claim),
                "name": name(claim), "uid": uid(claim),
            },
            "csi": {"driver": EBS_DRIVER, "fsType": "ext4", "volumeHandle": handle},
            "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [
                {"key": LABEL_ZONE, "operator": "In", "values": [zone]},
            ]}]}},
            "persistentVolumeReclaimPolicy": class["reclaimPolicy"].as_str().unwrap_or("Delete"),
            "storageClassName": name(class),
            "volumeMode": "Filesystem",
        },
        "status": {"phase": "Bound"},
    })
}

fn bind(world: &World, claim: &Value, volume: &str) {
    let annotations = json!({
        "pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes",
        "volume.kubernetes.io/storage-provisioner": EBS_DRIVER,
    });
    let spec = json!({"metadata": {"annotations": annotations}, "spec": {"volumeName": volume}});
    let status = json!({"status": {
        "phase": "Bound", "accessModes": claim["spec"]["accessModes"],
        "capacity": {"storage": claim["spec"]["resources"]["requests"]["storage"]},
    }});
    let (place, claim_name) = (namespace(claim), name(claim));
    log_lost("claim binding", world.nodes.patch("persistentvolumeclaims", place, claim_name, spec));
    log_lost("claim status", world.nodes.patch_status("persistentvolumeclaims", place, claim_name, status));
}

/// A larger request that the server let through is carried out at once.
fn grow(world: &mut World, id: &Id, claim: &Value) {
    let wanted = &claim["spec"]["resources"]["requests"]["storage"];
    if fields::quantity(wanted) <= fields::quantity(&claim["status"]["capacity"]["storage"]) {
        return;
    }
    let capacity = json!({"storage": wanted});
    let volume = text(&claim["spec"]["volumeName"]);
    log_lost(
        "volume growth",
        world.nodes.patch("persistentvolumes", "", volume, json!({"spec": {"capacity": capacity}})),
    );
    log_lost(
        "claim growth",
        world.nodes.patch_status(
            "persistentvolumeclaims",
            &id.namespace,
            &id.name,
            json!({"status": {"capacity": capacity}}),
        ),
    );
    let message = "MountVolume.NodeExpandVolume succeeded for the volume";
    world.events.normal(Component("kubelet"), claim, "FileSystemResizeSuccessful", message);
}

/// The claim is gone: its volume and data go with it under the policy Delete.
pub fn reclaim(world: &mut World, volume: &str) {
    let Some(object) = world.nodes.get("persistentvolumes", "", volume) else { return };
    if object["spec"]["persistentVolumeReclaimPolicy"] != "Delete" {
        let released = json!({"status": {"phase": "Released"}});
        return log_lost(
            "volume status",
            world.nodes.patch_status("persistentvolumes", "", volume, released),
        );
    }
    log_lost(
        "volume deletion",
        world.nodes.delete("persistentvolumes", "", volume, DeleteOptions::default()),
    );
    let released = json!({"metadata": {"finalizers": null}});
    log_lost("volume finalizer", world.nodes.patch("persistentvolumes", "", volume, released));
    let folder = folder(world, volume);
    if let Err(error) = std::fs::remove_dir_all(&folder)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        tracing::warn!(folder = %folder.display(), %error, "the data of a deleted volume stays");
    }
}

/// The folder that stands for a volume.
pub fn folder(world: &World, volume: &str) -> PathBuf {
    world.options.volumes_dir.join(volume)
}
