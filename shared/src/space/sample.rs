//! Facts of ordinary Spaces, for the tests of the engines.

use super::facts::{
    Condition, ContainerFacts, ContainerState, DeploymentFacts, EventFacts, PodFacts, SpaceFacts,
};
use super::*;

pub const BASE: i64 = 1_796_112_000_000;

/// `seconds` after the Space was created.
pub fn at(seconds: i64) -> Option<Timestamp> {
    Some(Timestamp(BASE + seconds * 1000))
}

pub fn row() -> SpaceRow {
    SpaceRow {
        id: "uid-1".into(),
        cluster: "sandbox".into(),
        namespace: "hyperpod-ns-team-a".into(),
        name: "lab".into(),
        display_name: "Lab".into(),
        app_type: Some("jupyterlab".into()),
        status: SpaceStatus::Unknown,
        reason: None,
        desired_status: DesiredStatus::Running,
        status_since: None,
        owner: Owner::from_username(Some(username("ds-a1"))),
        access_type: Sharing::Public,
        ownership_type: Sharing::Public,
        template: None,
        image: Some("img".into()),
        resources: SpaceResources::new(Some(2000), Some(8 << 30), None),
        storage: None,
        queue: None,
        priority_class: None,
        idle: IdleRule { enabled: None, timeout_minutes: None, stops_at: None, detection: None },
        cost_per_hour: None,
        created_at: at(0),
        resource_version: "7".into(),
        connection_types: vec!["web-ui".into(), "vscode-remote".into()],
        oddities: vec![],
    }
}

pub fn username(session: &str) -> String {
    format!("arn:aws:sts::111122223333:assumed-role/TeamADataScientist/{session}")
}

pub fn condition(kind: &str, status: bool, reason: &str) -> Condition {
    Condition {
        kind: kind.into(),
        status: Some(status),
        reason: reason.into(),
        message: format!("{reason} in words"),
        since: at(1),
    }
}

/// A Space whose Deployment exists and whose pod does not yet.
pub fn starting() -> SpaceFacts {
    SpaceFacts {
        conditions: vec![
            condition("Available", false, "ResourcesNotReady"),
            condition("Progressing", true, "ResourcesNotReady"),
            condition("Degraded", false, "NoError"),
            condition("Stopped", false, "DesiredStateRunning"),
        ],
        deployment: Some(DeploymentFacts { created_at: at(1), ..DeploymentFacts::default() }),
        ..SpaceFacts::of_row(row())
    }
}

pub fn pod() -> PodFacts {
    PodFacts {
        name: "workspace-lab-1".into(),
        phase: "Pending".into(),
        created_at: at(2),
        containers: vec![container(waiting("ContainerCreating", ""))],
        ..PodFacts::default()
    }
}

/// A pod that has a node.
pub fn placed() -> PodFacts {
    PodFacts { node: Some("node-1".into()), scheduled_at: at(3), ..pod() }
}

pub fn container(state: ContainerState) -> ContainerFacts {
    ContainerFacts { name: "workspace".into(), image: "img".into(), state, ..ContainerFacts::default() }
}

pub fn waiting(reason: &str, message: &str) -> ContainerState {
    ContainerState::Waiting { reason: reason.into(), message: message.into() }
}

pub fn with_pod(pod: PodFacts) -> SpaceFacts {
    SpaceFacts { pod: Some(pod), ..starting() }
}

pub fn event(kind: &str, warning: bool, reason: &str, message: &str, second: i64) -> EventFacts {
    EventFacts {
        object_kind: kind.into(),
        warning,
        reason: reason.into(),
        message: message.into(),
        count: 1,
        first_at: at(second),
        last_at: at(second),
    }
}

pub fn create() -> create::CreateSpace {
    create::CreateSpace {
        namespace: "hyperpod-ns-team-a".into(),
        name: "lab".into(),
        display_name: "Lab".into(),
        template: Some(ObjectRef {
            namespace: "jupyter-k8s-system".into(),
            name: "sagemaker-jupyter-template".into(),
        }),
        image: Some("public.ecr.aws/sagemaker/sagemaker-distribution:latest-cpu".into()),
        resources: Some(create::ResourceRequest {
            cpu_millis: 4000,
            memory_bytes: 16 << 30,
            accelerator: None,
            instance_type: None,
        }),
        storage: Some(create::StorageRequest { size_bytes: 20 << 30, class_name: None, mount_path: None }),
        queue: Some("hyperpod-ns-team-a-localqueue".into()),
        priority_class: Some("interactive-priority".into()),
        access_type: Some(Sharing::OwnerOnly),
        ownership_type: Some(Sharing::OwnerOnly),
        ..create::CreateSpace::default()
    }
}

pub fn template() -> crate::template::Template {
    use crate::template::*;
    let bound = |resource: &str, min: &str, max: &str| ResourceBound {
        resource: resource.into(),
        min: min.into(),
        max: max.into(),
    };
    Template {
        cluster: "sandbox".into(),
        namespace: "jupyter-k8s-system".into(),
        name: "sagemaker-jupyter-template".into(),
        display_name: "SageMaker Jupyter Lab".into(),
        description: None,
        app_type: Some("jupyterlab".into()),
        default_image: "public.ecr.aws/sagemaker/sagemaker-distribution:latest-cpu".into(),
        allowed_images: vec![],
        allow_custom_images: false,
        default_resources: ResourceDefaults {
            cpu_millis: Some(2000),
            memory_bytes: Some(8 << 30),
            accelerator: None,
        },
        bounds: vec![
            bound("cpu", "500m", "8"),
            bound("memory", "1Gi", "32Gi"),
            bound("nvidia.com/gpu", "0", "4"),
        ],
        storage: StorageBounds {
            default_bytes: Some(5 << 30),
            min_bytes: Some(1 << 30),
            max_bytes: Some(100 << 30),
            ..StorageBounds::default()
        },
        allow_secondary_storages: true,
        base_env: vec![],
        env_requirements: vec![],
        label_requirements: vec![],
        default_access_type: Sharing::Public,
        default_ownership_type: Sharing::Public,
        idle: IdleBounds {
            default_enabled: None,
            default_timeout_minutes: None,
            has_detection: false,
            detection: None,
            may_override: None,
            min_timeout_minutes: None,
            max_timeout_minutes: None,
        },
        access_strategy: None,
        web_access: Some(true),
        remote_types: vec![],
        overhead: ResourceDefaults::default(),
        is_default: true,
        is_system: true,
        resource_version: "1".into(),
    }
}
