//! ResourceQuota: refuses what would exceed it and keeps `status.used` as objects come and go.
//!
//! As upstream, admission trusts `status.used` and raises it before the object is stored; the controller's side
//! (counting anew, lowering) runs with the other controllers.

mod charge;

use super::Core;
use super::failure::Failure;
use super::hooks::{AdmissionRequest, Operation};
use super::kinds::{self, Kind};
use super::store::Key;
use super::{object, refusals};
use charge::Charge;
pub use charge::charge;
use serde_json::{Value, json};
use spaceport_shared::quantity::Quantity;
use std::cmp::Ordering;
use std::sync::Arc;

/// Attempts to write a quota's status against others doing the same.
const ATTEMPTS: usize = 20;
/// Amounts that a pod must state when a quota limits them.
const MUST_STATE: &[&str] =
    &["cpu", "memory", "requests.cpu", "requests.memory", "limits.cpu", "limits.memory"];

fn kind() -> &'static Kind {
    kinds::by_plural("resourcequotas").expect("quotas are always served")
}

fn amount(value: &Value) -> Quantity {
    value.as_str().and_then(|text| Quantity::parse(text).ok()).unwrap_or(Quantity::ZERO)
}

/// Refuses a write that would exceed a quota of its namespace, and books it otherwise.
///
/// # Errors
/// 403 `exceeded quota`, `must specify …` or `status unknown for quota`.
pub fn admit(core: &Core, request: &AdmissionRequest<'_>, new: &Value) -> Result<(), Failure> {
    if request.operation == Operation::Delete
        || !request.subresource.is_empty()
        || request.namespace.is_empty()
    {
        return Ok(());
    }
    let Some(of) = kinds::by_plural(request.resource) else { return Ok(()) };
    let delta = charge(of, new).minus(&request.old.map(|old| charge(of, old)).unwrap_or_default());
    if delta.is_empty() {
        return Ok(());
    }
    for quota in core.store.list(kind(), Some(request.namespace)) {
        book(core, of, request, &quota, &delta, new)?;
    }
    Ok(())
}

fn book(
    core: &Core,
    of: &Kind,
    request: &AdmissionRequest<'_>,
    quota: &Arc<Value>,
    delta: &Charge,
    new: &Value,
) -> Result<(), Failure> {
    let mut quota = quota.clone();
    for _ in 0..ATTEMPTS {
        let relevant = delta.limited_by(&quota["spec"]["hard"]);
        if relevant.is_empty() {
            return Ok(());
        }
        check(of, request.name, &quota, &relevant, new)?;
        if request.dry_run {
            return Ok(());
        }
        let raised = with_used(&quota, &relevant, Quantity::saturating_add);
        match core.store.put(kind(), Some(&quota), raised) {
            Ok(_) => return Ok(()),
            Err(stale) => match stale.0 {
                Some(newer) => quota = newer,
                None => return Ok(()),
            },
        }
    }
    Err(refusals::modified(kind(), object::name(&quota)))
}

fn check(of: &Kind, name: &str, quota: &Value, asked: &Charge, new: &Value) -> Result<(), Failure> {
    let quota_name = object::name(quota);
    let (hard, used) = (&quota["spec"]["hard"], &quota["status"]["used"]);
    let unknown: Vec<&str> = asked.names().filter(|resource| used.get(*resource).is_none()).collect();
    if !unknown.is_empty() {
        let why = format!("status unknown for quota: {quota_name}, resources: {}", unknown.join(","));
        return Err(refusals::forbidden(of, name, &why));
    }
    if of.plural == "pods" {
        check_stated(of, name, quota, new)?;
    }
    let over: Vec<(&str, Quantity)> = asked
        .iter()
        .filter(|(resource, more)| {
            let after = amount(&used[*resource]).saturating_add(*more);
            after.compare(amount(&hard[*resource])) == Ordering::Greater
        })
        .collect();
    if over.is_empty() {
        return Ok(());
    }
    let list = |show: &dyn Fn(&str, Quantity) -> String| {
        over.iter()
            .map(|(resource, more)| format!("{resource}={}", show(resource, *more)))
            .collect::<Vec<_>>()
            .join(",")
    };
    let text = |value: &Value| value.as_str().unwrap_or("0").to_owned();
    let why = format!(
        "exceeded quota: {quota_name}, requested: {}, used: {}, limited: {}",
        list(&|resource, more| charge::format(resource, more)),
        list(&|resource, _| text(&used[resource])),
        list(&|resource, _| text(&hard[resource])),
    );
    Err(refusals::forbidden(of, name, &why))
}

/// A pod must state what a quota limits.
fn check_stated(of: &Kind, name: &str, quota: &Value, pod: &Value) -> Result<(), Failure> {
    let containers = pod["spec"]["containers"].as_array().map_or(&[][..], Vec::as_slice);
    let mut missing = Vec::new();
    for resource in MUST_STATE.iter().filter(|name| quota["spec"]["hard"].get(**name).is_some()) {
        let (list, key) = resource.split_once('.').unwrap_or(("requests", resource));
        let silent: Vec<&str> = containers
            .iter()
            .filter(|container| container["resources"][list].get(key).is_none())
            .filter_map(|container| container["name"].as_str())
            .collect();
        if !silent.is_empty() {
            missing.push(format!("{resource} for: {}", silent.join(",")));
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let why = format!("failed quota: {}: must specify {}", object::name(quota), missing.join("; "));
    Err(refusals::forbidden(of, name, &why))
}

fn with_used(quota: &Value, delta: &Charge, change: fn(Quantity, Quantity) -> Quantity) -> Value {
    let mut changed = quota.clone();
    for (resource, more) in delta.iter() {
        let after = change(amount(&quota["status"]["used"][resource]), more);
        let after = if after.is_negative() { Quantity::ZERO } else { after };
        changed["status"]["used"][resource] = json!(charge::format(resource, after));
    }
    changed
}

/// Lowers the usage by what a change gave back: a deletion, or a pod that ended.
pub fn follow(core: &Core, of: &Kind, old: &Value, new: Option<&Value>) {
    let now = new.map(|new| charge(of, new)).unwrap_or_default();
    give_back(core, object::namespace(old), &charge(of, old).minus(&now));
}

/// Gives back what admission booked for a write that was not stored.
pub fn give_back(core: &Core, namespace: &str, back: &Charge) {
    if back.is_empty() || namespace.is_empty() {
        return;
    }
    for quota in core.store.list(kind(), Some(namespace)) {
        lower(core, quota, back);
    }
}

fn lower(core: &Core, mut quota: Arc<Value>, back: &Charge) {
    for _ in 0..ATTEMPTS {
        let relevant = back.limited_by(&quota["status"]["hard"]);
        if relevant.is_empty() {
            return;
        }
        let lowered = with_used(&quota, &relevant, Quantity::saturating_sub);
        match core.store.put(kind(), Some(&quota), lowered) {
            Ok(_) => return,
            Err(stale) => match stale.0 {
                Some(newer) => quota = newer,
                None => return,
            },
        }
    }
}

/// Counts a namespace anew for a quota that is new or limits something else.
pub fn recount(core: &Core, quota: &Value) {
    let key = Key::of(quota);
    for _ in 0..ATTEMPTS {
        let Some(stored) = core.store.get(kind(), &key) else { return };
        let hard = stored["spec"]["hard"].clone();
        let mut total = Charge::default();
        for of in kinds::all().iter().filter(|of| of.namespaced && charge::may_matter(of, &hard)) {
            for object in core.store.list(of, Some(&key.namespace)) {
                total.add(&charge(of, &object));
            }
        }
        let mut counted = Value::clone(&stored);
        counted["status"] = json!({"hard": hard, "used": {}});
        for resource in hard.as_object().into_iter().flat_map(serde_json::Map::keys) {
            counted["status"]["used"][resource] = json!(charge::format(resource, total.get(resource)));
        }
        if counted == *stored || core.store.put(kind(), Some(&stored), counted).is_ok() {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
