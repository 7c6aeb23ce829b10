//! Claims in use: a deleted claim stays until no pod holds it.

use super::{kind, remove_finalizer};
use crate::kube::Core;
use crate::kube::object;
use crate::kube::store::Key;
use serde_json::Value;

const FINALIZER: &str = "kubernetes.io/pvc-protection";
const CONTROLLER: &str = "pvc-protection-controller";

/// The claims that a pod names.
fn claims_of(pod: &Value) -> impl Iterator<Item = &str> {
    let volumes = pod["spec"]["volumes"].as_array().into_iter().flatten();
    volumes.filter_map(|volume| volume["persistentVolumeClaim"]["claimName"].as_str())
}

fn has_ended(pod: &Value) -> bool {
    matches!(pod["status"]["phase"].as_str(), Some("Succeeded" | "Failed"))
}

/// Lets a claim go that is being deleted, unless a pod still uses it.
pub(super) fn release(core: &Core, claim: &Value) {
    if !object::finalizers(claim).contains(&FINALIZER) {
        return;
    }
    let name = object::name(claim);
    let pods = core.store.list(kind("pods"), Some(object::namespace(claim)));
    let used = pods.iter().any(|pod| !has_ended(pod) && claims_of(pod).any(|claim| claim == name));
    if !used {
        remove_finalizer(core, kind("persistentvolumeclaims"), claim, FINALIZER, CONTROLLER);
    }
}

/// Looks at the claims of a pod that ended or is gone.
pub(super) fn release_of_pod(core: &Core, pod: &Value) {
    let pods = kind("pods");
    let same =
        core.store.get(pods, &Key::of(pod)).is_some_and(|stored| object::uid(&stored) == object::uid(pod));
    if same && !has_ended(pod) {
        return;
    }
    for name in claims_of(pod) {
        let claims = kind("persistentvolumeclaims");
        if let Some(claim) = core.store.get(claims, &Key::new(object::namespace(pod), name))
            && object::is_terminating(&claim)
        {
            release(core, &claim);
        }
    }
}
