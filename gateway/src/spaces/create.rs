//! Create and dry run: one upstream call each, made as the asker.

use super::refusal::locate;
use super::{FIELD_MANAGER, View};
use crate::audit::{Door, Intent};
use crate::cluster::project::space::OWNER_ANNOTATION;
use crate::cluster::project::{self, template::offered_in};
use crate::cluster::reading::{self, annotation, at, list, text};
use crate::context::RequestContext;
use crate::error::ApiError;
use data_encoding::HEXLOWER;
use kube::api::PostParams;
use kube::core::DynamicObject;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use spaceport_shared::space::actions::decide_create;
use spaceport_shared::space::check::check_create;
use spaceport_shared::space::create::{
    CreateSpace, EnvVar, IdleRequest, ResourceRequest, StorageRequest, VolumeRequest,
};
use spaceport_shared::space::manifest::to_manifest;
use spaceport_shared::space::verdict::DryRun;
use spaceport_shared::space::{ObjectRef, Space};
use spaceport_shared::template::Template;

/// Hash of the request's Idempotency-Key. Written at create only: annotations are copied to the pod, and a later
/// change would restart the Space.
const KEY_ANNOTATION: &str = "spaceport/create-key";

/// Creates a Space. With an idempotency key a repetition gets the first one's success.
pub async fn create(
    ctx: &RequestContext,
    door: &Door,
    view: &View,
    request: &CreateSpace,
    key: Option<&str>,
) -> Result<Space, ApiError> {
    let access = permitted(view, request)?;
    let template = checked(view, request)?;
    let owner = ctx.username(view.hub.cluster()).ok_or(ApiError::NotFound)?;
    let mark = key.map(|key| mark(key, &owner));
    let mut object = to_manifest(request, template.as_ref().and_then(|t| t.idle.detection.as_ref()));
    if let Some(mark) = &mark {
        object["metadata"]["annotations"] = json!({KEY_ANNOTATION: mark});
    }
    let intent = Intent {
        action: "space.create",
        cluster: view.hub.cluster().to_owned(),
        kind: "Workspace",
        namespace: request.namespace.clone(),
        name: request.name.clone(),
        uid: None,
    };
    let call = async {
        match post(view, &request.namespace, object, false).await {
            Err(ApiError::AlreadyExists) => repeated(view, request, mark.as_deref(), &owner).await,
            other => other,
        }
    };
    let created = door.perform(ctx, intent, call).await?;
    Ok(view.from_object(&created, access))
}

/// What the create would store, or which fields it would be refused for. Changes nothing.
pub async fn dry_run(view: &View, request: &CreateSpace) -> Result<DryRun, ApiError> {
    permitted(view, request)?;
    let outcome = match checked(view, request) {
        Ok(template) => {
            let object = to_manifest(request, template.as_ref().and_then(|t| t.idle.detection.as_ref()));
            post(view, &request.namespace, object, true).await
        }
        Err(error) => Err(error),
    };
    let answer = |effective, fields| DryRun { effective, warnings: Vec::new(), fields };
    match outcome {
        Ok(object) => Ok(answer(effective(&object), Vec::new())),
        Err(ApiError::Invalid(fields)) => Ok(answer(request.clone(), fields)),
        Err(ApiError::AlreadyExists) => {
            let taken = spaceport_shared::error::FieldError::new(
                "name",
                spaceport_shared::error::FieldCode::Duplicate,
                "the name is taken",
            );
            Ok(answer(request.clone(), vec![taken.with("value", &request.name)]))
        }
        Err(other) => Err(other),
    }
}

fn permitted<'a>(
    view: &'a View,
    request: &CreateSpace,
) -> Result<&'a spaceport_shared::space::NamespaceAccess, ApiError> {
    let access = view.access(&request.namespace)?;
    match decide_create(access, &view.me).reason {
        None => Ok(access),
        Some(denial) => Err(ApiError::Forbidden { layer: denial.layer, rule: denial.rule }),
    }
}

/// The template, after the checks that need no call.
fn checked(view: &View, request: &CreateSpace) -> Result<Option<Template>, ApiError> {
    let template = template_of(view, request.template.as_ref(), &request.namespace);
    let fields = check_create(request, template.as_ref(), None);
    if fields.is_empty() { Ok(template) } else { Err(ApiError::Invalid(fields)) }
}

/// The template that a reference means, or the default one of the namespace and of the add-on, in this order.
pub fn template_of(view: &View, reference: Option<&ObjectRef>, namespace: &str) -> Option<Template> {
    let templates: Vec<Template> =
        view.hub.read(|s| s.templates().filter(|t| offered_in(t, namespace)).collect());
    match reference {
        Some(r) => templates.into_iter().find(|t| t.name == r.name && t.namespace == r.namespace),
        None => templates.into_iter().filter(|t| t.is_default).max_by_key(|t| t.namespace == namespace),
    }
}

async fn post(view: &View, namespace: &str, object: Value, dry_run: bool) -> Result<Value, ApiError> {
    let object: DynamicObject = serde_json::from_value(object).map_err(ApiError::internal)?;
    let params = PostParams { dry_run, field_manager: Some(FIELD_MANAGER.to_owned()) };
    let created = view.spaces(namespace).create(&params, &object).await;
    let created = created.map_err(|error| locate(error.into()))?;
    serde_json::to_value(created).map_err(ApiError::internal)
}

/// The name is taken: by this very request, or by another.
async fn repeated(
    view: &View,
    request: &CreateSpace,
    mark: Option<&str>,
    owner: &str,
) -> Result<Value, ApiError> {
    let object = view.read(&request.namespace, &request.name).await.map_err(|_| ApiError::AlreadyExists)?;
    let is_ours = mark.is_some()
        && annotation(&object, KEY_ANNOTATION) == mark
        && annotation(&object, OWNER_ANNOTATION) == Some(owner);
    if is_ours { Ok(object) } else { Err(ApiError::AlreadyExists) }
}

/// Bound to the person: two people's equal keys are different.
fn mark(key: &str, owner: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(owner.as_bytes());
    hash.update([0]);
    hash.update(key.as_bytes());
    HEXLOWER.encode(&hash.finalize()[..20])
}

/// The request that an object amounts to.
fn effective(object: &Value) -> CreateSpace {
    let row = project::space::project("", object).facts.row;
    let spec = at(object, &["spec"]);
    CreateSpace {
        namespace: row.namespace,
        name: row.name,
        display_name: row.display_name,
        template: row.template,
        image: row.image,
        resources: row.resources.cpu_millis.zip(row.resources.memory_bytes).map(
            |(cpu_millis, memory_bytes)| ResourceRequest {
                cpu_millis,
                memory_bytes,
                accelerator: row.resources.accelerator.clone(),
                instance_type: row.resources.instance_type.clone(),
            },
        ),
        storage: row.storage.map(|s| StorageRequest {
            size_bytes: s.size_bytes.unwrap_or_default(),
            class_name: s.class_name,
            mount_path: reading::owned(spec, &["storage", "mountPath"]),
        }),
        volumes: list(spec, &["volumes"]).iter().map(volume).collect(),
        env: list(spec, &["env"]).iter().map(variable).collect(),
        queue: row.queue,
        priority_class: row.priority_class,
        access_type: Some(row.access_type),
        ownership_type: Some(row.ownership_type),
        idle: row
            .idle
            .enabled
            .map(|enabled| IdleRequest { enabled, timeout_minutes: row.idle.timeout_minutes }),
        desired_status: row.desired_status,
    }
}

fn volume(value: &Value) -> VolumeRequest {
    VolumeRequest {
        claim: text(value, &["persistentVolumeClaimName"]).to_owned(),
        mount_path: text(value, &["mountPath"]).to_owned(),
    }
}

fn variable(value: &Value) -> EnvVar {
    EnvVar { name: text(value, &["name"]).to_owned(), value: text(value, &["value"]).to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spaceport_shared::space::{DesiredStatus, Sharing};

    #[test]
    fn a_request_survives_its_object() {
        let request = CreateSpace {
            namespace: "n".into(),
            name: "lab".into(),
            display_name: "Lab".into(),
            template: Some(ObjectRef { namespace: "s".into(), name: "t".into() }),
            image: Some("i".into()),
            resources: Some(ResourceRequest {
                cpu_millis: 1500,
                memory_bytes: 1 << 30,
                accelerator: None,
                instance_type: Some("ml.m5.xlarge".into()),
            }),
            storage: Some(StorageRequest {
                size_bytes: 1 << 30,
                class_name: None,
                mount_path: Some("/h".into()),
            }),
            volumes: vec![VolumeRequest { claim: "c".into(), mount_path: "/c".into() }],
            env: vec![EnvVar { name: "A".into(), value: "1".into() }],
            queue: Some("q".into()),
            priority_class: None,
            access_type: Some(Sharing::OwnerOnly),
            ownership_type: Some(Sharing::Public),
            idle: Some(IdleRequest { enabled: true, timeout_minutes: Some(30) }),
            desired_status: DesiredStatus::Stopped,
        };
        assert_eq!(effective(&to_manifest(&request, None)), request);
    }

    #[test]
    fn equal_keys_of_two_people_differ() {
        assert_ne!(mark("k", "a"), mark("k", "b"));
        assert_eq!(mark("k", "a"), mark("k", "a"));
    }
}
