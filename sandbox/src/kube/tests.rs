//! The server through its in-process door: the rules that hold for every caller.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;
use serde_json::{Value, json};

const NAMESPACE: &str = "team";

fn server(controllers: bool) -> LocalApi {
    let config = ApiConfig { controllers, ..ApiConfig::default() };
    let api = ApiServer::new(config).unwrap().local(UserInfo::component("tester"));
    api.create("namespaces", "", json!({"metadata": {"name": NAMESPACE}})).unwrap();
    api
}

fn space(name: &str) -> Value {
    json!({"metadata": {"name": name}, "spec": {"displayName": name}})
}

fn owned(name: &str, owner: &Value, blocking: bool) -> Value {
    json!({"metadata": {"name": name, "ownerReferences": [{
        "apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": object::name(owner),
        "uid": object::uid(owner), "controller": true, "blockOwnerDeletion": blocking,
    }]}})
}

fn pod(name: &str, volumes: Value) -> Value {
    json!({"metadata": {"name": name}, "spec": {
        "containers": [{"name": "main", "image": "i"}], "volumes": volumes,
    }})
}

fn delete_with(propagation: Propagation) -> DeleteOptions {
    DeleteOptions { propagation: Some(propagation), ..DeleteOptions::default() }
}

#[test]
fn generation_counts_changes_of_the_spec_alone() {
    let api = server(false);
    let created = api.create("workspaces", NAMESPACE, space("w")).unwrap();
    assert_eq!(created["metadata"]["generation"], 1);
    let labelled = json!({"metadata": {"labels": {"a": "b"}}});
    let labelled = api.patch("workspaces", NAMESPACE, "w", labelled).unwrap();
    assert_eq!(labelled["metadata"]["generation"], 1);
    let status = json!({"status": {"deploymentName": "d"}, "spec": {"displayName": "ignored"}});
    let reported = api.patch_status("workspaces", NAMESPACE, "w", status).unwrap();
    assert_eq!(
        (&reported["metadata"]["generation"], &reported["spec"]["displayName"]),
        (&json!(1), &json!("w"))
    );
    let renamed = json!({"spec": {"displayName": "n"}, "status": {"deploymentName": "ignored"}});
    let renamed = api.patch("workspaces", NAMESPACE, "w", renamed).unwrap();
    assert_eq!(
        (&renamed["metadata"]["generation"], &renamed["status"]["deploymentName"]),
        (&json!(2), &json!("d"))
    );
}

#[test]
fn a_change_of_nothing_keeps_the_version() {
    let api = server(false);
    let created = api.create("workspaces", NAMESPACE, space("w")).unwrap();
    let same = api.patch("workspaces", NAMESPACE, "w", json!({"spec": {"displayName": "w"}})).unwrap();
    assert_eq!(created, same);
}

#[test]
fn an_update_from_an_old_version_is_a_conflict() {
    let api = server(false);
    let created = api.create("workspaces", NAMESPACE, space("w")).unwrap();
    api.patch("workspaces", NAMESPACE, "w", json!({"spec": {"displayName": "n"}})).unwrap();
    assert_eq!(api.update("workspaces", NAMESPACE, Value::clone(&created)).unwrap_err().code, 409);
    assert!(
        api.update("workspaces", NAMESPACE, space("w")).is_ok(),
        "without a version the newest is replaced"
    );
}

#[test]
fn finalizers_hold_an_object_until_the_last_is_gone() {
    let api = server(false);
    let mut held = space("w");
    held["metadata"]["finalizers"] = json!(["example.com/hold"]);
    api.create("workspaces", NAMESPACE, held).unwrap();
    api.delete("workspaces", NAMESPACE, "w", DeleteOptions::default()).unwrap();
    assert!(object::is_terminating(&api.get("workspaces", NAMESPACE, "w").unwrap()));
    api.patch("workspaces", NAMESPACE, "w", json!({"metadata": {"finalizers": null}})).unwrap();
    assert!(api.get("workspaces", NAMESPACE, "w").is_none());
}

#[test]
fn dependents_follow_their_owner() {
    let api = server(true);
    let owner = api.create("workspaces", NAMESPACE, space("w")).unwrap();
    let child = api.create("configmaps", NAMESPACE, owned("child", &owner, false)).unwrap();
    api.create("secrets", NAMESPACE, owned("grandchild", &child, false)).unwrap();
    api.delete("workspaces", NAMESPACE, "w", DeleteOptions::default()).unwrap();
    assert!(api.get("configmaps", NAMESPACE, "child").is_none());
    assert!(api.get("secrets", NAMESPACE, "grandchild").is_none());
}

#[test]
fn a_foreground_deletion_waits_for_blocking_dependents() {
    let api = server(true);
    let owner = api.create("workspaces", NAMESPACE, space("w")).unwrap();
    let mut child = owned("child", &owner, true);
    child["metadata"]["finalizers"] = json!(["example.com/hold"]);
    api.create("configmaps", NAMESPACE, child).unwrap();
    api.delete("workspaces", NAMESPACE, "w", delete_with(Propagation::Foreground)).unwrap();
    assert!(api.get("workspaces", NAMESPACE, "w").is_some());
    api.patch("configmaps", NAMESPACE, "child", json!({"metadata": {"finalizers": null}})).unwrap();
    assert!(api.get("configmaps", NAMESPACE, "child").is_none());
    assert!(api.get("workspaces", NAMESPACE, "w").is_none());
}

#[test]
fn orphans_stay_without_their_owner() {
    let api = server(true);
    let owner = api.create("workspaces", NAMESPACE, space("w")).unwrap();
    api.create("configmaps", NAMESPACE, owned("child", &owner, true)).unwrap();
    api.delete("workspaces", NAMESPACE, "w", delete_with(Propagation::Orphan)).unwrap();
    assert!(api.get("workspaces", NAMESPACE, "w").is_none());
    assert!(object::owners(&api.get("configmaps", NAMESPACE, "child").unwrap()).is_empty());
}

#[test]
fn a_deleted_namespace_takes_its_content_along_and_waits_for_what_is_held() {
    let api = server(true);
    let mut held = space("held");
    held["metadata"]["finalizers"] = json!(["example.com/hold"]);
    api.create("workspaces", NAMESPACE, held).unwrap();
    api.create("configmaps", NAMESPACE, json!({"metadata": {"name": "c"}})).unwrap();
    api.delete("namespaces", "", NAMESPACE, DeleteOptions::default()).unwrap();
    assert!(api.get("configmaps", NAMESPACE, "c").is_none());
    let refused = api.create("configmaps", NAMESPACE, json!({"metadata": {"name": "late"}})).unwrap_err();
    assert_eq!(refused.code, 403);
    api.patch("workspaces", NAMESPACE, "held", json!({"metadata": {"finalizers": null}})).unwrap();
    assert!(api.get("namespaces", "", NAMESPACE).is_none());
}

#[test]
fn a_claim_stays_while_a_pod_uses_it() {
    let api = server(true);
    let claim = json!({"metadata": {"name": "disk"}, "spec": {
        "accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}},
    }});
    api.create("persistentvolumeclaims", NAMESPACE, claim).unwrap();
    let volumes = json!([{"name": "v", "persistentVolumeClaim": {"claimName": "disk"}}]);
    api.create("pods", NAMESPACE, pod("p", volumes)).unwrap();
    api.delete("persistentvolumeclaims", NAMESPACE, "disk", DeleteOptions::default()).unwrap();
    assert!(api.get("persistentvolumeclaims", NAMESPACE, "disk").is_some());
    api.delete("pods", NAMESPACE, "p", DeleteOptions::default()).unwrap();
    assert!(api.get("persistentvolumeclaims", NAMESPACE, "disk").is_none());
}

#[test]
fn a_placed_pod_gets_time_to_end() {
    let api = server(true);
    api.create("pods", NAMESPACE, pod("p", json!([]))).unwrap();
    api.patch("pods", NAMESPACE, "p", json!({"spec": {"nodeName": "n"}})).unwrap();
    api.delete("pods", NAMESPACE, "p", DeleteOptions::default()).unwrap();
    let ending = api.get("pods", NAMESPACE, "p").unwrap();
    assert_eq!(ending["metadata"]["deletionGracePeriodSeconds"], 30);
    let now = DeleteOptions { grace_period_seconds: Some(0), ..DeleteOptions::default() };
    api.delete("pods", NAMESPACE, "p", now).unwrap();
    assert!(api.get("pods", NAMESPACE, "p").is_none());
}

#[test]
fn a_quota_is_kept_and_given_back() {
    let api = server(true);
    let quota = json!({"metadata": {"name": "q"}, "spec": {"hard": {"pods": "1"}}});
    api.create("resourcequotas", NAMESPACE, quota).unwrap();
    let used = || api.get("resourcequotas", NAMESPACE, "q").unwrap()["status"]["used"]["pods"].clone();
    assert_eq!(used(), "0");
    api.create("pods", NAMESPACE, pod("one", json!([]))).unwrap();
    assert_eq!(used(), "1");
    let refused = api.create("pods", NAMESPACE, pod("two", json!([]))).unwrap_err();
    assert_eq!(
        refused.message,
        "pods \"two\" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1"
    );
    api.patch_status("pods", NAMESPACE, "one", json!({"status": {"phase": "Succeeded"}})).unwrap();
    assert_eq!(used(), "0");
    api.create("pods", NAMESPACE, pod("two", json!([]))).unwrap();
}

#[test]
fn a_create_that_fails_late_gives_its_quota_back() {
    let api = server(true);
    let quota = json!({"metadata": {"name": "q"}, "spec": {"hard": {"count/configmaps": "2"}}});
    api.create("resourcequotas", NAMESPACE, quota).unwrap();
    let map = json!({"metadata": {"name": "c"}});
    api.create("configmaps", NAMESPACE, map.clone()).unwrap();
    assert_eq!(api.create("configmaps", NAMESPACE, map).unwrap_err().code, 409);
    let stored = api.get("resourcequotas", NAMESPACE, "q").unwrap();
    assert_eq!(stored["status"]["used"]["count/configmaps"], "1");
}

#[test]
fn a_node_is_tainted_until_it_is_ready() {
    let api = server(true);
    api.create("nodes", "", json!({"metadata": {"name": "n"}})).unwrap();
    assert_eq!(
        api.get("nodes", "", "n").unwrap()["spec"]["taints"][0]["key"],
        "node.kubernetes.io/not-ready"
    );
    let ready = json!({"status": {"conditions": [{"type": "Ready", "status": "True"}]}});
    api.patch_status("nodes", "", "n", ready).unwrap();
    assert!(api.get("nodes", "", "n").unwrap()["spec"].get("taints").is_none());
}

#[test]
fn subscribers_see_every_change_in_order() {
    let api = server(false);
    let mut changes = api.subscribe();
    api.create("workspaces", NAMESPACE, space("w")).unwrap();
    api.patch("workspaces", NAMESPACE, "w", json!({"spec": {"displayName": "n"}})).unwrap();
    api.delete("workspaces", NAMESPACE, "w", DeleteOptions::default()).unwrap();
    let seen: Vec<ChangeKind> =
        std::iter::from_fn(|| changes.try_recv().ok()).map(|change| change.kind).collect();
    assert_eq!(seen, [ChangeKind::Added, ChangeKind::Modified, ChangeKind::Deleted]);
}

#[test]
fn objects_keep_uid_and_version_over_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let config = ApiConfig { journal: Some(folder.path().join("a.journal")), ..ApiConfig::default() };
    let open = || ApiServer::new(config.clone()).unwrap().local(UserInfo::component("tester"));
    let api = open();
    api.create("namespaces", "", json!({"metadata": {"name": NAMESPACE}})).unwrap();
    let before = api.create("workspaces", NAMESPACE, space("w")).unwrap();
    drop(api);
    assert_eq!(open().get("workspaces", NAMESPACE, "w").unwrap(), before);
}
