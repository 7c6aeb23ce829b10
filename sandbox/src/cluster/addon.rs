//! The objects that the Spaces add-on ships: system templates, access strategy, storage class, service account, and
//! its admission policies (chart `aws-hyperpod` of jupyter-k8s-aws). A seed creates them; admission and operator read
//! what is stored.

use super::names::{
    API_VERSION, CONTROLLER_ACCOUNT, LABEL_DEFAULT_TEMPLATE, REMOTE_SIDECAR, SYSTEM_NAMESPACE,
};
use serde_json::{Value, json};

pub const CPU_IMAGE: &str = "public.ecr.aws/sagemaker/sagemaker-distribution:latest-cpu";
pub const GPU_IMAGE: &str = "public.ecr.aws/sagemaker/sagemaker-distribution:latest-gpu";
pub const STRATEGY: &str = "hyperpod-access-strategy";
pub const STORAGE_CLASS: &str = "sagemaker-spaces-default-storage-class";

/// How the add-on was installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddonOptions {
    /// Where Spaces are reached, `http://…:18888` without the host of the Space: scheme and port.
    pub web_ui: Option<WebUi>,
    pub remote_access: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebUi {
    /// `http` in the sandbox.
    pub scheme: String,
    /// With a port if it is not the scheme's: `spaces.localhost:18888`.
    pub domain: String,
}

/// Everything, in the order of creation, each with its plural name.
pub fn objects(options: &AddonOptions) -> Vec<(&'static str, Value)> {
    let mut objects = vec![
        (
            "serviceaccounts",
            json!({
                "apiVersion": "v1", "kind": "ServiceAccount",
                "metadata": {"name": CONTROLLER_ACCOUNT, "namespace": SYSTEM_NAMESPACE},
            }),
        ),
        ("storageclasses", storage_class()),
        ("workspaceaccessstrategies", access_strategy(options)),
        ("workspacetemplates", system_template(Application::JupyterLab)),
        ("workspacetemplates", system_template(Application::CodeEditor)),
    ];
    objects.extend(policies(options.remote_access));
    objects
}

fn storage_class() -> Value {
    json!({
        "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": STORAGE_CLASS},
        "provisioner": "ebs.csi.aws.com", "reclaimPolicy": "Delete", "volumeBindingMode": "WaitForFirstConsumer",
        "parameters": {"type": "gp3", "csi.storage.k8s.io/fstype": "ext4", "encrypted": "true"},
    })
}

#[derive(Clone, Copy)]
enum Application {
    JupyterLab,
    CodeEditor,
}

fn system_template(application: Application) -> Value {
    let (name, title, app_type, command) = match application {
        Application::JupyterLab => (
            "sagemaker-jupyter-template",
            "SageMaker Jupyter Lab",
            "jupyterlab",
            "entrypoint-workspace-jupyterlab",
        ),
        Application::CodeEditor => (
            "sagemaker-code-editor-template",
            "SageMaker Code Editor",
            "code-editor",
            "entrypoint-workspace-code-editor",
        ),
    };
    let mut template = json!({
        "apiVersion": API_VERSION, "kind": "WorkspaceTemplate",
        "metadata": {"name": name, "namespace": SYSTEM_NAMESPACE},
        "spec": {
            "displayName": title,
            "defaultImage": CPU_IMAGE,
            "allowedImages": [CPU_IMAGE, GPU_IMAGE],
            "defaultResources": {
                "requests": {"cpu": "2", "memory": "8Gi"}, "limits": {"cpu": "2", "memory": "8Gi"},
            },
            "primaryStorage": {
                "defaultSize": "5Gi", "minSize": "1Gi", "maxSize": "100Gi",
                "defaultStorageClassName": STORAGE_CLASS, "defaultMountPath": "/home/sagemaker-user",
            },
            "defaultContainerConfig": {"command": [format!("/opt/amazon/sagemaker/workspace/bin/{command}")]},
            "defaultPodSecurityContext": {"fsGroup": 1000},
            "defaultOwnershipType": "Public",
            "defaultAccessStrategy": {"name": STRATEGY, "namespace": SYSTEM_NAMESPACE},
            "allowSecondaryStorages": true,
            "appType": app_type,
        },
    });
    if matches!(application, Application::JupyterLab) {
        template["metadata"]["labels"] = json!({LABEL_DEFAULT_TEMPLATE: "true"});
    }
    template
}

fn access_strategy(options: &AddonOptions) -> Value {
    let mut spec = json!({
        "displayName": "HyperPod Access Strategy",
        "accessResourceTemplates": [],
        "createConnectionHandler": "k8s-native",
        "deploymentModifications": {"podModifications": pod_modifications(options.remote_access)},
    });
    if let Some(web_ui) = &options.web_ui {
        let host =
            format!("{{{{ .Workspace.Name }}}}-{{{{ b32encode .Workspace.Namespace }}}}.{}", web_ui.domain);
        let origin = format!("{}://{host}", web_ui.scheme);
        spec["bearerAuthURLTemplate"] = json!(format!("{origin}/bearer-auth"));
        spec["accessResourceTemplates"] = json!([
            ingress_route("authorized-route", &host, 100, ""),
            ingress_route("unauthorized-route", &host, 110, " && PathPrefix(`/bearer-auth`)"),
        ]);
        spec["accessStartupProbe"] = json!({
            "httpGet": {"urlTemplate": format!("{origin}/"), "additionalSuccessStatusCodes": [400]},
            "initialDelaySeconds": 1, "periodSeconds": 2, "timeoutSeconds": 5, "failureThreshold": 20,
        });
    }
    if options.remote_access {
        spec["createConnectionHandlerMap"] = ["vscode-remote", "kiro-remote", "cursor-remote"]
            .map(|kind| (kind.to_owned(), json!("aws:createSession")))
            .into_iter()
            .collect();
        spec["podEventsHandler"] = json!("aws:ssm-remote-access");
    }
    json!({
        "apiVersion": API_VERSION, "kind": "WorkspaceAccessStrategy",
        "metadata": {"name": STRATEGY, "namespace": SYSTEM_NAMESPACE},
        "spec": spec,
    })
}

fn ingress_route(prefix: &str, host: &str, priority: u32, path_rule: &str) -> Value {
    let template = format!(
        "spec:\n  entryPoints: [web]\n  routes:\n  - kind: Rule\n    match: Host(`{host}`){path_rule}\n    priority: \
         {priority}\n    services:\n    - name: \"{{{{ .Service.Name }}}}\"\n      port: 8888\n"
    );
    json!({
        "kind": "IngressRoute", "apiVersion": "traefik.io/v1alpha1", "namePrefix": prefix, "template": template,
    })
}

fn pod_modifications(remote_access: bool) -> Value {
    let env = [
        ("WORKSPACE_NAMESPACE", "{{ .Workspace.Namespace }}"),
        ("WORKSPACE_NAME", "{{ .Workspace.Name }}"),
        ("WORKSPACE_ACCESS_TYPE", "{{ .Workspace.Spec.AccessType }}"),
        ("WORKSPACE_APP_TYPE", "{{ .Workspace.Spec.AppType }}"),
        (
            "WORKSPACE_CREATOR_USERNAME",
            "{{ index .Workspace.Annotations \"workspace.jupyter.org/created-by\" }}",
        ),
        ("JUPYTER_BASE_URL", "/workspaces/{{ .Workspace.Namespace }}/{{ .Workspace.Name }}/"),
    ];
    let merge_env: Vec<Value> =
        env.iter().map(|(name, template)| json!({"name": name, "valueTemplate": template})).collect();
    if !remote_access {
        return json!({"primaryContainerModifications": {"mergeEnv": merge_env}});
    }
    let mount = json!({"name": "workspace-base", "mountPath": "/opt/amazon/sagemaker/workspace"});
    json!({
        "volumes": [{"name": "workspace-base", "emptyDir": {}}],
        "initContainers": [{
            "name": "workspace-init-container", "image": "public.ecr.aws/sagemaker/spaces-init:latest",
            "volumeMounts": [mount],
        }],
        "additionalContainers": [{
            "name": REMOTE_SIDECAR, "image": "public.ecr.aws/sagemaker/spaces-ssm-agent:latest",
            "resources": {
                "requests": {"cpu": "100m", "memory": "1Gi"}, "limits": {"cpu": "500m", "memory": "1Gi"},
            },
            "startupProbe": {
                "exec": {"command": ["test", "-f", "/tmp/ssm-registered"]},
                "periodSeconds": 1, "failureThreshold": 300,
            },
            "readinessProbe": {"exec": {"command": ["test", "-f", "/tmp/ssm-registered"]}},
            "volumeMounts": [mount],
        }],
        "primaryContainerModifications": {"volumeMounts": [mount], "mergeEnv": merge_env},
    })
}

/// The two policies as objects, for people who look; `admission::policies` enforces them.
fn policies(remote_access: bool) -> Vec<(&'static str, Value)> {
    use super::admission::policies::{APP_TYPE, MEMORY, Policy};
    let objects = |policy: &Policy| {
        [
            (
                "validatingadmissionpolicies",
                json!({
                    "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
                    "metadata": {"name": policy.name},
                    "spec": {
                        "failurePolicy": "Fail",
                        "matchConstraints": {"resourceRules": [{
                            "apiGroups": ["workspace.jupyter.org"], "apiVersions": ["v1alpha1"],
                            "operations": ["CREATE", "UPDATE"], "resources": ["workspaces"],
                        }]},
                        "validations": [{"expression": policy.expression, "message": policy.message}],
                    },
                }),
            ),
            (
                "validatingadmissionpolicybindings",
                json!({
                    "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
                    "metadata": {"name": policy.binding},
                    "spec": {"policyName": policy.name, "validationActions": ["Deny"]},
                }),
            ),
        ]
    };
    let mut all = objects(&APP_TYPE).to_vec();
    if remote_access {
        all.extend(objects(&MEMORY));
    }
    all
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn strategy(web_ui: bool, remote_access: bool) -> Value {
        let web_ui = web_ui.then(|| WebUi { scheme: "http".into(), domain: "spaces.localhost:1".into() });
        let objects = objects(&AddonOptions { web_ui, remote_access });
        objects.into_iter().find(|(kind, _)| *kind == "workspaceaccessstrategies").unwrap().1
    }

    #[test]
    fn the_strategy_tells_what_is_installed() {
        assert!(strategy(true, true)["spec"]["bearerAuthURLTemplate"].is_string());
        assert!(strategy(false, true)["spec"]["bearerAuthURLTemplate"].is_null());
        assert_eq!(
            strategy(true, true)["spec"]["createConnectionHandlerMap"]["kiro-remote"],
            "aws:createSession"
        );
        assert!(strategy(true, false)["spec"]["createConnectionHandlerMap"].is_null());
    }

    #[test]
    fn only_the_notebook_template_is_the_default() {
        let objects = objects(&AddonOptions { web_ui: None, remote_access: false });
        let defaults: Vec<_> = objects
            .iter()
            .filter(|(_, object)| object["metadata"]["labels"][LABEL_DEFAULT_TEMPLATE] == "true")
            .map(|(_, object)| object["metadata"]["name"].clone())
            .collect();
        assert_eq!(defaults, ["sagemaker-jupyter-template"]);
    }
}
