//! Reading one object, and the log of a pod.

use super::{Call, answer, list, represent};
use crate::kube::failure::Failure;
use crate::kube::hooks::LogOptions;
use crate::kube::refusals::{self, bad_request};
use crate::kube::store::Key;
use crate::kube::verbs;
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures::StreamExt;
use serde_json::Value;
use std::convert::Infallible;
use std::sync::Arc;
use tokio_stream::wrappers::ReceiverStream;

/// The stored object that a route names.
pub(super) fn stored(call: &Call) -> Result<Arc<Value>, Failure> {
    let namespace = if call.served.kind.namespaced { call.route.namespace.as_str() } else { "" };
    verbs::read(&call.core, call.served.kind, &Key::new(namespace, &call.route.name))
}

pub(super) fn get(call: &Call) -> Result<Response, Failure> {
    if let Some(asked) = list::version(call)? {
        list::reached(call, asked)?;
    }
    let object = stored(call)?;
    Ok(represent::object(call, 200, &object, &[]))
}

pub(super) fn scale(call: &Call) -> Result<Response, Failure> {
    let workload = stored(call)?;
    Ok(answer::json(200, &crate::kube::scale::of(&workload)))
}

pub(super) fn log(call: &Call) -> Result<Response, Failure> {
    let pod = stored(call)?;
    let container = container(call, &pod)?;
    // A pod that is on no node has no log yet.
    if pod["spec"]["nodeName"].as_str().is_none_or(str::is_empty) {
        return Ok(answer::empty(204));
    }
    let Some(logs) = call.core.hooks().and_then(|hooks| hooks.pod_logs.as_ref()) else {
        // Nobody plays the node, so the node is what is missing.
        let node = pod["spec"]["nodeName"].as_str().unwrap_or_default();
        return Err(refusals::not_found(call.served.kind, node));
    };
    let lines = logs.open(&pod, &container, &options(call))?;
    let body = ReceiverStream::new(lines).map(|mut line| {
        line.push('\n');
        Ok::<Bytes, Infallible>(Bytes::from(line))
    });
    Ok(answer::with_type(200, "text/plain", Body::from_stream(body)))
}

/// The container named, or the only one.
fn container(call: &Call, pod: &Value) -> Result<String, Failure> {
    let name = &call.route.name;
    let names = |list: &str| -> Vec<String> {
        let containers = pod["spec"][list].as_array().into_iter().flatten();
        containers.filter_map(|c| c["name"].as_str()).map(str::to_owned).collect()
    };
    let (main, init) = (names("containers"), names("initContainers"));
    match call.query.text("container") {
        "" if main.len() == 1 => Ok(main[0].clone()),
        "" => {
            let extra = if init.is_empty() {
                String::new()
            } else {
                format!(" or one of the init containers: [{}]", init.join(" "))
            };
            Err(bad_request(format!(
                "a container name must be specified for pod {name}, choose one of: [{}]{extra}",
                main.join(" ")
            )))
        }
        asked if main.iter().chain(&init).any(|known| known == asked) => Ok(asked.to_owned()),
        asked => Err(bad_request(format!("container {asked} is not valid for pod {name}"))),
    }
}

fn options(call: &Call) -> LogOptions {
    let query = &call.query;
    let number = |key: &str| query.text(key).parse::<i64>().ok();
    LogOptions {
        container: query.get("container").map(str::to_owned),
        follow: query.flag("follow"),
        previous: query.flag("previous"),
        tail_lines: number("tailLines").and_then(|n| usize::try_from(n).ok()),
        since_seconds: number("sinceSeconds"),
        limit_bytes: number("limitBytes").and_then(|n| usize::try_from(n).ok()),
        timestamps: query.flag("timestamps"),
    }
}
