//! Events (core/v1) about Spaces and their children.

use crate::cluster::reading::{self, at, text, time};
use serde_json::Value;
use spaceport_shared::space::SpaceEvent;
use spaceport_shared::space::facts::EventFacts;

/// An event and the object it is about.
#[derive(Clone, Debug, PartialEq)]
pub struct EventObject {
    pub namespace: String,
    pub event: SpaceEvent,
}

/// `None` for events about kinds that no Space has.
pub fn project(object: &Value) -> Option<EventObject> {
    let kind = text(object, &["involvedObject", "kind"]);
    let name = text(object, &["involvedObject", "name"]);
    let is_ours = match kind {
        "Workspace" => true,
        "Deployment" | "ReplicaSet" | "Pod" | "PersistentVolumeClaim" => name.starts_with(CHILD_PREFIX),
        _ => false,
    };
    if !is_ours {
        return None;
    }
    let series = time(object, &["series", "lastObservedTime"]);
    let last = series
        .or_else(|| time(object, &["lastTimestamp"]))
        .or_else(|| time(object, &["eventTime"]))
        .or_else(|| reading::created_at(object));
    let namespace = text(object, &["involvedObject", "namespace"]);
    let source = text(object, &["source", "component"]);
    Some(EventObject {
        namespace: if namespace.is_empty() { reading::namespace(object) } else { namespace }.to_owned(),
        event: SpaceEvent {
            id: reading::uid(object),
            r#type: text(object, &["type"]).to_owned(),
            reason: text(object, &["reason"]).to_owned(),
            message: text(object, &["message"]).to_owned(),
            object_kind: kind.to_owned(),
            object_name: name.to_owned(),
            count: at(object, &["series", "count"]).as_i64().or(at(object, &["count"]).as_i64()).unwrap_or(1),
            first_at: time(object, &["firstTimestamp"]).or_else(|| time(object, &["eventTime"])).or(last),
            last_at: last,
            source: if source.is_empty() { text(object, &["reportingComponent"]) } else { source }.to_owned(),
        },
    })
}

const CHILD_PREFIX: &str = "workspace-";

/// The Space that an object of this kind and name belongs to, by the operator's naming: `workspace-<space>`, with
/// one more part on a ReplicaSet, two on a pod, and `-pvc` on the volume.
pub fn space_of<'a>(kind: &str, name: &'a str) -> Option<&'a str> {
    let cut = |name: &'a str| name.rsplit_once('-').map(|(rest, _)| rest);
    let full = match kind {
        "Workspace" => return Some(name),
        "Deployment" => name,
        "ReplicaSet" => cut(name)?,
        "Pod" => cut(cut(name)?)?,
        "PersistentVolumeClaim" => name.strip_suffix("-pvc")?,
        _ => return None,
    };
    full.strip_prefix(CHILD_PREFIX).filter(|space| !space.is_empty())
}

/// What the engines need of an event.
pub fn facts(event: &SpaceEvent) -> EventFacts {
    EventFacts {
        object_kind: event.object_kind.clone(),
        warning: event.r#type == "Warning",
        reason: event.reason.clone(),
        message: event.message.clone(),
        count: event.count,
        first_at: event.first_at,
        last_at: event.last_at,
    }
}
