//! Delete: preconditions, grace, finalizers, propagation.

use super::{ATTEMPTS, Request, admit, read};
use crate::kube::Core;
use crate::kube::failure::Failure;
use crate::kube::hooks::Operation;
use crate::kube::{controllers, object, refusals};
use serde_json::{Value, json};
use std::sync::Arc;

/// What happens to the objects that this one owns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Propagation {
    /// They are collected after it is gone.
    #[default]
    Background,
    /// It stays until those that block it are gone.
    Foreground,
    /// They lose their owner and stay.
    Orphan,
}

#[derive(Clone, Debug, Default)]
pub struct DeleteOptions {
    /// `None`: the kind's own policy, which is background here.
    pub propagation: Option<Propagation>,
    /// Pods only; `None` means spec.terminationGracePeriodSeconds. A pod on a node stays, marked, until somebody
    /// (its kubelet) deletes it with 0.
    pub grace_period_seconds: Option<i64>,
    pub uid: Option<String>,
    pub resource_version: Option<String>,
}

#[derive(Debug)]
pub struct Deleted {
    /// Its last state, or its state while something still holds it.
    pub object: Arc<Value>,
    pub gone: bool,
    pub warnings: Vec<String>,
}

/// Deletes an object, or marks it when finalizers or a grace period hold it.
///
/// # Errors
/// 404, 409 when a precondition fails, 403 from admission.
pub fn delete(core: &Core, request: &Request<'_>, options: &DeleteOptions) -> Result<Deleted, Failure> {
    for _ in 0..ATTEMPTS {
        let old = read(core, request.kind, &request.key())?;
        check_preconditions(request, options, &old)?;
        let mut warnings = Vec::new();
        admit::validate(core, request, Operation::Delete, Some(&old), &old, &mut warnings)?;
        let marked = mark(request, options, &old);
        let gone = is_free(request, &marked);
        if request.dry_run {
            let object = if gone && request.kind.plural != "pods" { old } else { Arc::new(marked) };
            return Ok(Deleted { object, gone, warnings });
        }
        if gone {
            // Kinds that end gracefully are marked first, even with no time left.
            let last = if request.kind.plural == "pods" { marked } else { Value::clone(&old) };
            if let Ok(object) = core.store.remove(request.kind, &old, last) {
                controllers::after_delete(core, request.kind, &object);
                return Ok(Deleted { object, gone, warnings });
            }
        } else if marked == *old {
            return Ok(Deleted { object: old, gone, warnings });
        } else if let Ok(object) = core.store.put(request.kind, Some(&old), marked) {
            controllers::after_update(core, request.kind, &old, &object);
            return Ok(Deleted { object, gone, warnings });
        }
    }
    Err(refusals::modified(request.kind, request.name))
}

/// Nothing holds it any more. A namespace is held until its content is gone.
fn is_free(request: &Request<'_>, marked: &Value) -> bool {
    let content = request.kind.plural == "namespaces"
        && marked["spec"]["finalizers"].as_array().is_some_and(|list| !list.is_empty());
    object::finalizers(marked).is_empty() && grace(marked) == 0 && !content
}

fn grace(object: &Value) -> i64 {
    object["metadata"]["deletionGracePeriodSeconds"].as_i64().unwrap_or(0)
}

fn check_preconditions(request: &Request<'_>, options: &DeleteOptions, old: &Value) -> Result<(), Failure> {
    let kind = request.kind;
    let refuse = |why: String| {
        let message =
            format!("Operation cannot be fulfilled on {} \"{}\": {why}", kind.qualified_kind(), request.name);
        let details = refusals::details(request.name, kind.group, kind.kind);
        Err(Failure::new(409, "Conflict", message).with_details(details))
    };
    if let Some(uid) = options.uid.as_deref().filter(|uid| *uid != object::uid(old)) {
        return refuse(format!(
            "the UID in the precondition ({uid}) does not match the UID in record ({}). The object might have been \
             deleted and then recreated",
            object::uid(old)
        ));
    }
    let stored = object::meta(old, "resourceVersion");
    if let Some(version) = options.resource_version.as_deref().filter(|version| *version != stored) {
        return refuse(format!(
            "the ResourceVersion in the precondition ({version}) does not match the ResourceVersion in record \
             ({stored}). The object might have been modified"
        ));
    }
    Ok(())
}

/// The state of an object whose deletion has been asked for.
fn mark(request: &Request<'_>, options: &DeleteOptions, old: &Value) -> Value {
    let mut new = old.clone();
    let mut finalizers: Vec<&str> = object::finalizers(old);
    if let Some(propagation) = options.propagation {
        finalizers.retain(|finalizer| !matches!(*finalizer, "orphan" | "foregroundDeletion"));
        match propagation {
            Propagation::Background => {}
            Propagation::Foreground => finalizers.push("foregroundDeletion"),
            Propagation::Orphan => finalizers.push("orphan"),
        }
    }
    if finalizers.is_empty() {
        object::meta_mut(&mut new).remove("finalizers");
    } else {
        object::set_meta(&mut new, "finalizers", json!(finalizers));
    }
    let seconds = grace_of(request, options, old);
    let already = object::is_terminating(old);
    if !already || seconds < grace(old) {
        let at = jiff::Timestamp::now() + jiff::SignedDuration::from_secs(seconds);
        object::set_meta(&mut new, "deletionTimestamp", at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
        object::set_meta(&mut new, "deletionGracePeriodSeconds", seconds);
    }
    if !already && let Some(generation) = old["metadata"]["generation"].as_i64() {
        object::set_meta(&mut new, "generation", generation + 1);
    }
    if request.kind.plural == "namespaces" {
        new["status"]["phase"] = json!("Terminating");
    }
    new
}

/// Only a pod on a node that has not ended gets time to end.
fn grace_of(request: &Request<'_>, options: &DeleteOptions, old: &Value) -> i64 {
    if request.kind.plural != "pods" {
        return 0;
    }
    let ended = matches!(old["status"]["phase"].as_str(), Some("Succeeded" | "Failed"));
    let placed = old["spec"]["nodeName"].as_str().is_some_and(|node| !node.is_empty());
    if ended || !placed {
        return 0;
    }
    let own = old["spec"]["terminationGracePeriodSeconds"].as_i64().unwrap_or(30);
    options.grace_period_seconds.unwrap_or(own).max(0)
}
