//! What the create form offers: namespaces, and within one its templates, queues, claims and accelerators.
//!
//! Each list is read as the asker; what they may not read is named, not guessed.

use super::View;
use crate::cluster::kind::Kind;
use crate::cluster::project::{template, volume};
use crate::cluster::reading;
use crate::error::ApiError;
use futures::future::{join, join_all};
use kube::api::ListParams;
use kube::core::{ApiResource, DynamicObject, GroupVersionKind};
use kube::{Api, Client};
use serde_json::Value;
use spaceport_shared::project::ProjectMap;
use spaceport_shared::space::actions::decide_create;
use spaceport_shared::template::{AcceleratorOption, NamespaceChoice, NamespaceOptions, NodeRoom, Template};
use std::collections::{BTreeMap, BTreeSet};

/// The namespaces that the asker may see, and whether they may create there.
pub fn namespaces(view: &View, projects: &ProjectMap) -> Vec<NamespaceChoice> {
    let governed = view.hub.read(|s| s.namespaces().clone());
    view.access
        .values()
        .map(|access| NamespaceChoice {
            namespace: access.namespace.clone(),
            project: projects.project_of(&access.namespace).to_owned(),
            access: access.clone(),
            create: decide_create(access, &view.me),
            governed: governed.get(&access.namespace).copied().unwrap_or(false),
        })
        .collect()
}

/// Templates that the asker may read in these namespaces.
pub async fn templates(view: &View, namespaces: &BTreeSet<String>) -> Vec<Template> {
    let reads = namespaces.iter().map(|n| read(&view.client, Kind::Template.resource(), Some(n)));
    let readable: BTreeSet<(String, String)> = join_all(reads)
        .await
        .into_iter()
        .flatten()
        .flatten()
        .map(|object| (reading::namespace(&object).to_owned(), reading::name(&object).to_owned()))
        .collect();
    let is_readable = |t: &Template| readable.contains(&(t.namespace.clone(), t.name.clone()));
    view.hub.read(|s| s.templates().filter(is_readable).collect())
}

/// The namespaces whose templates a Space of `namespace` may use.
pub fn template_sources(namespace: &str) -> BTreeSet<String> {
    [namespace, template::SYSTEM_NAMESPACE, template::SHARED_NAMESPACE].map(str::to_owned).into()
}

pub async fn of_namespace(view: &View, namespace: &str) -> NamespaceOptions {
    let client = &view.client;
    let mut denied = Vec::new();
    let mut keep = |name: &str, list: Option<Vec<Value>>| {
        if list.is_none() {
            denied.push(name.to_owned());
        }
        list
    };
    let kueue = |kind: &str, plural: &str| {
        let gvk = GroupVersionKind::gvk("kueue.x-k8s.io", "v1beta2", kind);
        ApiResource::from_gvk_with_plural(&gvk, plural)
    };
    let sources = template_sources(namespace);
    let (templates, (queues, classes)) = join(
        templates(view, &sources),
        join(
            read(client, kueue("LocalQueue", "localqueues"), Some(namespace)),
            read(client, kueue("WorkloadPriorityClass", "workloadpriorityclasses"), None),
        ),
    )
    .await;
    let ((claims, storage), nodes) = join(
        join(read(client, Kind::Claim.resource(), Some(namespace)), read(client, storage_classes(), None)),
        read(client, Kind::Node.resource(), None),
    )
    .await;
    let queues = keep("localqueues", queues);
    let classes = keep("workloadpriorityclasses", classes);
    let claims = keep("persistentvolumeclaims", claims);
    let storage = keep("storageclasses", storage);
    let rooms = keep("nodes", nodes).map(|_| view.hub.read(|s| s.rooms()));
    NamespaceOptions {
        templates,
        queues: queues.map(|list| names(&list)),
        priority_classes: classes.map(|list| names(&list)),
        claims: claims.map(|list| list.iter().map(|c| volume::claim_option(c, zone(view, c))).collect()),
        storage_classes: storage.map(|list| list.iter().map(volume::storage_class).collect()),
        accelerators: rooms.as_deref().map(accelerators),
        nodes: rooms,
        governed: view.hub.read(|s| s.namespaces().get(namespace).copied().unwrap_or(false)),
        denied,
    }
}

fn storage_classes() -> ApiResource {
    ApiResource::from_gvk_with_plural(
        &GroupVersionKind::gvk("storage.k8s.io", "v1", "StorageClass"),
        "storageclasses",
    )
}

/// A list as the asker; `None` where they may not read it, or the cluster does not serve it.
async fn read(client: &Client, resource: ApiResource, namespace: Option<&str>) -> Option<Vec<Value>> {
    let api: Api<DynamicObject> = match namespace {
        Some(namespace) => Api::namespaced_with(client.clone(), namespace, &resource),
        None => Api::all_with(client.clone(), &resource),
    };
    match api.list(&ListParams::default()).await {
        Ok(list) => Some(list.items.into_iter().filter_map(|o| serde_json::to_value(o).ok()).collect()),
        Err(error) => {
            let error = ApiError::from(error);
            tracing::debug!(plural = resource.plural, %error, "not offered");
            None
        }
    }
}

fn names(objects: &[Value]) -> Vec<String> {
    objects.iter().map(|o| reading::name(o).to_owned()).collect()
}

fn zone(view: &View, claim: &Value) -> Option<String> {
    let node = reading::annotation(claim, volume::SELECTED_NODE)?;
    view.hub.read(|s| s.node_zone(node))
}

/// Accelerators that some node really has, with the most that one node has of each.
fn accelerators(rooms: &[NodeRoom]) -> Vec<AcceleratorOption> {
    let mut found: BTreeMap<String, (BTreeSet<String>, i64)> = BTreeMap::new();
    for room in rooms {
        for (resource, count) in room.allocatable.accelerators.iter().filter(|(_, count)| **count > 0) {
            let entry = found.entry(resource.clone()).or_default();
            entry.0.insert(room.instance_type.clone());
            entry.1 = entry.1.max(*count);
        }
    }
    found
        .into_iter()
        .map(|(resource, (types, max_per_node))| AcceleratorOption {
            resource,
            instance_types: types.into_iter().collect(),
            max_per_node,
        })
        .collect()
}
