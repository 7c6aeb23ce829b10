//! What Kubernetes' own controllers do about a change, done at once: garbage collection, namespaces, claims in use,
//! node taints, quota usage.
//!
//! They run in the thread of the change that causes them, after it is committed, so that a caller sees their work
//! when its own call returns. Each looks only at what the change touches.

mod claims;
mod garbage;
mod namespaces;
mod nodes;

use super::Core;
use super::identity::UserInfo;
use super::kinds::{self, Kind};
use super::store::Key;
use super::verbs::{self, DeleteOptions, Request};
use super::{object, quota};
use serde_json::Value;

pub fn after_create(core: &Core, kind: &'static Kind, new: &Value) {
    if !core.runs_controllers() {
        return;
    }
    match kind.plural {
        "namespaces" => namespaces::set_up(core, new),
        "resourcequotas" => quota::recount(core, new),
        "nodes" => nodes::keep_taint(core, new),
        _ => {}
    }
    garbage::check_owners(core, kind, new);
}

pub fn after_update(core: &Core, kind: &'static Kind, old: &Value, new: &Value) {
    if !core.runs_controllers() {
        return;
    }
    quota::follow(core, kind, old, Some(new));
    if kind.plural == "resourcequotas" && old["spec"] != new["spec"] {
        quota::recount(core, new);
    }
    if kind.plural == "nodes" && old["status"]["conditions"] != new["status"]["conditions"] {
        nodes::keep_taint(core, new);
    }
    if kind.plural == "pods" {
        claims::release_of_pod(core, new);
    }
    if !object::is_terminating(new) || object::is_terminating(old) {
        return;
    }
    match kind.plural {
        "namespaces" => namespaces::empty(core, new),
        "persistentvolumeclaims" => claims::release(core, new),
        _ => {}
    }
    garbage::start(core, kind, new);
}

pub fn after_delete(core: &Core, kind: &'static Kind, gone: &Value) {
    if !core.runs_controllers() {
        return;
    }
    quota::follow(core, kind, gone, None);
    garbage::collect(core, gone);
    if kind.plural == "pods" {
        claims::release_of_pod(core, gone);
    }
    if kind.namespaced {
        namespaces::finish(core, object::namespace(gone));
    }
}

/// The identity these controllers act under.
fn user(controller: &str) -> UserInfo {
    UserInfo::component(&format!("system:serviceaccount:kube-system:{controller}"))
}

/// Deletes an object; what is gone already, or refused, is left to the next change that looks at it.
fn delete(core: &Core, kind: &'static Kind, target: &Value, options: &DeleteOptions, controller: &str) {
    let user = user(controller);
    let request = Request::new(kind, object::namespace(target), object::name(target), &user);
    if let Err(failure) = verbs::delete(core, &request, options)
        && failure.code != 404
    {
        tracing::warn!(kind = kind.plural, name = object::name(target), failure.message, "not collected");
    }
}

/// Removes one finalizer, which may let the object go.
fn remove_finalizer(core: &Core, kind: &'static Kind, target: &Value, finalizer: &str, controller: &str) {
    let user = user(controller);
    let request = Request::new(kind, object::namespace(target), object::name(target), &user);
    let Some(stored) = core.store.get(kind, &Key::of(target)) else { return };
    let kept: Vec<&str> = object::finalizers(&stored).into_iter().filter(|name| *name != finalizer).collect();
    let patch = serde_json::json!({"metadata": {"uid": object::uid(target), "finalizers": kept}});
    if let Err(failure) = verbs::patch(core, &request, &verbs::Patch::Merge(patch), &Ok)
        && failure.code != 404
    {
        tracing::warn!(kind = kind.plural, name = object::name(target), failure.message, "finalizer kept");
    }
}

fn kind(plural: &str) -> &'static Kind {
    kinds::by_plural(plural).expect("built-in kinds are always served")
}
