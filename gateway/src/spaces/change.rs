//! Start, stop and delete, as the asker, by way of the audit door.

use super::refusal::locate;
use super::{FIELD_MANAGER, View};
use crate::audit::{Door, Intent};
use crate::context::RequestContext;
use crate::error::ApiError;
use kube::api::{DeleteParams, Patch, PatchParams, Preconditions};
use serde_json::{Value, json};
use spaceport_shared::space::Space;
use spaceport_shared::space::actions::Action;

const PREEMPTION: &str = "workspace.jupyter.org/preemption-reason";

/// Which object is meant.
pub struct Target<'a> {
    pub cluster: &'a str,
    pub namespace: &'a str,
    pub name: &'a str,
    pub uid: &'a str,
}

impl Target<'_> {
    pub fn intent(&self, action: &'static str) -> Intent {
        Intent {
            action,
            cluster: self.cluster.to_owned(),
            kind: "Workspace",
            namespace: self.namespace.to_owned(),
            name: self.name.to_owned(),
            uid: Some(self.uid.to_owned()),
        }
    }
}

/// Asks for `Running` or `Stopped`. A start also takes away the mark of an earlier preemption, which would otherwise
/// be shown again at the next ordinary stop.
pub async fn set_running(
    ctx: &RequestContext,
    door: &Door,
    view: &View,
    target: &Target<'_>,
    running: bool,
) -> Result<Space, ApiError> {
    let space = view.find(target.namespace, target.name).await?;
    require_same(&space, target.uid)?;
    let (action, verb) = if running { (Action::Start, "space.start") } else { (Action::Stop, "space.stop") };
    view.require(&space, action)?;
    let mut patch = json!({
        "metadata": {"uid": target.uid},
        "spec": {"desiredStatus": if running { "Running" } else { "Stopped" }},
    });
    let is_marked = view.facts(target.namespace, target.name).is_ok_and(|f| f.preemption_reason.is_some());
    if running && is_marked {
        patch["metadata"]["annotations"] = json!({PREEMPTION: null});
    }
    let object = door.perform(ctx, target.intent(verb), merge(view, target, &patch)).await?;
    Ok(view.from_object(&object, view.access(target.namespace)?))
}

pub async fn delete(
    ctx: &RequestContext,
    door: &Door,
    view: &View,
    target: &Target<'_>,
) -> Result<(), ApiError> {
    let space = view.find(target.namespace, target.name).await?;
    require_same(&space, target.uid)?;
    view.require(&space, Action::Delete)?;
    let preconditions = Preconditions { uid: Some(target.uid.to_owned()), resource_version: None };
    let params = DeleteParams { preconditions: Some(preconditions), ..DeleteParams::default() };
    let call = async {
        let deleted = view.spaces(target.namespace).delete(target.name, &params).await;
        deleted.map(drop).map_err(|error| locate(error.into()))
    };
    door.perform(ctx, target.intent("space.delete"), call).await
}

/// A merge patch that carries the uid: the API server refuses it for any other object of the name.
pub async fn merge(view: &View, target: &Target<'_>, patch: &Value) -> Result<Value, ApiError> {
    let params = PatchParams { field_manager: Some(FIELD_MANAGER.to_owned()), ..PatchParams::default() };
    let patched = view.spaces(target.namespace).patch(target.name, &params, &Patch::Merge(patch)).await;
    match patched.map_err(|error| locate(error.into())) {
        Ok(object) => serde_json::to_value(object).map_err(ApiError::internal),
        Err(ApiError::Conflict { .. }) => Err(explain_conflict(view, target).await),
        Err(other) => Err(other),
    }
}

/// Replaced, or merely changed: then with the present version.
async fn explain_conflict(view: &View, target: &Target<'_>) -> ApiError {
    let Ok(object) = view.read(target.namespace, target.name).await else {
        return ApiError::Conflict { resource_version: None };
    };
    if object["metadata"]["uid"] != target.uid {
        return ApiError::ObjectReplaced;
    }
    let version = object["metadata"]["resourceVersion"].as_str().map(str::to_owned);
    ApiError::Conflict { resource_version: version }
}

/// # Errors
/// `ObjectReplaced` when the name belongs to another Space now.
pub fn require_same(space: &Space, uid: &str) -> Result<(), ApiError> {
    if space.row.id == uid { Ok(()) } else { Err(ApiError::ObjectReplaced) }
}
