//! Edits: only what the request names is touched, and only on the version that the asker has seen.

use super::View;
use super::change::{Target, merge, require_same};
use crate::audit::Door;
use crate::cluster::reading::at;
use crate::context::RequestContext;
use crate::error::ApiError;
use serde_json::{Map, Value, json};
use spaceport_shared::quantity::format_bytes;
use spaceport_shared::space::actions::Action;
use spaceport_shared::space::check::check_edit;
use spaceport_shared::space::create::ResourceRequest;
use spaceport_shared::space::manifest::{self, INSTANCE_TYPE_LABEL, PRIORITY_LABEL, QUEUE_LABEL};
use spaceport_shared::space::{Accelerator, Space, SpaceEdit};

/// Applies an edit to the version of the object that `resource_version` names.
pub async fn apply(
    ctx: &RequestContext,
    door: &Door,
    view: &View,
    target: &Target<'_>,
    resource_version: &str,
    edit: &SpaceEdit,
) -> Result<Space, ApiError> {
    let access = view.access(target.namespace)?;
    let object = view.read(target.namespace, target.name).await?;
    let space = view.from_object(&object, access);
    require_same(&space, target.uid)?;
    if space.row.resource_version != resource_version {
        return Err(ApiError::Conflict { resource_version: Some(space.row.resource_version) });
    }
    view.require(&space, Action::Edit)?;
    let template = super::create::template_of(view, space.row.template.as_ref(), target.namespace);
    let fields = check_edit(&space.row, edit, template.as_ref());
    if !fields.is_empty() {
        return Err(ApiError::Invalid(fields));
    }
    let detection = template.and_then(|t| t.idle.detection);
    let mut patch = patch(edit, &object, detection.as_ref());
    patch["metadata"]["uid"] = json!(target.uid);
    patch["metadata"]["resourceVersion"] = json!(resource_version);
    let changed = door.perform(ctx, target.intent("space.edit"), merge(view, target, &patch)).await?;
    Ok(view.from_object(&changed, access))
}

/// The merge patch of an edit. Keys of `object` that must go are named with null: a merge patch adds otherwise.
fn patch(edit: &SpaceEdit, object: &Value, detection: Option<&Value>) -> Value {
    let mut spec = Map::new();
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            spec.insert(key.to_owned(), value);
        }
    };
    set("displayName", edit.display_name.as_ref().map(|d| json!(d)));
    set("image", edit.image.as_ref().map(|i| json!(i)));
    set("resources", edit.resources.as_ref().map(|r| resources(r, object)));
    set("nodeSelector", edit.resources.as_ref().and_then(|r| node_selector(r, object)));
    set("storage", edit.storage_bytes.map(|size| json!({"size": format_bytes(size)})));
    set("env", edit.env.as_ref().map(|e| manifest::env(e)));
    set("accessType", edit.access_type.map(manifest::sharing));
    set("ownershipType", edit.ownership_type.map(manifest::sharing));
    set(
        "idleShutdown",
        edit.idle.as_ref().map(|idle| {
            let own = at(object, &["spec", "idleShutdown", "detection"]);
            manifest::idle_shutdown(idle, if own.is_object() { Some(own) } else { detection })
        }),
    );
    let mut labels = Map::new();
    for (label, value) in [(QUEUE_LABEL, &edit.queue), (PRIORITY_LABEL, &edit.priority_class)] {
        if let Some(value) = value {
            labels.insert(label.to_owned(), json!(value));
        }
    }
    let mut patch = json!({"metadata": {}});
    if !labels.is_empty() {
        patch["metadata"]["labels"] = Value::Object(labels);
    }
    if !spec.is_empty() {
        patch["spec"] = Value::Object(spec);
    }
    patch
}

fn resources(request: &ResourceRequest, object: &Value) -> Value {
    let mut wanted = manifest::resources(request);
    for block in ["requests", "limits"] {
        let old = at(object, &["spec", "resources", block]).as_object();
        for name in old.into_iter().flat_map(Map::keys).filter(|name| Accelerator::is_accelerator(name)) {
            if wanted[block].get(name).is_none() {
                wanted[block][name.as_str()] = Value::Null;
            }
        }
    }
    wanted
}

fn node_selector(request: &ResourceRequest, object: &Value) -> Option<Value> {
    let was_pinned = at(object, &["spec", "nodeSelector", INSTANCE_TYPE_LABEL]).is_string();
    let unpin = || was_pinned.then(|| json!({INSTANCE_TYPE_LABEL: null}));
    manifest::node_selector(request).or_else(unpin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use spaceport_shared::space::create::IdleRequest;

    fn object() -> Value {
        json!({"spec": {"nodeSelector": {INSTANCE_TYPE_LABEL: "ml.g5.xlarge"}, "resources": {
            "requests": {"cpu": "1", "nvidia.com/gpu": "1"}, "limits": {"nvidia.com/gpu": "1"}}}})
    }

    #[test]
    fn what_is_not_named_is_not_in_the_patch() {
        let edit = SpaceEdit { display_name: Some("New".into()), ..SpaceEdit::default() };
        let expected = json!({"metadata": {}, "spec": {"displayName": "New"}});
        assert_eq!(patch(&edit, &object(), None), expected);
        assert_eq!(patch(&SpaceEdit::default(), &object(), None), json!({"metadata": {}}));
    }

    #[test]
    fn a_gpu_that_is_given_up_leaves_the_object() {
        let resources = ResourceRequest {
            cpu_millis: 2000,
            memory_bytes: 1 << 30,
            accelerator: None,
            instance_type: None,
        };
        let edit = SpaceEdit { resources: Some(resources), ..SpaceEdit::default() };
        let patch = patch(&edit, &object(), None);
        assert_eq!(patch["spec"]["resources"]["requests"]["nvidia.com/gpu"], Value::Null);
        assert_eq!(patch["spec"]["resources"]["limits"]["cpu"], "2");
        assert_eq!(patch["spec"]["nodeSelector"], json!({INSTANCE_TYPE_LABEL: null}));
    }

    #[test]
    fn a_detection_that_is_there_stays() {
        let mut object = object();
        object["spec"]["idleShutdown"] = json!({"detection": {"httpGet": {"port": 9}}});
        let idle = Some(IdleRequest { enabled: true, timeout_minutes: Some(5) });
        let patch = patch(&SpaceEdit { idle, ..SpaceEdit::default() }, &object, None);
        assert_eq!(patch["spec"]["idleShutdown"]["detection"]["httpGet"]["port"], 9);
    }

    #[test]
    fn queue_and_priority_are_labels() {
        let edit = SpaceEdit { queue: Some("q".into()), ..SpaceEdit::default() };
        assert_eq!(patch(&edit, &object(), None), json!({"metadata": {"labels": {QUEUE_LABEL: "q"}}}));
    }
}
