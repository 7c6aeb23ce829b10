//! Deployments and ReplicaSets, as kube-controller-manager runs them.

pub mod deployment;
pub mod replicaset;

use super::fields::{name, uid};
use super::recorder::Component;
use crate::kube::failure::Failure;
use serde_json::{Value, json};

pub(super) const DEPLOYMENTS: Component = Component("deployment-controller");
pub(super) const REPLICA_SETS: Component = Component("replicaset-controller");

/// The owner reference of a controller to its child.
pub(super) fn owned_by(owner: &Value) -> Value {
    json!([{
        "apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": name(owner), "uid": uid(owner),
        "controller": true, "blockOwnerDeletion": true,
    }])
}

/// A write that lost against a newer state is repeated by the change that made it lose.
pub(super) fn log_lost(what: &str, result: Result<impl Sized, Failure>) {
    if let Err(failure) = result
        && failure.code != 404
        && failure.code != 409
    {
        tracing::warn!(what, code = failure.code, failure.message, "controller write refused");
    }
}
