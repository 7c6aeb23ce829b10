//! A Workspace as a row and the facts that it states about itself.

use crate::cluster::reading::{self, Reading, at, list, owned, text, time};
use serde_json::Value;
use spaceport_shared::space::facts::{Condition, SpaceFacts};
use spaceport_shared::space::manifest::{INSTANCE_TYPE_LABEL, PRIORITY_LABEL, QUEUE_LABEL};
use spaceport_shared::space::{
    Accelerator, DesiredStatus, IdleRule, ObjectRef, Owner, Sharing, SpaceResources, SpaceRow, SpaceStatus,
    SpaceStorage,
};

pub const OWNER_ANNOTATION: &str = "workspace.jupyter.org/created-by";
const PREEMPTION_ANNOTATION: &str = "workspace.jupyter.org/preemption-reason";

/// A Workspace as far as it speaks for itself.
#[derive(Clone, Debug, PartialEq)]
pub struct SpaceObject {
    /// Children, events and visibility are still missing.
    pub facts: SpaceFacts,
    pub strategy: Option<ObjectRef>,
}

pub fn project(cluster: &str, object: &Value) -> SpaceObject {
    let mut reading = Reading::new(object);
    let mut row = row(cluster, object, &mut reading);
    row.oddities = reading.oddities;
    let conditions = list(object, &["status", "conditions"]).iter().map(condition).collect();
    let facts = SpaceFacts {
        deleting_since: time(object, &["metadata", "deletionTimestamp"]),
        finalizers: list(object, &["metadata", "finalizers"])
            .iter()
            .filter_map(|f| f.as_str().map(str::to_owned))
            .collect(),
        conditions,
        access_probe_failures: at(object, &["status", "accessStartupProbeFailures"]).as_i64(),
        preemption_reason: reading::annotation(object, PREEMPTION_ANNOTATION).map(str::to_owned),
        ..SpaceFacts::of_row(row)
    };
    SpaceObject { facts, strategy: reference(object, &["spec", "accessStrategy"]) }
}

fn row(cluster: &str, object: &Value, reading: &mut Reading) -> SpaceRow {
    let name = reading::name(object).to_owned();
    let display_name = reading.expected(&["spec", "displayName"]).filter(|d| !d.trim().is_empty());
    // An absent status means Running: the webhook would have written it so.
    let desired_status = match at(object, &["spec", "desiredStatus"]) {
        Value::Null => DesiredStatus::Running,
        _ => reading.word(&["spec", "desiredStatus"], read_desired).unwrap_or(DesiredStatus::Unknown),
    };
    let owner = reading.expected(&["metadata", "annotations", OWNER_ANNOTATION]);
    SpaceRow {
        id: reading::uid(object),
        cluster: cluster.to_owned(),
        namespace: reading::namespace(object).to_owned(),
        display_name: display_name.unwrap_or_else(|| name.clone()),
        name,
        app_type: reading.text(&["spec", "appType"]),
        status: SpaceStatus::Unknown,
        reason: None,
        desired_status,
        status_since: None,
        owner: Owner::from_username(owner.map(|o| unescape(&o))),
        access_type: sharing(reading, "accessType"),
        ownership_type: sharing(reading, "ownershipType"),
        template: reference(object, &["spec", "templateRef"]),
        image: reading.text(&["spec", "image"]),
        resources: resources(object, reading),
        storage: storage(object, reading),
        queue: reading::label(object, QUEUE_LABEL).map(str::to_owned),
        priority_class: reading::label(object, PRIORITY_LABEL).map(str::to_owned),
        idle: idle(object, reading),
        cost_per_hour: None,
        created_at: reading::created_at(object),
        resource_version: text(object, &["metadata", "resourceVersion"]).to_owned(),
        connection_types: Vec::new(),
        oddities: Vec::new(),
    }
}

fn read_desired(word: &str) -> Option<DesiredStatus> {
    match word {
        "Running" => Some(DesiredStatus::Running),
        "Stopped" => Some(DesiredStatus::Stopped),
        _ => None,
    }
}

/// Absent is the CRD's documented default, Public; a word nobody knows is closed.
fn sharing(reading: &mut Reading, field: &str) -> Sharing {
    let path = ["spec", field];
    let known = reading.word(&path, |word| match word {
        "Public" => Some(Sharing::Public),
        "OwnerOnly" => Some(Sharing::OwnerOnly),
        _ => None,
    });
    let is_odd = reading.oddities.iter().any(|o| o.path == path.join("."));
    known.unwrap_or(if is_odd { Sharing::Unknown } else { Sharing::Public })
}

/// The operator stores the username JSON-escaped, without the quotes.
fn unescape(stored: &str) -> String {
    serde_json::from_str(&format!("\"{stored}\"")).unwrap_or_else(|_| stored.to_owned())
}

pub(super) fn reference(object: &Value, path: &[&str]) -> Option<ObjectRef> {
    let name = owned(at(object, path), &["name"])?;
    let namespace = owned(at(object, path), &["namespace"]);
    Some(ObjectRef { namespace: namespace.unwrap_or_else(|| reading::namespace(object).to_owned()), name })
}

/// Limits stand in where a request is absent, as the API server itself fills them in on pods.
fn resources(object: &Value, reading: &mut Reading) -> SpaceResources {
    let mut read = |resource: &str| {
        let requested = reading.quantity(&["spec", "resources", "requests", resource]);
        requested.or_else(|| reading.quantity(&["spec", "resources", "limits", resource]))
    };
    let cpu = read("cpu").map(|q| q.millis());
    let memory = read("memory").map(|q| q.units());
    let names = ["requests", "limits"].iter().filter_map(|block| {
        at(object, &["spec", "resources", block]).as_object()?.keys().find(|k| Accelerator::is_accelerator(k))
    });
    let accelerator = names
        .take(1)
        .find_map(|name| Some(Accelerator { resource: name.clone(), count: read(name)?.units() }))
        .filter(|a| a.count > 0);
    let mut resources = SpaceResources::new(cpu, memory, accelerator);
    resources.instance_type = owned(object, &["spec", "nodeSelector", INSTANCE_TYPE_LABEL]);
    resources
}

fn storage(object: &Value, reading: &mut Reading) -> Option<SpaceStorage> {
    at(object, &["spec", "storage"]).as_object()?;
    Some(SpaceStorage {
        size_bytes: reading.quantity(&["spec", "storage", "size"]).map(|q| q.units()),
        class_name: reading.text(&["spec", "storage", "storageClassName"]),
        zone: None,
    })
}

fn idle(object: &Value, reading: &mut Reading) -> IdleRule {
    let block = ["spec", "idleShutdown"];
    if at(object, &block).is_null() {
        return IdleRule { enabled: None, timeout_minutes: None, stops_at: None, detection: None };
    }
    IdleRule {
        enabled: reading.flag(&["spec", "idleShutdown", "enabled"]),
        timeout_minutes: reading.number(&["spec", "idleShutdown", "idleTimeoutInMinutes"]),
        stops_at: None,
        detection: detection(at(object, &["spec", "idleShutdown", "detection", "httpGet"])),
    }
}

/// `GET :8888/api/idle`
fn detection(http: &Value) -> Option<String> {
    let port = match at(http, &["port"]) {
        Value::Number(port) => port.to_string(),
        Value::String(port) => port.clone(),
        _ => return None,
    };
    Some(format!("GET :{port}{}", text(http, &["path"])))
}

fn condition(value: &Value) -> Condition {
    Condition {
        kind: text(value, &["type"]).to_owned(),
        status: match text(value, &["status"]) {
            "True" => Some(true),
            "False" => Some(false),
            _ => None,
        },
        reason: text(value, &["reason"]).to_owned(),
        message: text(value, &["message"]).to_owned(),
        since: time(value, &["lastTransitionTime"]),
    }
}
