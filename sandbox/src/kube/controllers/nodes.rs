//! The not-ready taint of nodes follows their Ready condition.

use super::{kind, user};
use crate::kube::Core;
use crate::kube::defaults::NOT_READY;
use crate::kube::object;
use crate::kube::verbs::{self, Patch, Request};
use serde_json::{Value, json};

pub(super) fn keep_taint(core: &Core, node: &Value) {
    let conditions = node["status"]["conditions"].as_array().into_iter().flatten();
    let ready =
        conditions.into_iter().any(|one| one["type"] == json!("Ready") && one["status"] == json!("True"));
    let taints = node["spec"]["taints"].as_array().map_or(&[][..], Vec::as_slice);
    let tainted = taints.iter().any(|taint| taint["key"] == json!(NOT_READY));
    if ready != tainted {
        return;
    }
    let mut wanted: Vec<Value> =
        taints.iter().filter(|taint| taint["key"] != json!(NOT_READY)).cloned().collect();
    if !ready {
        wanted.push(json!({"key": NOT_READY, "effect": "NoSchedule"}));
    }
    let wanted = if wanted.is_empty() { Value::Null } else { Value::Array(wanted) };
    let user = user("node-controller");
    let request = Request::new(kind("nodes"), "", object::name(node), &user);
    let patch = Patch::Merge(json!({"spec": {"taints": wanted}}));
    if let Err(failure) = verbs::patch(core, &request, &patch, &Ok) {
        tracing::warn!(node = object::name(node), failure.message, "taint not kept");
    }
}
