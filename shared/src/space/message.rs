//! Messages of the scheduler, the API server and the kubelet, read into coded reasons with their numbers.
//!
//! The texts are Kubernetes' own (scheduler "Filter" reports, quota and admission refusals, kubelet waiting
//! reasons). A text that nobody taught us still becomes a reason: a general code with the whole message.

use super::status::{Reason, ReasonCode};

/// Why a pod fits no node, from the scheduler's `0/5 nodes are available: 2 Insufficient cpu, …`.
///
/// A node is named by the first filter it fails, and filters run in a fixed order (taint, selector, resources,
/// volumes). So the clause of the *latest* filter speaks of the nodes that came closest to fitting: it decides.
pub fn read_scheduling(message: &str) -> Reason {
    if let Some(reason) = read_claim(message) {
        return reason;
    }
    let total = message.split_once('/').and_then(|(_, rest)| rest.split(' ').next()).unwrap_or_default();
    let verdict = message.split(" preemption:").next().unwrap_or(message);
    let clauses = verdict.split_once("available:").map_or("", |(_, rest)| rest);
    let best = clauses
        .split(", ")
        .filter_map(|clause| read_clause(clause.trim().trim_end_matches('.')))
        .max_by_key(|c| (c.stage, c.nodes));
    let Some(clause) = best else { return Reason::new(ReasonCode::Unschedulable, message) };
    let mut reason = Reason::new(clause.code, message).with("nodes", clause.nodes);
    if total.bytes().all(|b| b.is_ascii_digit()) && !total.is_empty() {
        reason = reason.with("total", total);
    }
    match clause.detail {
        Some((name, value)) => reason.with(name, value),
        None => reason,
    }
}

/// One clause of the scheduler's report.
struct Clause<'a> {
    /// Order of the filter that wrote it; a higher one ran later.
    stage: u8,
    nodes: u64,
    code: ReasonCode,
    detail: Option<(&'static str, &'a str)>,
}

fn read_clause(clause: &str) -> Option<Clause<'_>> {
    let (count, text) = clause.split_once(' ').unwrap_or(("", clause));
    let (nodes, text) = match count.parse() {
        Ok(nodes) => (nodes, text),
        Err(_) => (1, clause),
    };
    let of = |stage, code, detail| Some(Clause { stage, nodes, code, detail });
    if let Some(resource) = text.strip_prefix("Insufficient ") {
        return match resource {
            "cpu" => of(4, ReasonCode::InsufficientCpu, None),
            "memory" => of(4, ReasonCode::InsufficientMemory, None),
            "pods" => of(4, ReasonCode::PodSlots, None),
            other => of(5, ReasonCode::InsufficientAccelerator, Some(("resource", other))),
        };
    }
    if text.contains("Too many pods") {
        return of(4, ReasonCode::PodSlots, None);
    }
    if text.contains("max volume count") {
        return of(6, ReasonCode::VolumeSlots, None);
    }
    if text.contains("volume node affinity conflict") || text.contains("no available volume zone") {
        return of(7, ReasonCode::VolumeZoneConflict, None);
    }
    if text.contains("node affinity") || text.contains("node selector") {
        return of(3, ReasonCode::NoMatchingNode, None);
    }
    if text.contains("taint") {
        let taint = text.split_once('{').and_then(|(_, rest)| rest.split(['}', ':']).next());
        return of(2, ReasonCode::TaintNotTolerated, taint.map(|t| ("taint", t.trim())));
    }
    text.contains("unschedulable").then_some(Clause {
        stage: 1,
        nodes,
        code: ReasonCode::Unschedulable,
        detail: None,
    })
}

/// A claim that is missing or not bound, wherever the text comes from.
fn read_claim(message: &str) -> Option<Reason> {
    if message.contains("persistentvolumeclaim") && message.contains("not found") {
        let reason = Reason::new(ReasonCode::ClaimMissing, message);
        let claim = quoted_after(message, "persistentvolumeclaim ");
        return Some(claim.map_or_else(|| reason.clone(), |c| reason.clone().with("claim", c)));
    }
    message
        .contains("unbound immediate PersistentVolumeClaims")
        .then(|| Reason::new(ReasonCode::ClaimPending, message))
}

/// Why the API server refuses a child object (condition `ReplicaFailure`, event `FailedCreate`, or the
/// operator's own `ComputeError`).
pub fn read_refusal(message: &str) -> Reason {
    if let Some((_, rest)) = message.split_once("exceeded quota: ") {
        return read_quota(message, rest);
    }
    let lower = message.to_ascii_lowercase();
    if (lower.contains("serviceaccount") || lower.contains("service account")) && lower.contains("not found")
    {
        let reason = Reason::new(ReasonCode::ServiceAccountMissing, message);
        let name = quoted_after(message, "serviceaccount ");
        return name.map_or_else(|| reason.clone(), |n| reason.clone().with("serviceAccount", n));
    }
    if message.contains("kueue.x-k8s.io/queue-name") && message.contains("missing") {
        return Reason::new(ReasonCode::QueueLabelMissing, message);
    }
    if let Some(policy) = quoted_after(message, "ValidatingAdmissionPolicy ") {
        return Reason::new(ReasonCode::AdmissionDenied, message).with("policy", policy);
    }
    if let Some(webhook) = quoted_after(message, "admission webhook ") {
        return Reason::new(ReasonCode::AdmissionDenied, message).with("policy", webhook);
    }
    if message.contains("violates PodSecurity") {
        return Reason::new(ReasonCode::AdmissionDenied, message).with("policy", "PodSecurity");
    }
    Reason::new(ReasonCode::ChildRefused, message)
}

/// `exceeded quota: team, requested: requests.cpu=8, used: requests.cpu=60, limited: requests.cpu=64`
fn read_quota(message: &str, rest: &str) -> Reason {
    let mut reason = Reason::new(ReasonCode::QuotaExceeded, message);
    let quota = rest.split(',').next().unwrap_or_default();
    reason = reason.with("quota", quota.trim());
    for part in ["requested", "used", "limited"] {
        let marker = format!("{part}: ");
        let Some((_, value)) = rest.split_once(&marker) else { continue };
        let end = [", used: ", ", limited: "].iter().filter_map(|m| value.find(m)).min();
        reason = reason.with(part, value[..end.unwrap_or(value.len())].trim());
    }
    reason
}

/// Why a container waits, by the kubelet's reason; `None` for the ordinary ones (`ContainerCreating`).
pub fn read_waiting(reason: &str, message: &str, image: &str) -> Option<Reason> {
    let code = match reason {
        "ImagePullBackOff" | "ErrImagePull" | "ErrImageNeverPull" | "RegistryUnavailable" => {
            ReasonCode::ImagePullFailed
        }
        "InvalidImageName" => ReasonCode::InvalidImageName,
        "CrashLoopBackOff" => ReasonCode::CrashLoop,
        "CreateContainerConfigError" | "CreateContainerError" | "RunContainerError" => {
            ReasonCode::ContainerConfigError
        }
        _ => return None,
    };
    let result = Reason::new(code, message);
    Some(match code {
        ReasonCode::ImagePullFailed | ReasonCode::InvalidImageName => result.with("image", image),
        _ => result,
    })
}

/// Why a volume cannot be used, from the pod's `FailedAttachVolume` and `FailedMount` events.
pub fn read_volume(event: &str, message: &str) -> Option<Reason> {
    let code = match event {
        "FailedAttachVolume" => ReasonCode::VolumeAttachFailed,
        "FailedMount" => ReasonCode::VolumeMountFailed,
        _ => return None,
    };
    Some(read_claim(message).unwrap_or_else(|| Reason::new(code, message)))
}

/// How much a code tells: a general code never hides a particular one that another object gave.
pub fn specificity(code: ReasonCode) -> u8 {
    match code {
        ReasonCode::ChildRefused | ReasonCode::Unschedulable | ReasonCode::Unclear | ReasonCode::Unknown => 0,
        ReasonCode::AdmissionDenied => 1,
        _ => 2,
    }
}

/// The text between the first pair of quotes (of either kind) after `marker`.
fn quoted_after<'a>(text: &'a str, marker: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(marker)?;
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    rest[1..].split_once(quote).map(|(inside, _)| inside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn code_and(message: &str, param: &str) -> (ReasonCode, Option<String>) {
        let reason = read_scheduling(message);
        (reason.code, reason.params.get(param).cloned())
    }

    #[test]
    fn the_nodes_that_came_closest_decide() {
        use ReasonCode::*;
        for (message, code) in [
            (
                "0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: 3 No preemption victims found for incoming pod.",
                InsufficientCpu,
            ),
            (
                "0/4 nodes are available: 1 Insufficient memory, 3 node(s) didn't match Pod's node affinity/selector.",
                InsufficientMemory,
            ),
            (
                "0/4 nodes are available: 1 node(s) had volume node affinity conflict, 3 Insufficient cpu.",
                VolumeZoneConflict,
            ),
            ("0/2 nodes are available: 2 node(s) exceed max volume count.", VolumeSlots),
            ("0/2 nodes are available: 1 Too many pods, 1 node(s) were unschedulable.", PodSlots),
            ("0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.", NoMatchingNode),
            ("0/2 nodes are available: 2 node(s) were unschedulable.", Unschedulable),
            ("no nodes available to schedule pods", Unschedulable),
            ("0/2 nodes are available: pod has unbound immediate PersistentVolumeClaims.", ClaimPending),
        ] {
            assert_eq!(read_scheduling(message).code, code, "{message}");
        }
    }

    #[test]
    fn numbers_and_names_become_parameters() {
        let gpu = "0/5 nodes are available: 2 Insufficient nvidia.com/gpu, 3 Insufficient cpu.";
        assert_eq!(
            code_and(gpu, "resource"),
            (ReasonCode::InsufficientAccelerator, Some("nvidia.com/gpu".to_owned()))
        );
        assert_eq!(code_and(gpu, "nodes").1.as_deref(), Some("2"));
        assert_eq!(code_and(gpu, "total").1.as_deref(), Some("5"));
        let taint = "0/1 nodes are available: 1 node(s) had untolerated taint {team: b}.";
        assert_eq!(code_and(taint, "taint"), (ReasonCode::TaintNotTolerated, Some("team".to_owned())));
        let claim = "0/1 nodes are available: persistentvolumeclaim \"data\" not found.";
        assert_eq!(code_and(claim, "claim"), (ReasonCode::ClaimMissing, Some("data".to_owned())));
    }

    #[test]
    fn a_quota_refusal_keeps_its_arithmetic() {
        let reason = read_refusal(
            "pods \"workspace-lab-1\" is forbidden: exceeded quota: team, requested: requests.cpu=8,requests.memory=1Gi, used: requests.cpu=60,requests.memory=2Gi, limited: requests.cpu=64,requests.memory=8Gi",
        );
        assert_eq!(reason.code, ReasonCode::QuotaExceeded);
        assert_eq!(reason.params["quota"], "team");
        assert_eq!(reason.params["requested"], "requests.cpu=8,requests.memory=1Gi");
        assert_eq!(reason.params["used"], "requests.cpu=60,requests.memory=2Gi");
        assert_eq!(reason.params["limited"], "requests.cpu=64,requests.memory=8Gi");
    }

    #[test]
    fn refusals_are_told_apart() {
        use ReasonCode::*;
        for (message, code) in [
            (
                "pods \"x\" is forbidden: error looking up service account ns/s: serviceaccount \"s\" not found",
                ServiceAccountMissing,
            ),
            (
                "denied: The label 'kueue.x-k8s.io/queue-name' is either missing or does not have a value set.",
                QueueLabelMissing,
            ),
            ("ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no", AdmissionDenied),
            ("admission webhook \"w\" denied the request: no", AdmissionDenied),
            ("etcdserver: request timed out", ChildRefused),
        ] {
            assert_eq!(read_refusal(message).code, code, "{message}");
        }
    }

    #[test]
    fn a_missing_claim_is_more_than_a_failed_mount() {
        let missing = read_volume("FailedMount", "persistentvolumeclaim \"data\" not found");
        assert_eq!(missing.map(|r| r.code), Some(ReasonCode::ClaimMissing));
        let attach = read_volume("FailedAttachVolume", "AttachVolume.Attach failed");
        assert_eq!(attach.map(|r| r.code), Some(ReasonCode::VolumeAttachFailed));
        assert_eq!(read_volume("Pulled", "x"), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "\\PC{0,80}", marker in "(exceeded quota: |persistentvolumeclaim |0/3 nodes are available: |ValidatingAdmissionPolicy )?") {
            let message = format!("{marker}{text}");
            let _ = (read_scheduling(&message), read_refusal(&message));
            let _ = (read_volume("FailedMount", &message), read_waiting("ErrImagePull", &message, ""));
        }
    }
}
