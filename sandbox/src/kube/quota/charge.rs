//! What an object counts for against quotas.

use crate::kube::kinds::Kind;
use serde_json::Value;
use spaceport_shared::quantity::{Quantity, format_bytes, format_cpu};
use std::collections::BTreeMap;

/// Kinds with a quota name of their own besides `count/…`.
const COUNTED: &[&str] =
    &["pods", "services", "persistentvolumeclaims", "configmaps", "secrets", "resourcequotas"];

/// Amounts by quota resource name; zero amounts are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Charge(BTreeMap<String, Quantity>);

impl Charge {
    fn put(&mut self, resource: impl Into<String>, more: Quantity) {
        let entry = self.0.entry(resource.into()).or_insert(Quantity::ZERO);
        *entry = entry.saturating_add(more);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn get(&self, resource: &str) -> Quantity {
        self.0.get(resource).copied().unwrap_or(Quantity::ZERO)
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, Quantity)> {
        self.0.iter().map(|(resource, amount)| (resource.as_str(), *amount))
    }

    pub fn add(&mut self, other: &Charge) {
        for (resource, more) in other.iter() {
            self.put(resource, more);
        }
    }

    /// What this is more than the other; what it is less is left out.
    #[must_use]
    pub fn minus(&self, other: &Charge) -> Charge {
        let left =
            self.iter().map(|(name, amount)| (name.to_owned(), amount.saturating_sub(other.get(name))));
        Charge(left.filter(|(_, amount)| !amount.is_negative() && *amount != Quantity::ZERO).collect())
    }

    /// The part that a quota limits.
    #[must_use]
    pub fn limited_by(&self, hard: &Value) -> Charge {
        let part = self.0.iter().filter(|(name, _)| hard.get(name.as_str()).is_some());
        Charge(part.map(|(name, amount)| (name.clone(), *amount)).collect())
    }
}

/// Could objects of this kind count against these limits?
pub fn may_matter(kind: &Kind, hard: &Value) -> bool {
    let names = hard.as_object().into_iter().flat_map(serde_json::Map::keys);
    let count = format!("count/{}", kind.qualified_plural());
    names.into_iter().any(|name| {
        *name == count
            || name == kind.plural
            || kind.plural == "pods"
            || kind.plural == "persistentvolumeclaims"
    })
}

/// What one object counts for.
pub fn charge(kind: &Kind, object: &Value) -> Charge {
    let mut charge = Charge::default();
    if !kind.namespaced {
        return charge;
    }
    let one = Quantity::from_units(1);
    charge.put(format!("count/{}", kind.qualified_plural()), one);
    match kind.plural {
        "pods" if matches!(object["status"]["phase"].as_str(), Some("Succeeded" | "Failed")) => {
            return charge;
        }
        "pods" => charge_pod(object, &mut charge),
        "persistentvolumeclaims" => charge_claim(object, &mut charge),
        _ => {}
    }
    if COUNTED.contains(&kind.plural) {
        charge.put(kind.plural, one);
    }
    charge.0.retain(|_, amount| *amount != Quantity::ZERO);
    charge
}

fn charge_pod(pod: &Value, charge: &mut Charge) {
    for (name, amount) in effective(pod, "requests") {
        match name.as_str() {
            "cpu" | "memory" | "ephemeral-storage" => {
                charge.put(name.clone(), amount);
                charge.put(format!("requests.{name}"), amount);
            }
            name => charge.put(format!("requests.{name}"), amount),
        }
    }
    for (name, amount) in effective(pod, "limits") {
        if matches!(name.as_str(), "cpu" | "memory" | "ephemeral-storage") {
            charge.put(format!("limits.{name}"), amount);
        }
    }
}

/// Containers together, or the largest init container where that is more.
fn effective(pod: &Value, list: &str) -> BTreeMap<String, Quantity> {
    let mut total: BTreeMap<String, Quantity> = BTreeMap::new();
    for container in pod["spec"]["containers"].as_array().into_iter().flatten() {
        for (name, amount) in amounts(&container["resources"][list]) {
            let entry = total.entry(name).or_insert(Quantity::ZERO);
            *entry = entry.saturating_add(amount);
        }
    }
    for container in pod["spec"]["initContainers"].as_array().into_iter().flatten() {
        for (name, amount) in amounts(&container["resources"][list]) {
            let entry = total.entry(name).or_insert(Quantity::ZERO);
            *entry = (*entry).max(amount);
        }
    }
    total
}

fn amounts(resources: &Value) -> impl Iterator<Item = (String, Quantity)> {
    let pairs = resources.as_object().into_iter().flatten();
    pairs.filter_map(|(name, value)| Some((name.clone(), Quantity::parse(value.as_str()?).ok()?)))
}

fn charge_claim(claim: &Value, charge: &mut Charge) {
    let storage = claim["spec"]["resources"]["requests"]["storage"].as_str();
    let amount = storage.and_then(|text| Quantity::parse(text).ok()).unwrap_or(Quantity::ZERO);
    charge.put("requests.storage", amount);
    if let Some(class) = claim["spec"]["storageClassName"].as_str() {
        charge.put(format!("{class}.storageclass.storage.k8s.io/requests.storage"), amount);
        charge.put(
            format!("{class}.storageclass.storage.k8s.io/persistentvolumeclaims"),
            Quantity::from_units(1),
        );
    }
}

/// An amount as a status shows it.
pub fn format(resource: &str, amount: Quantity) -> String {
    if resource.ends_with("cpu") {
        return format_cpu(amount.millis());
    }
    if resource.ends_with("memory") || resource.ends_with("storage") {
        return format_bytes(amount.units());
    }
    amount.units().to_string()
}
