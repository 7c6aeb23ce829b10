//! Access of a Space from outside: its resources and the start-up probe of its address.

use super::children;
use crate::cluster::fields::{self, name, text, uid};
use crate::cluster::names::LABEL_SPACE;
use crate::cluster::queue::{Id, Key};
use crate::cluster::sentinel::{self, Sentinel};
use crate::cluster::workloads::log_lost;
use crate::cluster::world::World;
use serde_json::{Value, json};
use std::time::Duration;

/// A refused child is tried again after this.
pub(super) const RETRY: Duration = Duration::from_secs(15);
/// Code default; the CRD's comment says 30.
const FAILURE_THRESHOLD: i64 = 20;
/// The last tries back off exponentially, long enough to outlive a negative DNS answer.
const BACK_OFF_TRIES: i64 = 10;
const LONGEST_BACK_OFF: Duration = Duration::from_secs(302);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Pending,
    Ready,
    GaveUp,
}

/// Makes access once the pod is available. Answers its state and the status fields that go with it.
pub(super) fn ensure(
    world: &mut World,
    id: &Id,
    space: &Value,
    strategy: Option<&Value>,
    compute: bool,
) -> (Access, Value) {
    let Some(strategy) = strategy else { return (Access::Ready, json!({})) };
    let status = &space["status"];
    let version = format!("{}.{}", uid(strategy), strategy["metadata"]["generation"].as_i64().unwrap_or(1));
    if status["observedAccessStrategyVersion"] != version.as_str() {
        if !compute {
            return (Access::Pending, json!({}));
        }
        return begin(world, id, space, strategy, &version);
    }
    if status["accessStartupProbeSucceeded"] == true {
        return (Access::Ready, json!({}));
    }
    let failures = status["accessStartupProbeFailures"].as_i64().unwrap_or(0);
    if failures >= threshold(strategy) {
        return (Access::GaveUp, json!({}));
    }
    if compute {
        // After a restart of the sandbox the timer is new; an earlier one stays.
        let probe = &strategy["spec"]["accessStartupProbe"];
        world.queue.push_after(Key::AccessProbe(id.clone()), pause_after(world, probe, failures));
    }
    (Access::Pending, json!({}))
}

/// New access resources, or another strategy: the probe starts afresh.
fn begin(world: &mut World, id: &Id, space: &Value, strategy: &Value, version: &str) -> (Access, Value) {
    let probe = &strategy["spec"]["accessStartupProbe"];
    let mut changes = json!({
        "observedAccessStrategyVersion": version,
        "accessResources": children::access_resources(space, strategy),
        "accessResourceSelector": format!("{LABEL_SPACE}={}", name(space)),
        "accessStartupProbeFailures": null, "accessStartupProbeSucceeded": null, "earliestNextProbeTime": null,
    });
    if probe.is_null() {
        changes["accessStartupProbeSucceeded"] = json!(true);
        return (Access::Ready, changes);
    }
    let delay = Duration::from_secs(probe["initialDelaySeconds"].as_u64().unwrap_or(0));
    world.queue.push_after(Key::AccessProbe(id.clone()), world.options.pace.work(delay));
    (Access::Pending, changes)
}

fn threshold(strategy: &Value) -> i64 {
    strategy["spec"]["accessStartupProbe"]["failureThreshold"].as_i64().unwrap_or(FAILURE_THRESHOLD)
}

/// One try of the start-up probe.
pub fn probe(world: &mut World, id: &Id) {
    let Some(space) = world.operator.get("workspaces", &id.namespace, &id.name) else { return };
    let Some(strategy) = super::strategy_of(world, &space) else { return };
    let status = &space["status"];
    let failures = status["accessStartupProbeFailures"].as_i64().unwrap_or(0);
    let over = status["accessStartupProbeSucceeded"] == true || failures >= threshold(&strategy);
    if over || !status["observedAccessStrategyVersion"].is_string() || fields::is_deleting(&space) {
        return;
    }
    let answers =
        sentinel::of_space(&id.name) != Some(Sentinel::FailProbe) && world.kubelet.is_serving(uid(&space));
    let patch = if answers {
        json!({
            "accessStartupProbeSucceeded": true, "accessStartupProbeFailures": null, "earliestNextProbeTime": null,
        })
    } else {
        let failures = failures + 1;
        let pause = pause_after(world, &strategy["spec"]["accessStartupProbe"], failures);
        let next = jiff::Timestamp::now() + jiff::SignedDuration::try_from(pause).unwrap_or_default();
        if failures < threshold(&strategy) {
            world.queue.push_after(Key::AccessProbe(id.clone()), pause);
        }
        json!({
            "accessStartupProbeSucceeded": false, "accessStartupProbeFailures": failures,
            "earliestNextProbeTime": next.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        })
    };
    let patch = json!({"status": patch});
    log_lost("probe result", world.operator.patch_status("workspaces", &id.namespace, &id.name, patch));
}

/// The period, and for the last tries an exponential back-off from it.
fn pause_after(world: &World, probe: &Value, failures: i64) -> Duration {
    let period = Duration::from_secs(probe["periodSeconds"].as_u64().unwrap_or(2));
    let steady = probe["failureThreshold"].as_i64().unwrap_or(FAILURE_THRESHOLD) - BACK_OFF_TRIES;
    let doublings = u32::try_from((failures - steady).clamp(0, 20)).unwrap_or(0);
    world.options.pace.work((period * 2u32.saturating_pow(doublings)).min(LONGEST_BACK_OFF))
}

/// The web address of a Space, as its strategy makes it; `None` where there is no web UI.
pub fn bearer_url(space: &Value, strategy: &Value) -> Option<Result<String, String>> {
    let template = text(&strategy["spec"]["bearerAuthURLTemplate"]);
    let service = crate::cluster::names::service(name(space));
    let context = crate::cluster::gotemplate::Context { space, strategy, service: &service };
    (!template.is_empty()).then(|| context.render(template))
}
