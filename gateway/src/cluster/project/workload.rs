//! Kueue Workloads of Space pods.

use crate::cluster::reading::{self, at, list, text, time};
use serde_json::Value;
use spaceport_shared::space::facts::WorkloadFacts;

/// A Workload and the pods it stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkloadObject {
    pub pods: Vec<String>,
    pub facts: WorkloadFacts,
}

pub fn project(object: &Value) -> WorkloadObject {
    let condition =
        |kind: &str| list(object, &["status", "conditions"]).iter().find(|c| text(c, &["type"]) == kind);
    let is_true = |c: &&Value| text(c, &["status"]) == "True";
    let admitted = condition("Admitted").filter(is_true);
    let evicted = condition("Evicted").filter(is_true);
    let waiting = evicted.or_else(|| condition("QuotaReserved"));
    WorkloadObject {
        pods: list(object, &["metadata", "ownerReferences"])
            .iter()
            .filter(|owner| text(owner, &["kind"]) == "Pod")
            .map(|owner| text(owner, &["name"]).to_owned())
            .collect(),
        facts: WorkloadFacts {
            name: reading::name(object).to_owned(),
            queue: text(object, &["spec", "queueName"]).to_owned(),
            quota_reserved: condition("QuotaReserved").is_some_and(|c| is_true(&c)),
            admitted: admitted.is_some(),
            admitted_at: admitted.and_then(|c| time(c, &["lastTransitionTime"])),
            active: at(object, &["spec", "active"]).as_bool().unwrap_or(true),
            evicted: evicted.map(|c| text(c, &["reason"]).to_owned()),
            message: waiting.map_or("", |c| text(c, &["message"])).to_owned(),
            since: waiting.and_then(|c| time(c, &["lastTransitionTime"])).or(reading::created_at(object)),
        },
    }
}
