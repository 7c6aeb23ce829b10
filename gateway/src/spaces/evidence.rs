//! Events, logs, the object itself and the explanation of one Space.

use super::View;
use super::view::require_right;
use crate::clock;
use crate::cluster::project::SPACE_LABEL;
use crate::cluster::project::template::offered_in;
use crate::cluster::reading::{at, list, text};
use crate::error::ApiError;
use axum::body::Body;
use futures::{AsyncBufReadExt, TryStreamExt};
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::{ListParams, LogParams};
use serde::Deserialize;
use serde_json::Value;
use spaceport_shared::page::Page;
use spaceport_shared::space::explanation::Explanation;
use spaceport_shared::space::yaml::to_yaml;
use spaceport_shared::space::{SpaceEvent, SpaceYaml, explain};
use spaceport_shared::template::Template;
use std::collections::BTreeMap;
use utoipa::IntoParams;

/// Lines of a log when nobody says how many.
const DEFAULT_TAIL: i64 = 500;
/// About ten megabytes of ordinary lines.
const MAX_TAIL: i64 = 100_000;

/// Newest first.
pub async fn events(view: &View, namespace: &str, name: &str) -> Result<Page<SpaceEvent>, ApiError> {
    require_right(view.access(namespace)?.read_events, "list events")?;
    view.find(namespace, name).await?;
    let key = (namespace.to_owned(), name.to_owned());
    let mut items = view.hub.read(|s| s.events(&key));
    items.sort_by_key(|e| std::cmp::Reverse(e.last_at));
    Ok(Page { total: items.len(), items, next_cursor: None, observed_at: view.observed_at() })
}

pub fn explanation(view: &View, namespace: &str, name: &str) -> Result<Explanation, ApiError> {
    Ok(explain(&view.facts(namespace, name)?, clock::now()))
}

#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct LogQuery {
    /// `workspace` when absent.
    pub container: Option<String>,
    /// Last lines to begin with; 500 when absent.
    pub tail: Option<i64>,
    /// Go on with new lines until the caller or the container ends.
    pub follow: Option<bool>,
}

/// The log of the Space's present pod, as a stream of lines.
///
/// # Errors
/// `NotReady` where there is no pod, `Forbidden` without the right to read logs.
pub async fn logs(view: &View, namespace: &str, name: &str, query: &LogQuery) -> Result<Body, ApiError> {
    require_right(view.access(namespace)?.read_logs, "get pods/log")?;
    let space = view.find(namespace, name).await?;
    let pods: Api<Pod> = Api::namespaced(view.client.clone(), namespace);
    let of_space = ListParams::default().labels(&format!("{SPACE_LABEL}={name}"));
    let newest = pods.list(&of_space).await?.items.into_iter().max_by_key(|pod| {
        (pod.metadata.deletion_timestamp.is_none(), pod.metadata.creation_timestamp.clone())
    });
    let status = serde_json::to_value(space.row.status).ok().and_then(|s| s.as_str().map(str::to_owned));
    let pod = newest.and_then(|pod| pod.metadata.name);
    let pod = pod.ok_or(ApiError::NotReady { status: status.unwrap_or_default() })?;
    let params = LogParams {
        container: Some(query.container.clone().unwrap_or_else(|| "workspace".to_owned())),
        tail_lines: Some(query.tail.unwrap_or(DEFAULT_TAIL).clamp(0, MAX_TAIL)),
        follow: query.follow.unwrap_or(false),
        ..LogParams::default()
    };
    let lines = pods.log_stream(&pod, &params).await?.lines().map_ok(|line| line + "\n");
    Ok(Body::from_stream(lines))
}

/// The object as the asker reads it, and who set what.
pub async fn yaml(view: &View, namespace: &str, name: &str) -> Result<SpaceYaml, ApiError> {
    let mut object = view.read(namespace, name).await?;
    let reference = crate::cluster::project::space::project("", &object).facts.row.template;
    let template = view.hub.read(|s| {
        s.templates().find(|t| {
            offered_in(t, namespace)
                && reference.as_ref().is_some_and(|r| r.name == t.name && r.namespace == t.namespace)
        })
    });
    let provenance = provenance(&object, template.as_ref());
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("managedFields");
    }
    Ok(SpaceYaml { yaml: to_yaml(&object), provenance })
}

/// For each field of `spec`, and each label and annotation: the manager that owns it; the template where the value is
/// that template's own default.
fn provenance(object: &Value, template: Option<&Template>) -> BTreeMap<String, String> {
    let mut owners = BTreeMap::new();
    for entry in list(object, &["metadata", "managedFields"]) {
        let manager = text(entry, &["manager"]);
        for (prefix, path) in [
            ("spec", &["f:spec"][..]),
            ("metadata.labels", &["f:metadata", "f:labels"]),
            ("metadata.annotations", &["f:metadata", "f:annotations"]),
        ] {
            let fields = at(entry, &["fieldsV1"]);
            let keys = at(fields, path).as_object().into_iter().flat_map(|map| map.keys());
            for key in keys.filter_map(|k| k.strip_prefix("f:")) {
                owners.insert(format!("{prefix}.{key}"), manager.to_owned());
            }
        }
    }
    if let Some(template) = template {
        let by = format!("template {}", template.name);
        let defaults =
            [("image", Some(template.default_image.as_str())), ("appType", template.app_type.as_deref())];
        for (key, default) in defaults {
            if default.is_some() && at(object, &["spec", key]).as_str() == default {
                owners.insert(format!("spec.{key}"), by.clone());
            }
        }
        let strategy = template.access_strategy.as_ref();
        if strategy.is_some_and(|s| text(object, &["spec", "accessStrategy", "name"]) == s.name) {
            owners.insert("spec.accessStrategy".to_owned(), by);
        }
    }
    owners
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_name_their_managers() {
        let object = json!({"metadata": {"managedFields": [
            {"manager": "kubectl", "fieldsV1": {"f:spec": {"f:image": {}, "f:env": {}},
                "f:metadata": {"f:labels": {"f:team": {}}}}}]}, "spec": {"image": "i"}});
        let owners = provenance(&object, None);
        assert_eq!(owners["spec.image"], "kubectl");
        assert_eq!(owners["metadata.labels.team"], "kubectl");
    }
}
