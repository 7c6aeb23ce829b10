//! The webhooks against a real store.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;
use crate::cluster::addon::{self, AddonOptions, WebUi};
use crate::cluster::names::{API_VERSION, CONTROLLER_USER, CREATED_BY, LAST_UPDATED_BY, TEMPLATE_FINALIZER};
use crate::kube::hooks::Hooks;
use crate::kube::identity::UserInfo;
use crate::kube::{ApiConfig, ApiServer, DeleteOptions};
use serde_json::json;
use std::sync::Arc;

const NS: &str = "hyperpod-ns-team-a";

struct Cluster(ApiServer);

impl Cluster {
    fn new(remote_access: bool) -> Cluster {
        let server = ApiServer::new(ApiConfig::default()).unwrap();
        let operator = server.local(UserInfo { username: CONTROLLER_USER.into(), ..UserInfo::default() });
        let settings = Settings { remote_access, ..Settings::default() };
        let admission: Arc<dyn Admission> = Arc::new(SpacesAdmission::new(operator, settings));
        server.install(Hooks { admission: vec![admission], ..Hooks::default() });
        let root = server.local(UserInfo::component("seed"));
        for namespace in [NS, SYSTEM_NAMESPACE] {
            let object = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}});
            root.create("namespaces", "", object).unwrap();
        }
        let web_ui = Some(WebUi { scheme: "http".into(), domain: "spaces.localhost".into() });
        for (resource, object) in addon::objects(&AddonOptions { web_ui, remote_access }) {
            let namespace = object["metadata"]["namespace"].as_str().unwrap_or_default().to_owned();
            root.create(resource, &namespace, object).unwrap();
        }
        Cluster(server)
    }

    fn root(&self) -> LocalApi {
        self.0.local(UserInfo::component("seed"))
    }

    fn person(&self, name: &str) -> LocalApi {
        self.0.local(UserInfo {
            username: name.into(),
            groups: vec!["system:authenticated".into()],
            ..UserInfo::default()
        })
    }

    fn template(&self, spec: Value) {
        let mut template = json!({
            "apiVersion": API_VERSION, "kind": "WorkspaceTemplate", "metadata": {"name": "tight", "namespace": NS},
            "spec": {"displayName": "Tight", "defaultImage": addon::CPU_IMAGE, "appType": "jupyterlab"},
        });
        template["spec"].as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
        self.root().create("workspacetemplates", NS, template).unwrap();
    }
}

fn space(name: &str, spec: Value) -> Value {
    let mut space = json!({
        "apiVersion": API_VERSION, "kind": "Workspace", "metadata": {"name": name, "namespace": NS},
        "spec": {"displayName": name},
    });
    space["spec"].as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
    space
}

fn denial(result: Result<Arc<Value>, Failure>) -> String {
    let failure = result.unwrap_err();
    assert_eq!((failure.code, failure.reason.as_str()), (403, "Forbidden"), "{}", failure.message);
    failure.message
}

#[test]
fn a_minimal_space_comes_back_filled_from_the_default_template() {
    let cluster = Cluster::new(true);
    let made = cluster.person("ds-a1").create("workspaces", NS, space("lab", json!({}))).unwrap();
    assert_eq!(
        made["spec"]["templateRef"],
        json!({"name": "sagemaker-jupyter-template", "namespace": SYSTEM_NAMESPACE})
    );
    assert_eq!(made["spec"]["image"], addon::CPU_IMAGE);
    assert_eq!(made["spec"]["storage"]["size"], "5Gi");
    assert_eq!(made["spec"]["serviceAccountName"], "default");
    assert_eq!(made["spec"]["ownershipType"], "Public");
    assert_eq!(made["spec"]["accessType"], "Public");
    assert_eq!(made["spec"]["desiredStatus"], "Running");
    assert_eq!(made["metadata"]["annotations"][CREATED_BY], "ds-a1");
    assert_eq!(
        made["metadata"]["labels"],
        json!({
            "workspace.jupyter.org/template-name": "sagemaker-jupyter-template",
            "workspace.jupyter.org/template-namespace": SYSTEM_NAMESPACE,
            "workspace.jupyter.org/access-strategy-name": "hyperpod-access-strategy",
            "workspace.jupyter.org/access-strategy-namespace": SYSTEM_NAMESPACE,
        })
    );
}

#[test]
fn the_creator_cannot_be_somebody_else() {
    let cluster = Cluster::new(false);
    let mut lab = space("lab", json!({}));
    lab["metadata"]["annotations"] = json!({CREATED_BY: "ds-b1"});
    let made = cluster.person("ds-a1").create("workspaces", NS, lab).unwrap();
    assert_eq!(made["metadata"]["annotations"][CREATED_BY], "ds-a1");
    let changed =
        cluster.person("ds-a2").patch("workspaces", NS, "lab", json!({"spec": {"displayName": "x"}}));
    let changed = changed.unwrap();
    assert_eq!(changed["metadata"]["annotations"][CREATED_BY], "ds-a1");
    assert_eq!(changed["metadata"]["annotations"][LAST_UPDATED_BY], "ds-a2");
}

#[test]
fn a_private_space_is_its_owners_alone_except_for_administrators() {
    let cluster = Cluster::new(false);
    let private = space("lab", json!({"ownershipType": "OwnerOnly"}));
    cluster.person("ds-a1").create("workspaces", NS, private).unwrap();
    let stop = json!({"spec": {"desiredStatus": "Stopped"}});
    assert_eq!(
        denial(cluster.person("ds-a2").patch("workspaces", NS, "lab", stop.clone())),
        "admission webhook \"vworkspace-v1alpha1.kb.io\" denied the request: access denied: only workspace owner can \
         modify OwnerOnly workspaces"
    );
    let other = cluster.person("ds-a2").delete("workspaces", NS, "lab", DeleteOptions::default());
    assert_eq!(other.unwrap_err().code, 403);
    cluster.root().patch("workspaces", NS, "lab", stop).unwrap();
    cluster.person("ds-a1").delete("workspaces", NS, "lab", DeleteOptions::default()).unwrap();
}

#[test]
fn without_a_template_access_follows_ownership() {
    let cluster = Cluster::new(false);
    let unmarked = json!({"metadata": {"labels": {"workspace.jupyter.org/default-template": null}}});
    let name = "sagemaker-jupyter-template";
    cluster.root().patch("workspacetemplates", SYSTEM_NAMESPACE, name, unmarked).unwrap();
    let private = space("lab", json!({"ownershipType": "OwnerOnly"}));
    let made = cluster.person("ds-a1").create("workspaces", NS, private).unwrap();
    assert!(made["spec"]["templateRef"].is_null());
    assert_eq!(made["spec"]["accessType"], "OwnerOnly");
}

#[test]
fn an_unknown_template_is_named_with_both_places() {
    let cluster = Cluster::new(false);
    let lab = space("lab", json!({"templateRef": {"name": "none"}}));
    assert_eq!(
        denial(cluster.person("ds-a1").create("workspaces", NS, lab)),
        "admission webhook \"mworkspace-v1alpha1.kb.io\" denied the request: failed to apply template defaults: failed \
         to get template none from namespace hyperpod-ns-team-a or fallback namespace jupyter-k8s-system: \
         workspacetemplates.workspace.jupyter.org \"none\" not found"
    );
}

#[test]
fn bounds_hold_for_administrators_too_when_they_create() {
    let cluster = Cluster::new(false);
    cluster.template(json!({"resourceBounds": {"resources": {"cpu": {"min": "1", "max": "4"}}}}));
    let big = json!({"templateRef": {"name": "tight"}, "resources": {"requests": {"cpu": "8"}}});
    for api in [cluster.person("ds-a1"), cluster.root()] {
        let message = denial(api.create("workspaces", NS, space("lab", big.clone())));
        assert!(
            message.ends_with(
                "workspace violates template 'tight' constraints: cpu request 8 exceeds maximum 4 allowed by template \
                 'tight'"
            ),
            "{message}"
        );
    }
}

#[test]
fn a_tightened_template_blocks_the_start_but_not_the_stop() {
    let cluster = Cluster::new(false);
    cluster.template(json!({"resourceBounds": {"resources": {"cpu": {"min": "1", "max": "8"}}}}));
    let spec = json!({"templateRef": {"name": "tight"}, "resources": {"requests": {"cpu": "8"}}});
    let person = cluster.person("ds-a1");
    person.create("workspaces", NS, space("lab", spec)).unwrap();
    let tighter = json!({"spec": {"resourceBounds": {"resources": {"cpu": {"max": "4"}}}}});
    cluster.root().patch("workspacetemplates", NS, "tight", tighter).unwrap();
    person.patch("workspaces", NS, "lab", json!({"spec": {"desiredStatus": "Stopped"}})).unwrap();
    denial(person.patch("workspaces", NS, "lab", json!({"spec": {"desiredStatus": "Running"}})));
}

#[test]
fn a_space_cannot_mount_the_disk_of_another() {
    let cluster = Cluster::new(false);
    let claim = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"name": "workspace-other-pvc", "namespace": NS, "ownerReferences": [{
            "apiVersion": API_VERSION, "kind": "Workspace", "name": "other", "uid": "u",
        }]},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "5Gi"}}},
    });
    cluster.root().create("persistentvolumeclaims", NS, claim).unwrap();
    let volume = json!({"volumes": [
        {"name": "data", "persistentVolumeClaimName": "workspace-other-pvc", "mountPath": "/data"},
    ]});
    let message = denial(cluster.person("ds-a1").create("workspaces", NS, space("lab", volume)));
    assert!(message.contains(
        "Volume 'data' references PVC 'workspace-other-pvc' which is owned by another workspace 'other'"
    ));
}

#[test]
fn references_outside_their_scope_are_refused() {
    let cluster = Cluster::new(false);
    let strategy = json!({"accessStrategy": {"name": "s", "namespace": "elsewhere"}});
    let message = denial(cluster.person("ds-a1").create("workspaces", NS, space("lab", strategy)));
    assert!(message.contains("accessStrategy.namespace \"elsewhere\" is not allowed"), "{message}");
    let missing = json!({"accessStrategy": {"name": "s"}});
    let message = denial(cluster.person("ds-a1").create("workspaces", NS, space("lab", missing)));
    assert!(
        message.ends_with("referenced AccessStrategy s not found in namespace hyperpod-ns-team-a"),
        "{message}"
    );
}

#[test]
fn two_default_templates_are_ambiguous() {
    let cluster = Cluster::new(false);
    let label = json!({"metadata": {"labels": {"workspace.jupyter.org/default-template": "true"}}});
    let name = "sagemaker-code-editor-template";
    cluster.root().patch("workspacetemplates", SYSTEM_NAMESPACE, name, label).unwrap();
    let message = denial(cluster.person("ds-a1").create("workspaces", NS, space("lab", json!({}))));
    assert!(
        message
            .contains("multiple templates found with default-template label in namespace jupyter-k8s-system")
    );
}

#[test]
fn a_template_is_protected_once_a_space_uses_it() {
    let cluster = Cluster::new(false);
    cluster.template(json!({}));
    let protected = || {
        let template = cluster.root().get("workspacetemplates", NS, "tight").unwrap();
        crate::cluster::fields::has_finalizer(&template, TEMPLATE_FINALIZER)
    };
    assert!(!protected());
    let spec = json!({"templateRef": {"name": "tight"}});
    cluster.person("ds-a1").create("workspaces", NS, space("lab", spec)).unwrap();
    assert!(protected());
}

#[test]
fn the_memory_policy_answers_as_the_api_server_does() {
    let cluster = Cluster::new(true);
    let small = json!({"resources": {"requests": {"memory": "4Gi"}}});
    let failure = cluster.person("ds-a1").create("workspaces", NS, space("lab", small)).unwrap_err();
    assert_eq!(failure.code, 422);
    assert!(failure.message.contains("hyperpod-workspace-memory-policy"), "{}", failure.message);
}

#[test]
fn an_inconsistent_template_is_refused() {
    let cluster = Cluster::new(false);
    let template = json!({
        "apiVersion": API_VERSION, "kind": "WorkspaceTemplate", "metadata": {"name": "bad", "namespace": NS},
        "spec": {"displayName": "Bad", "defaultImage": "a", "allowedImages": ["b"]},
    });
    assert!(denial(cluster.root().create("workspacetemplates", NS, template)).contains("vworkspacetemplate"));
}
