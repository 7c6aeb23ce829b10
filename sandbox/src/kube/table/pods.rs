//! What a pod's row says of its containers (kubectl's STATUS, READY and RESTARTS).

use serde_json::{Value, json};

fn statuses<'p>(pod: &'p Value, list: &str) -> impl Iterator<Item = &'p Value> {
    pod["status"][list].as_array().into_iter().flatten()
}

/// `1/2`: ready containers of all.
pub fn ready(pod: &Value) -> Value {
    let total = pod["spec"]["containers"].as_array().map_or(0, Vec::len);
    let ready = statuses(pod, "containerStatuses").filter(|status| status["ready"] == true).count();
    json!(format!("{ready}/{total}"))
}

/// Restarts of all containers. The time of the last one is left out here as upstream leaves it out when unknown.
pub fn restarts(pod: &Value) -> Value {
    let count: i64 =
        statuses(pod, "containerStatuses").filter_map(|status| status["restartCount"].as_i64()).sum();
    json!(count.to_string())
}

/// The phase, or what keeps it from being true.
pub fn status(pod: &Value) -> Value {
    let text = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let mut shown = text(&pod["status"]["reason"])
        .or_else(|| text(&pod["status"]["phase"]))
        .unwrap_or_else(|| "Unknown".to_owned());
    if let Some(init) = initializing(pod) {
        shown = init;
    } else if let Some(reason) = statuses(pod, "containerStatuses").find_map(held_up) {
        let running = |status: &Value| status["ready"] == true && status["state"]["running"].is_object();
        shown = if reason == "Completed" && statuses(pod, "containerStatuses").any(running) {
            "Running".to_owned()
        } else {
            reason
        };
    }
    if pod["metadata"]["deletionTimestamp"].is_string() {
        shown = if pod["status"]["reason"] == "NodeLost" { "Unknown" } else { "Terminating" }.to_owned();
    }
    json!(shown)
}

/// Why a container is not running; the first one that is not speaks for the pod.
fn held_up(status: &Value) -> Option<String> {
    let (waiting, terminated) = (&status["state"]["waiting"], &status["state"]["terminated"]);
    let reason = [waiting, terminated]
        .iter()
        .find_map(|state| state["reason"].as_str().filter(|reason| !reason.is_empty()));
    reason.map(str::to_owned).or_else(|| terminated.is_object().then(|| ended(terminated)))
}

fn ended(terminated: &Value) -> String {
    match terminated["signal"].as_i64() {
        Some(signal) if signal != 0 => format!("Signal:{signal}"),
        _ => format!("ExitCode:{}", terminated["exitCode"].as_i64().unwrap_or_default()),
    }
}

/// The first init container that is not done.
fn initializing(pod: &Value) -> Option<String> {
    let total = pod["spec"]["initContainers"].as_array().map_or(0, Vec::len);
    for (position, status) in statuses(pod, "initContainerStatuses").enumerate() {
        let (waiting, terminated) = (&status["state"]["waiting"], &status["state"]["terminated"]);
        if terminated["exitCode"] == 0 {
            continue;
        }
        if terminated.is_object() {
            let reason = terminated["reason"].as_str().filter(|reason| !reason.is_empty());
            return Some(format!("Init:{}", reason.map_or_else(|| ended(terminated), str::to_owned)));
        }
        return Some(match waiting["reason"].as_str() {
            Some(reason) if !reason.is_empty() && reason != "PodInitializing" => format!("Init:{reason}"),
            _ => format!("Init:{position}/{total}"),
        });
    }
    None
}

/// `1/2` readiness gates that hold.
pub fn gates(pod: &Value) -> Value {
    let Some(gates) = pod["spec"]["readinessGates"].as_array().filter(|gates| !gates.is_empty()) else {
        return json!("<none>");
    };
    let holds = |gate: &&Value| {
        statuses(pod, "conditions")
            .any(|condition| condition["type"] == gate["conditionType"] && condition["status"] == "True")
    };
    json!(format!("{}/{}", gates.iter().filter(holds).count(), gates.len()))
}

pub fn address(pod: &Value) -> Value {
    let first = pod["status"]["podIPs"][0]["ip"].as_str().or_else(|| pod["status"]["podIP"].as_str());
    super::cells::or_none(first)
}

pub fn node(pod: &Value) -> Value {
    super::cells::or_none(pod["spec"]["nodeName"].as_str())
}

pub fn nominated(pod: &Value) -> Value {
    super::cells::or_none(pod["status"]["nominatedNodeName"].as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiting_container_says_why() {
        let pod = json!({
            "spec": {"containers": [{}]},
            "status": {"phase": "Pending", "containerStatuses": [{"state": {"waiting": {"reason": "ImagePullBackOff"}}}]},
        });
        assert_eq!((status(&pod), ready(&pod)), (json!("ImagePullBackOff"), json!("0/1")));
    }

    #[test]
    fn the_first_container_in_trouble_speaks_for_the_pod() {
        let waiting = |reason: &str| json!({"state": {"waiting": {"reason": reason}}});
        let pod = json!({"status": {"containerStatuses": [waiting("ImagePullBackOff"), waiting("PodInitializing")]}});
        assert_eq!(status(&pod), json!("ImagePullBackOff"));
    }

    #[test]
    fn a_deleted_pod_is_terminating_whatever_its_phase() {
        let pod = json!({"metadata": {"deletionTimestamp": "2020-01-01T00:00:00Z"}, "status": {"phase": "Running"}});
        assert_eq!(status(&pod), json!("Terminating"));
    }

    #[test]
    fn unfinished_init_containers_come_first() {
        let pod = json!({
            "spec": {"initContainers": [{}, {}]},
            "status": {"initContainerStatuses": [{"state": {"terminated": {"exitCode": 0}}}, {"state": {"running": {}}}]},
        });
        assert_eq!(status(&pod), json!("Init:1/2"));
    }
}
