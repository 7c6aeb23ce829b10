//! What an empty object of a kind already holds.
//!
//! Upstream compares a new object with an empty value of its Go type, whose fields without `omitempty` are there from
//! the start and so belong to nobody.

use crate::kube::kinds::Kind;
use serde_json::{Value, json};

pub(super) fn object(kind: &Kind) -> Value {
    let mut blank = fields(kind.plural);
    blank["metadata"] = json!({});
    blank
}

fn fields(plural: &str) -> Value {
    let template = || json!({"metadata": {}, "spec": {"containers": null}});
    match plural {
        "pods" => json!({"spec": {"containers": null}, "status": {}}),
        "deployments" | "daemonsets" => {
            json!({"spec": {"selector": null, "template": template(), "strategy": {}, "updateStrategy": {}}, "status": {}})
        }
        "replicasets" => {
            json!({"spec": {"selector": null, "template": template()}, "status": {"replicas": 0}})
        }
        "statefulsets" => json!({
            "spec": {"selector": null, "template": template(), "serviceName": "", "updateStrategy": {}},
            "status": {"replicas": 0},
        }),
        "jobs" => json!({"spec": {"template": template()}, "status": {}}),
        "services" => json!({"spec": {}, "status": {"loadBalancer": {}}}),
        "persistentvolumeclaims" => json!({"spec": {"resources": {}}, "status": {}}),
        "nodes" => {
            json!({"spec": {}, "status": {"daemonEndpoints": {"kubeletEndpoint": {"Port": 0}}, "nodeInfo": {}}})
        }
        "namespaces" | "persistentvolumes" | "resourcequotas" => json!({"spec": {}, "status": {}}),
        "limitranges" => json!({"spec": {"limits": null}}),
        "leases" => json!({"spec": {}}),
        "csinodes" => json!({"spec": {"drivers": null}}),
        "events" => json!({
            "involvedObject": {}, "source": {}, "firstTimestamp": null, "lastTimestamp": null, "eventTime": null,
            "reportingComponent": "", "reportingInstance": "",
        }),
        "priorityclasses" => json!({"value": 0}),
        "storageclasses" => json!({"provisioner": ""}),
        "roles" | "clusterroles" => json!({"rules": null}),
        "rolebindings" | "clusterrolebindings" => {
            json!({"roleRef": {"apiGroup": "", "kind": "", "name": ""}})
        }
        _ => json!({}),
    }
}
