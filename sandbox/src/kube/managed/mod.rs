//! Field ownership (`metadata.managedFields`): who set what, and server-side apply on top of it.
//!
//! Follows structured-merge-diff: a write owns the fields it adds or changes, an apply owns what it names.

mod blank;
mod compare;
mod entries;
mod merge;
mod set;

use super::failure::Failure;
use super::object;
use super::schema::Shape;
use super::verbs::Request;
use compare::Comparison;
use entries::Entry;
use serde_json::{Value, json};
use set::Set;

/// Where client-side apply keeps the last configuration.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
/// Fields that belong to the server.
const SERVER_FIELDS: &[&str] = &[
    "f:name",
    "f:namespace",
    "f:creationTimestamp",
    "f:selfLink",
    "f:uid",
    "f:clusterName",
    "f:generation",
    "f:managedFields",
    "f:resourceVersion",
];

/// What kind of write a change is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Owners were settled when the configuration was merged.
    Apply,
    Update,
}

/// Takes out what nobody may own through this endpoint.
fn owned(request: &Request<'_>, mut set: Set) -> Set {
    for name in ["f:apiVersion", "f:kind"] {
        set.remove_tree(&[name]);
    }
    for name in SERVER_FIELDS {
        set.remove_tree(&["f:metadata", name]);
    }
    set.remove_member("f:metadata");
    if request.subresource == "status" {
        set.remove_tree(&["f:spec"]);
        set.remove_tree(&["f:metadata"]);
    } else if request.kind.status {
        set.remove_tree(&["f:status"]);
    }
    set
}

fn entry(request: &Request<'_>, manager: &str, applied: bool) -> Entry {
    Entry {
        manager: manager.to_owned(),
        applied,
        api_version: request.api_version.clone(),
        subresource: request.subresource.to_owned(),
        time: Some(object::now()),
        fields: Set::default(),
    }
}

/// Gives the fields of a new object to its creator: all of them, or those that an apply names.
pub fn track_create(request: &Request<'_>, new: &mut Value) {
    object::meta_mut(new).remove("managedFields");
    let Some(manager) = request.manager else { return };
    let shape = Shape::of_kind(request.kind);
    let mut owner = entry(request, manager, request.applied.is_some());
    let fields = match request.applied {
        Some(applied) => compare::named(shape, applied).unwrap_or_default(),
        None => Comparison::of(shape, &blank::object(request.kind), new).changed(),
    };
    owner.fields = owned(request, fields);
    entries::write(new, vec![owner]);
}

/// Gives changed fields to the writer and takes them from all others.
pub fn track_update(request: &Request<'_>, operation: Operation, old: &Value, new: &mut Value) {
    if operation == Operation::Apply {
        return;
    }
    let sent = new["metadata"].get("managedFields").and_then(Value::as_array).cloned();
    // One empty entry is how a client drops all ownership; no entry says nothing.
    if sent.as_ref().is_some_and(|list| *list == [json!({})]) && request.manager.is_some() {
        object::meta_mut(new).remove("managedFields");
        return;
    }
    if request.manager.is_none() || sent.is_none_or(|list| list.is_empty()) {
        object::keep_meta(new, old, "managedFields");
    }
    // What nobody tracks stays so until somebody applies.
    if new["metadata"].get("managedFields").is_none() {
        return;
    }
    let comparison = Comparison::of(Shape::of_kind(request.kind), old, new);
    let Some(manager) = request.manager else {
        let left = entries::read(new).into_iter();
        let left =
            left.map(|one| Entry { fields: one.fields.difference(&comparison.removed), ..one }).collect();
        entries::write(new, left);
        return;
    };
    let changed = comparison.changed();
    let before = entries::read(new);
    let mut owner = entry(request, manager, false);
    let mut after: Vec<Entry> = Vec::new();
    for mut known in before {
        if known.same_owner(&owner) {
            owner.fields = known.fields.difference(&comparison.removed);
            owner.time = known.time;
        } else {
            known.fields = known.fields.difference(&changed).difference(&comparison.removed);
            after.push(known);
        }
    }
    let gained = owned(request, changed);
    if !gained.is_empty() {
        owner.fields = owner.fields.union(&gained);
        owner.time = Some(object::now());
    }
    after.push(owner);
    entries::write(new, after);
}

/// The stored object with an applied configuration merged in and its owners settled.
///
/// # Errors
/// 409 when another manager owns a field with another value, 500 when the configuration does not fit the type.
pub fn apply(request: &Request<'_>, old: &Value, applied: &Value, force: bool) -> Result<Value, Failure> {
    let shape = Shape::of_kind(request.kind);
    let manager = request.manager.unwrap_or("unknown");
    let named = owned(request, named_by(request, applied)?);
    let mut owner = entry(request, manager, true);
    let mut others = entries::read(old);
    let position = others.iter().position(|known| known.same_owner(&owner));
    let last = position.map(|position| others.remove(position));
    if others.is_empty() && last.is_none() {
        let all = Comparison::of(shape, &blank::object(request.kind), old).changed();
        let before = Entry { fields: owned(request, all), ..entry(request, "before-first-apply", false) };
        others.push(before);
    }

    let mut merged = merge::merge(shape, old, &without_server_fields(applied));
    if let Some(last) = &last {
        let kept = others.iter().fold(named.clone(), |all, other| all.union(&other.fields));
        let gone = last.fields.with_parents().difference(&kept.with_parents());
        for path in gone.paths() {
            merge::remove(shape, &mut merged, &path);
        }
    }
    let comparison = Comparison::of(shape, old, &merged);
    let changed = owned(request, comparison.changed());
    let conflicts: Vec<(&Entry, Set)> = others
        .iter()
        .map(|other| (other, other.fields.intersection(&changed)))
        .filter(|(_, fields)| !fields.is_empty())
        .collect();
    if !force && !conflicts.is_empty() {
        return Err(conflict(&conflicts));
    }
    for other in &mut others {
        other.fields = other.fields.difference(&changed).difference(&comparison.removed);
    }
    owner.fields = named;
    if merged == *old {
        owner.time = last.and_then(|last| last.time);
    }
    others.push(owner);
    entries::write(&mut merged, others);
    if manager == "kubectl" {
        keep_last_applied(&mut merged, applied);
    }
    Ok(merged)
}

/// Keeps the annotation of client-side apply true, so that kubectl can go back to it. Nobody comes to own it.
fn keep_last_applied(merged: &mut Value, applied: &Value) {
    if merged["metadata"]["annotations"].get(LAST_APPLIED).is_none() {
        return;
    }
    let mut config = sorted(applied);
    object::meta_mut(&mut config).remove("managedFields");
    if let Some(annotations) = config["metadata"].get_mut("annotations").and_then(Value::as_object_mut) {
        annotations.remove(LAST_APPLIED);
    }
    merged["metadata"]["annotations"][LAST_APPLIED] = json!(format!("{config}\n"));
}

/// With keys in order at every level, as Go writes maps.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut pairs: Vec<_> = fields.iter().map(|(key, value)| (key.clone(), sorted(value))).collect();
            pairs.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(pairs.into_iter().collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(sorted).collect()),
        other => other.clone(),
    }
}

/// The fields that an applied configuration names.
///
/// # Errors
/// 500 in upstream's words when it does not fit the type.
pub fn named_by(request: &Request<'_>, applied: &Value) -> Result<Set, Failure> {
    compare::named(Shape::of_kind(request.kind), applied).map_err(|why| {
        let place =
            if request.namespace.is_empty() { String::new() } else { format!("{}/", request.namespace) };
        let message = format!(
            "failed to create typed patch object ({place}{}; {}, Kind={}): {why}",
            request.name, request.api_version, request.kind.kind
        );
        Failure::new(500, "", message)
    })
}

fn without_server_fields(applied: &Value) -> Value {
    let mut applied = applied.clone();
    for name in SERVER_FIELDS {
        object::meta_mut(&mut applied).remove(name.trim_start_matches("f:"));
    }
    applied
}

fn conflict(conflicts: &[(&Entry, Set)]) -> Failure {
    let mut causes = Vec::new();
    let mut texts = Vec::new();
    for (owner, fields) in conflicts {
        let who = owner.describe();
        let paths: Vec<String> = fields.paths().iter().map(|path| set::describe(path)).collect();
        for path in &paths {
            let message = format!("conflict with {who}");
            causes.push(json!({"reason": "FieldManagerConflict", "message": message, "field": path}));
        }
        texts.push((who, paths));
    }
    let count = causes.len();
    let message = match texts.as_slice() {
        [(who, paths)] if paths.len() == 1 => format!("conflict with {who}: {}", paths[0]),
        _ => {
            let list = |paths: &[String]| paths.iter().map(|path| format!("\n- {path}")).collect::<String>();
            texts
                .iter()
                .map(|(who, paths)| format!("conflicts with {who}:{}", list(paths)))
                .collect::<Vec<_>>()
                .join("\n")
        }
    };
    let plural = if count == 1 { "" } else { "s" };
    Failure::new(409, "Conflict", format!("Apply failed with {count} conflict{plural}: {message}"))
        .with_details(json!({"causes": causes}))
}
