//! Events: written as the components write them, repeated ones counted up instead of written again.

use super::fields::{self, name, namespace, text, uid};
use crate::kube::LocalApi;
use serde_json::{Value, json};
use std::collections::HashMap;

/// After this many messages of one reason about one object the newest event stands for the rest (client-go's
/// correlator).
const SIMILAR: usize = 10;
/// Events are kept an hour, as the API server's `--event-ttl` says.
const KEPT: jiff::SignedDuration = jiff::SignedDuration::from_hours(1);

pub struct Recorder {
    api: LocalApi,
    /// Of each object (by uid): what was said, under which name, how often.
    said: HashMap<String, Vec<Said>>,
    /// Normal events of a seed are skipped: they would be older than an hour.
    pub only_warnings: bool,
}

struct Said {
    reason: &'static str,
    message: String,
    event: String,
    count: i64,
}

/// Who says it.
#[derive(Clone, Copy)]
pub struct Component(pub &'static str);

impl Recorder {
    pub fn new(api: LocalApi) -> Recorder {
        Recorder { api, said: HashMap::new(), only_warnings: false }
    }

    pub fn normal(&mut self, component: Component, about: &Value, reason: &'static str, message: &str) {
        if !self.only_warnings {
            self.record(component, about, "Normal", reason, message);
        }
    }

    pub fn warning(&mut self, component: Component, about: &Value, reason: &'static str, message: &str) {
        self.record(component, about, "Warning", reason, message);
    }

    fn record(
        &mut self,
        component: Component,
        about: &Value,
        kind: &str,
        reason: &'static str,
        message: &str,
    ) {
        let now = fields::now();
        let place = Some(namespace(about)).filter(|n| !n.is_empty()).unwrap_or("default");
        let said = self.said.entry(uid(about).to_owned()).or_default();
        if let Some(before) = said.iter_mut().find(|s| s.reason == reason && s.message == message) {
            before.count += 1;
            let patch = json!({"count": before.count, "lastTimestamp": now});
            if self.api.patch("events", place, &before.event, patch).is_ok() {
                return;
            }
            said.retain(|s| s.reason != reason || s.message != message);
        }
        let similar = said.iter().filter(|s| s.reason == reason).count();
        if similar >= SIMILAR
            && let Some(last) = said.iter_mut().rfind(|s| s.reason == reason)
        {
            last.count += 1;
            last.message = message.to_owned();
            let combined = format!("(combined from similar events): {message}");
            let patch = json!({"count": last.count, "lastTimestamp": now, "message": combined});
            if self.api.patch("events", place, &last.event, patch).is_ok() {
                return;
            }
            said.retain(|s| s.reason != reason);
        }
        let serial = uuid::Uuid::new_v4().simple().to_string();
        let event = format!("{}.{}", name(about), &serial[..16]);
        let object = json!({
            "apiVersion": "v1", "kind": "Event",
            "metadata": {"name": event, "namespace": place},
            "involvedObject": {
                "apiVersion": about["apiVersion"], "kind": about["kind"], "name": name(about),
                "namespace": namespace(about), "uid": uid(about),
                "resourceVersion": about["metadata"]["resourceVersion"],
            },
            "reason": reason, "message": message, "type": kind,
            "source": {"component": component.0}, "reportingComponent": component.0, "reportingInstance": "",
            "firstTimestamp": now, "lastTimestamp": now, "count": 1, "eventTime": null,
        });
        match self.api.create("events", place, object) {
            Ok(_) => said.push(Said { reason, message: message.to_owned(), event, count: 1 }),
            // The namespace is going away, with everything anybody could say about it.
            Err(failure) => tracing::debug!(reason, failure.message, "event not recorded"),
        }
    }

    /// Nothing more will be said about the object.
    pub fn forget(&mut self, uid: &str) {
        self.said.remove(uid);
    }

    /// Deletes what is older than an hour.
    pub fn expire(&mut self) {
        let limit = jiff::Timestamp::now() - KEPT;
        for event in self.api.list("events", None) {
            if fields::time(&event["lastTimestamp"]).is_some_and(|at| at < limit) {
                // Gone already is as good.
                let _ = self.api.delete("events", namespace(&event), name(&event), Default::default());
                let about = text(&event["involvedObject"]["uid"]);
                if let Some(said) = self.said.get_mut(about) {
                    said.retain(|s| s.event != name(&event));
                }
            }
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use crate::kube::identity::UserInfo;
    use crate::kube::{ApiConfig, ApiServer};

    fn recorder() -> (LocalApi, Recorder) {
        let server = ApiServer::new(ApiConfig::default()).unwrap();
        let api = server.local(UserInfo::component("test"));
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}});
        api.create("namespaces", "", namespace).unwrap();
        (api.clone(), Recorder::new(api))
    }

    fn pod() -> Value {
        json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "ns", "uid": "u"}})
    }

    #[test]
    fn the_same_again_is_counted() {
        let (api, mut recorder) = recorder();
        for _ in 0..3 {
            recorder.warning(Component("kubelet"), &pod(), "BackOff", "again");
        }
        let events = api.list("events", Some("ns"));
        assert_eq!(events.len(), 1);
        assert_eq!(events[0]["count"], 3);
    }

    #[test]
    fn many_similar_messages_end_in_one_event() {
        let (api, mut recorder) = recorder();
        for attempt in 0..50 {
            recorder.warning(Component("kubelet"), &pod(), "FailedCreate", &format!("attempt {attempt}"));
        }
        let events = api.list("events", Some("ns"));
        assert_eq!(events.len(), SIMILAR);
        let combined = "(combined from similar events): attempt 49";
        assert!(events.iter().any(|event| event["message"] == combined && event["count"] == 41));
    }
}
