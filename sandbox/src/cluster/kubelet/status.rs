//! The status a kubelet writes: a plain function of the containers' states.

use super::run::{PodRun, digest};
use crate::cluster::fields::{self, entries, items, set_condition, text, uid};
use serde_json::{Value, json};

#[derive(Clone, Debug, Default, PartialEq)]
pub enum State {
    #[default]
    Creating,
    Waiting {
        reason: &'static str,
        message: String,
    },
    Running {
        since: String,
    },
    Ended(Ending),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Ending {
    pub reason: String,
    pub code: i64,
    pub started: String,
    pub finished: String,
}

/// A container on its node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ContainerRun {
    pub name: String,
    pub image: String,
    pub state: State,
    pub last: Option<Ending>,
    pub restarts: i64,
    pub ready: bool,
    /// `process://…` while a real process stands behind it, `containerd://…` otherwise; empty before the first start.
    pub id: String,
}

impl ContainerRun {
    /// From the spec, and from the status an earlier kubelet left.
    pub fn read(container: &Value, before: Option<&Value>) -> ContainerRun {
        let mut run = ContainerRun {
            name: text(&container["name"]).to_owned(),
            image: text(&container["image"]).to_owned(),
            ..ContainerRun::default()
        };
        let Some(before) = before else { return run };
        run.restarts = before["restartCount"].as_i64().unwrap_or(0);
        run.ready = before["ready"] == true;
        run.id = text(&before["containerID"]).to_owned();
        run.last = read_ending(&before["lastState"]["terminated"]);
        if before["state"]["running"].is_object() {
            run.state = State::Running { since: text(&before["state"]["running"]["startedAt"]).to_owned() };
        } else if let Some(ending) = read_ending(&before["state"]["terminated"]) {
            run.state = State::Ended(ending);
        }
        run
    }

    pub fn is_running(&self) -> bool {
        matches!(self.state, State::Running { .. })
    }

    pub fn is_real(&self) -> bool {
        self.id.starts_with("process://")
    }

    pub fn start(&mut self, pod_uid: &str) {
        self.state = State::Running { since: fields::now() };
        let number = self.restarts;
        self.id = format!("containerd://{}", digest(&format!("{pod_uid}/{}/{number}", self.name)));
    }

    /// The container ended; it counts as a restart if it will be started again.
    pub fn end(&mut self, reason: &str, code: i64, again: bool) {
        let now = fields::now();
        let started = match &self.state {
            State::Running { since } => since.clone(),
            _ => now.clone(),
        };
        let ending = Ending { reason: reason.to_owned(), code, started, finished: now };
        self.ready = false;
        if again {
            self.restarts += 1;
            self.last = Some(ending.clone());
        }
        self.state = State::Ended(ending);
    }

    pub fn wait(&mut self, reason: &'static str, message: String) {
        self.state = State::Waiting { reason, message };
        self.ready = false;
    }

    fn state_value(&self, initializing: bool) -> Value {
        match &self.state {
            State::Creating => {
                let reason = if initializing { "PodInitializing" } else { "ContainerCreating" };
                json!({"waiting": {"reason": reason}})
            }
            State::Waiting { reason, message } if message.is_empty() => {
                json!({"waiting": {"reason": reason}})
            }
            State::Waiting { reason, message } => {
                json!({"waiting": {"reason": reason, "message": message}})
            }
            State::Running { since } => json!({"running": {"startedAt": since}}),
            State::Ended(ending) => json!({"terminated": ending_value(ending, &self.id)}),
        }
    }

    fn value(&self, initializing: bool, init: bool) -> Value {
        let done = init && matches!(&self.state, State::Ended(ending) if ending.code == 0);
        let mut value = json!({
            "name": self.name, "image": self.image, "imageID": "", "ready": self.ready || done,
            "restartCount": self.restarts, "started": self.is_running(),
            "state": self.state_value(initializing), "lastState": {},
        });
        if let Some(last) = &self.last {
            value["lastState"] = json!({"terminated": ending_value(last, &self.id)});
        }
        if !self.id.is_empty() {
            value["containerID"] = json!(self.id);
            let repository = self.image.rsplit_once(':').map_or(self.image.as_str(), |(r, _)| r);
            value["imageID"] = json!(format!("{repository}@sha256:{}", digest(&self.image)));
        }
        value
    }
}

fn read_ending(value: &Value) -> Option<Ending> {
    value.is_object().then(|| Ending {
        reason: text(&value["reason"]).to_owned(),
        code: value["exitCode"].as_i64().unwrap_or(0),
        started: text(&value["startedAt"]).to_owned(),
        finished: text(&value["finishedAt"]).to_owned(),
    })
}

fn ending_value(ending: &Ending, id: &str) -> Value {
    json!({
        "reason": ending.reason, "exitCode": ending.code, "startedAt": ending.started,
        "finishedAt": ending.finished, "containerID": id,
    })
}

/// The pod's status, built on the stored one so that transition times stay.
pub fn of_pod(pod: &Value, run: &PodRun) -> Value {
    let initialized = run.init.iter().all(|c| matches!(&c.state, State::Ended(e) if e.code == 0));
    let started = run.main.iter().any(|c| !c.id.is_empty());
    let mut status = pod["status"].as_object().cloned().unwrap_or_default();
    let phase = if initialized && started { "Running" } else { "Pending" };
    let mut conditions = items(&pod["status"]["conditions"]).to_vec();
    let unready: Vec<&str> = run.main.iter().filter(|c| !c.ready).map(|c| c.name.as_str()).collect();
    let uninitialized: Vec<&str> = run
        .init
        .iter()
        .filter(|c| !matches!(&c.state, State::Ended(e) if e.code == 0))
        .map(|c| c.name.as_str())
        .collect();
    let sandbox_up = run.init.iter().chain(&run.main).any(|c| !c.id.is_empty());
    set_pod_condition(&mut conditions, "PodReadyToStartContainers", sandbox_up, "", String::new());
    let incomplete = format!("containers with incomplete status: [{}]", uninitialized.join(" "));
    set_pod_condition(&mut conditions, "Initialized", initialized, "ContainersNotInitialized", incomplete);
    for kind in ["Ready", "ContainersReady"] {
        let message = format!("containers with unready status: [{}]", unready.join(" "));
        set_pod_condition(&mut conditions, kind, unready.is_empty(), "ContainersNotReady", message);
    }
    status.insert("phase".into(), json!(phase));
    status.insert("conditions".into(), Value::Array(conditions));
    let containers: Vec<Value> = run.main.iter().map(|c| c.value(!run.init.is_empty(), false)).collect();
    status.insert("containerStatuses".into(), Value::Array(containers));
    if !run.init.is_empty() {
        let containers: Vec<Value> =
            run.init.iter().enumerate().map(|(index, container)| container.value(index > 0, true)).collect();
        status.insert("initContainerStatuses".into(), Value::Array(containers));
    }
    status.entry("startTime").or_insert_with(|| json!(fields::now()));
    status.insert("qosClass".into(), json!(quality(pod)));
    let hash = digest(text(&pod["spec"]["nodeName"]));
    status.insert("hostIP".into(), json!(address(10, &hash)));
    if sandbox_up {
        let ip = address(100, &digest(uid(pod)));
        status.insert("podIPs".into(), json!([{"ip": ip}]));
        status.insert("podIP".into(), json!(ip));
    }
    Value::Object(status)
}

fn set_pod_condition(conditions: &mut Vec<Value>, kind: &str, holds: bool, reason: &str, message: String) {
    let (reason, message) = if holds { ("", "") } else { (reason, message.as_str()) };
    set_condition(conditions, kind, holds, reason, message);
    if let Some(condition) = conditions.iter_mut().find(|condition| condition["type"] == kind)
        && let Some(condition) = condition.as_object_mut()
    {
        condition.retain(|_, value| value != "");
        condition.insert("lastProbeTime".into(), Value::Null);
    }
}

/// A made-up private address, the same for the same thing.
fn address(network: u8, hash: &str) -> String {
    let byte = |at: usize| u8::from_str_radix(&hash[at..at + 2], 16).unwrap_or(1);
    match network {
        100 => format!("100.64.{}.{}", byte(0), byte(2)),
        _ => format!("{network}.1.{}.{}", byte(0), byte(2)),
    }
}

fn quality(pod: &Value) -> &'static str {
    let containers = items(&pod["spec"]["containers"]);
    let same = |container: &Value| {
        let (requests, limits) = (&container["resources"]["requests"], &container["resources"]["limits"]);
        ["cpu", "memory"]
            .iter()
            .all(|r| !limits[*r].is_null() && (requests[*r].is_null() || requests[*r] == limits[*r]))
    };
    let empty = |container: &Value| {
        entries(&container["resources"]["requests"]).next().is_none()
            && entries(&container["resources"]["limits"]).next().is_none()
    };
    if containers.iter().all(same) {
        "Guaranteed"
    } else if containers.iter().all(empty) {
        "BestEffort"
    } else {
        "Burstable"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pod() -> Value {
        json!({
            "metadata": {"name": "p", "uid": "u"},
            "spec": {
                "nodeName": "n",
                "initContainers": [{"name": "init", "image": "i"}],
                "containers": [{"name": "workspace", "image": "r/w:1"}],
            },
            "status": {"conditions": [{"type": "PodScheduled", "status": "True"}]},
        })
    }

    fn reason(status: &Value, kind: &str) -> Value {
        status[kind][0]["state"]["waiting"]["reason"].clone()
    }

    #[test]
    fn before_anything_runs_the_pod_is_pending() {
        let run = PodRun::new(&pod(), None, None);
        let status = of_pod(&pod(), &run);
        assert_eq!(status["phase"], "Pending");
        assert_eq!(reason(&status, "initContainerStatuses"), "ContainerCreating");
        assert_eq!(reason(&status, "containerStatuses"), "PodInitializing");
        assert!(
            fields::condition_is_true(&json!({"status": status}), "PodScheduled"),
            "what was there stays"
        );
    }

    #[test]
    fn a_running_ready_pod_reads_back_as_it_was_written() {
        let mut run = PodRun::new(&pod(), None, None);
        run.init[0].start("u");
        run.init[0].end("Completed", 0, false);
        run.main[0].start("u");
        run.main[0].ready = true;
        let mut stored = pod();
        stored["status"] = of_pod(&pod(), &run);
        assert_eq!(stored["status"]["phase"], "Running");
        assert!(fields::condition_is_true(&stored, "Ready"));
        let again = PodRun::new(&stored, None, None);
        assert_eq!(again.main, run.main);
        assert_eq!(of_pod(&stored, &again), stored["status"], "nothing to write");
    }

    #[test]
    fn a_crash_is_in_the_last_state_with_its_code() {
        let mut run = PodRun::new(&pod(), None, None);
        run.main[0].start("u");
        run.main[0].end("OOMKilled", 137, true);
        run.main[0].wait("CrashLoopBackOff", "back-off 10s".into());
        let status = of_pod(&pod(), &run);
        let container = &status["containerStatuses"][0];
        assert_eq!(container["restartCount"], 1);
        assert_eq!(container["state"]["waiting"]["reason"], "CrashLoopBackOff");
        assert_eq!(container["lastState"]["terminated"]["exitCode"], 137);
    }
}
