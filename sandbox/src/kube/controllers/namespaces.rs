//! Namespaces: the default service account of a new one, the end of a deleted one.

use super::{delete, kind, user};
use crate::kube::Core;
use crate::kube::kinds;
use crate::kube::object;
use crate::kube::store::Key;
use crate::kube::verbs::{self, DeleteOptions, Request};
use serde_json::{Value, json};

const CONTROLLER: &str = "namespace-controller";

pub(super) fn set_up(core: &Core, namespace: &Value) {
    let user = user("service-account-controller");
    let request = Request::new(kind("serviceaccounts"), object::name(namespace), "", &user);
    let account = json!({"metadata": {"name": "default"}});
    if let Err(failure) = verbs::create(core, &request, account)
        && failure.code != 409
    {
        tracing::warn!(namespace = object::name(namespace), failure.message, "no default service account");
    }
}

/// Deletes everything in a namespace that is going away.
pub(super) fn empty(core: &Core, namespace: &Value) {
    let name = object::name(namespace);
    for kind in kinds::all().iter().filter(|kind| kind.namespaced) {
        for target in core.store.list(kind, Some(name)) {
            let options = DeleteOptions { grace_period_seconds: Some(0), ..DeleteOptions::default() };
            if core.store.get(kind, &Key::of(&target)).is_some() {
                delete(core, kind, &target, &options, CONTROLLER);
            }
        }
    }
    finish(core, name);
}

/// Removes a namespace that is going away once it is empty.
pub(super) fn finish(core: &Core, name: &str) {
    let namespaces = kind("namespaces");
    let Some(namespace) = core.store.get(namespaces, &Key::new("", name)) else { return };
    if !object::is_terminating(&namespace) {
        return;
    }
    let empty =
        kinds::all().iter().filter(|kind| kind.namespaced).all(|kind| core.store.is_empty(kind, name));
    if !empty || !object::finalizers(&namespace).is_empty() {
        return;
    }
    // Somebody else's write between the two is followed by another look.
    let _ = core.store.remove(namespaces, &namespace, Value::clone(&namespace));
}
