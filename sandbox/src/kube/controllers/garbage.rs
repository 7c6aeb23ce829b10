//! Garbage collection by owner references: background, foreground and orphaning.

use super::{delete, remove_finalizer, user};
use crate::kube::Core;
use crate::kube::kinds::Kind;
use crate::kube::object;
use crate::kube::verbs::{self, DeleteOptions, Patch, Propagation, Request};
use serde_json::{Value, json};

const CONTROLLER: &str = "generic-garbage-collector";
const FOREGROUND: &str = "foregroundDeletion";
const ORPHAN: &str = "orphan";

/// A new object whose owners are all gone is collected.
pub(super) fn check_owners(core: &Core, kind: &'static Kind, new: &Value) {
    let owners = object::owners(new);
    if !owners.is_empty() && owners.iter().all(|owner| !lives(core, owner)) {
        delete(core, kind, new, &DeleteOptions::default(), CONTROLLER);
    }
}

fn lives(core: &Core, owner: &Value) -> bool {
    owner["uid"].as_str().is_some_and(|uid| core.store.by_uid(uid).is_some())
}

/// An object that waits for its dependents, or lets them go, before it is deleted.
pub(super) fn start(core: &Core, kind: &'static Kind, owner: &Value) {
    let finalizers = object::finalizers(owner);
    if finalizers.contains(&ORPHAN) {
        for (kind, dependent) in core.store.dependents(object::uid(owner)) {
            disown(core, kind, &dependent, object::uid(owner));
        }
        remove_finalizer(core, kind, owner, ORPHAN, CONTROLLER);
    }
    if finalizers.contains(&FOREGROUND) {
        for (kind, dependent) in core.store.dependents(object::uid(owner)) {
            let options =
                DeleteOptions { propagation: Some(Propagation::Foreground), ..DeleteOptions::default() };
            if !object::is_terminating(&dependent) {
                delete(core, kind, &dependent, &options, CONTROLLER);
            }
        }
        finish_foreground(core, kind, owner);
    }
}

/// Lets an owner go once nothing that blocks it is left.
fn finish_foreground(core: &Core, kind: &'static Kind, owner: &Value) {
    let uid = object::uid(owner);
    let blocks = |dependent: &Value| {
        object::owners(dependent)
            .iter()
            .any(|reference| reference["uid"] == json!(uid) && reference["blockOwnerDeletion"] == json!(true))
    };
    if !core.store.dependents(uid).iter().any(|(_, dependent)| blocks(dependent)) {
        remove_finalizer(core, kind, owner, FOREGROUND, CONTROLLER);
    }
}

/// After an object is gone: its dependents follow, and owners that waited for it may go.
pub(super) fn collect(core: &Core, gone: &Value) {
    let uid = object::uid(gone);
    for (kind, dependent) in core.store.dependents(uid) {
        let shared =
            object::owners(&dependent).iter().any(|owner| owner["uid"] != json!(uid) && lives(core, owner));
        if shared {
            disown(core, kind, &dependent, uid);
        } else if !object::is_terminating(&dependent) {
            delete(core, kind, &dependent, &DeleteOptions::default(), CONTROLLER);
        }
    }
    for reference in object::owners(gone) {
        let Some((kind, owner)) = reference["uid"].as_str().and_then(|uid| core.store.by_uid(uid)) else {
            continue;
        };
        if object::is_terminating(&owner) && object::finalizers(&owner).contains(&FOREGROUND) {
            finish_foreground(core, kind, &owner);
        }
    }
}

/// Removes the references to one owner.
fn disown(core: &Core, kind: &'static Kind, dependent: &Value, owner: &str) {
    let kept: Vec<&Value> =
        object::owners(dependent).iter().filter(|reference| reference["uid"] != json!(owner)).collect();
    let patch = json!({"metadata": {"uid": object::uid(dependent), "ownerReferences": kept}});
    let user = user(CONTROLLER);
    let request = Request::new(kind, object::namespace(dependent), object::name(dependent), &user);
    if let Err(failure) = verbs::patch(core, &request, &Patch::Merge(patch), &Ok) {
        tracing::warn!(name = object::name(dependent), failure.message, "owner reference kept");
    }
}
