//! Idle shutdown: asks a running Space when it was last used, and stops it when that is too long ago.

use super::OPERATOR;
use super::conditions::AVAILABLE;
use crate::cluster::fields::{self, text, uid};
use crate::cluster::queue::{Id, Key};
use crate::cluster::sentinel::{self, Sentinel};
use crate::cluster::workloads::log_lost;
use crate::cluster::world::World;
use jiff::Timestamp;
use serde_json::{Value, json};

/// Status and body of the idle endpoint, or why it could not be asked.
pub type Answer = Result<(u16, String), String>;

/// Time for another check of a Space.
pub fn reconcile(world: &mut World, id: &Id) {
    let Some(space) = running(world, id) else { return };
    if world.spaces.entry(id.clone()).or_default().idle_endpoint_missing {
        return;
    }
    world.queue.push_after(Key::IdleCheck(id.clone()), world.options.idle_check);
    let path = text(&space["spec"]["idleShutdown"]["detection"]["httpGet"]["path"]).to_owned();
    match world.kubelet.ask_activity(id, uid(&space), path) {
        // Answers later, through `evaluate`.
        true => {}
        // Nothing runs in the container, so nothing has been used since it became available.
        false => {
            let since = fields::condition(&space, AVAILABLE).map(|c| c["lastTransitionTime"].clone());
            let body = json!({"lastActiveTimestamp": since, "last_activity": since}).to_string();
            evaluate(world, id, &Ok((200, body)));
        }
    }
}

fn running(world: &World, id: &Id) -> Option<std::sync::Arc<Value>> {
    let space = world.operator.get("workspaces", &id.namespace, &id.name)?;
    let wanted = space["spec"]["desiredStatus"] != "Stopped"
        && space["spec"]["idleShutdown"]["enabled"] == true
        && fields::condition_is_true(&space, AVAILABLE)
        && !fields::is_deleting(&space);
    wanted.then_some(space)
}

/// Acts on what the idle endpoint answered. 404 ends the checks for good, silently, as upstream; any other failure is
/// tried again.
pub fn evaluate(world: &mut World, id: &Id, answer: &Answer) {
    let Some(space) = running(world, id) else { return };
    let idle = &space["spec"]["idleShutdown"];
    let body = match answer {
        Ok((404, _)) => {
            world.spaces.entry(id.clone()).or_default().idle_endpoint_missing = true;
            return;
        }
        Ok((200, body)) => body,
        Ok(_) | Err(_) => return,
    };
    let Some(last) = last_activity(body, &idle["detection"]["httpGet"]["lastActivityTimestamp"]) else {
        return;
    };
    let minutes = idle["idleTimeoutInMinutes"].as_i64().unwrap_or(i64::MAX);
    let busy = sentinel::of_space(&id.name) == Some(Sentinel::Busy);
    if busy || !is_idle(last, Timestamp::now(), minutes) {
        return;
    }
    let message = format!("Stopping workspace due to idle timeout of {minutes} minutes");
    world.events.normal(OPERATOR, &space, "IdleShutdown", &message);
    let patch = json!({"spec": {"desiredStatus": "Stopped"}});
    log_lost("idle shutdown", world.operator.patch("workspaces", &id.namespace, &id.name, patch));
}

fn is_idle(last: Timestamp, now: Timestamp, minutes: i64) -> bool {
    now.duration_since(last).as_secs() / 60 >= minutes && now > last
}

/// The time of last activity in the endpoint's answer.
fn last_activity(body: &str, detection: &Value) -> Option<Timestamp> {
    let body: Value = serde_json::from_str(body).ok()?;
    let path = detection["responseBodyPath"].as_str().unwrap_or("lastActiveTimestamp");
    let value = path.split('.').fold(&body, |value, key| &value[key]);
    if detection["format"] == "unix" {
        let seconds = value.as_i64().or_else(|| value.as_str()?.parse().ok())?;
        return Timestamp::from_second(seconds).ok();
    }
    fields::time(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_read_where_the_space_says() {
        let body = r#"{"last_activity": "2026-01-02T03:04:05Z", "deep": {"at": 1767323045}}"#;
        let at = |detection: Value| last_activity(body, &detection).map(|t| t.to_string());
        assert_eq!(at(json!({"responseBodyPath": "last_activity"})).as_deref(), Some("2026-01-02T03:04:05Z"));
        assert_eq!(
            at(json!({"responseBodyPath": "deep.at", "format": "unix"})).as_deref(),
            Some("2026-01-02T03:04:05Z")
        );
        assert_eq!(at(json!({})), None, "the default path is another");
        assert_eq!(last_activity("not json", &json!({})), None);
    }

    #[test]
    fn a_space_is_idle_after_its_timeout_and_never_by_a_clock_ahead() {
        let now: Timestamp = Timestamp::from_second(1_000_000).unwrap_or_default();
        let ago = |seconds: i64| Timestamp::from_second(1_000_000 - seconds).unwrap_or_default();
        assert!(!is_idle(ago(59 * 60 + 59), now, 60));
        assert!(is_idle(ago(3600), now, 60));
        assert!(!is_idle(ago(-3600), now, 0));
    }
}
