//! Whole clusters in one process, at an instant pace and without processes.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

mod connect;
mod failures;
mod lifecycle;
mod placement;
mod processes;

use super::addon::{AddonOptions, WebUi, objects};
use super::admission::Settings;
use super::names::API_VERSION;
use super::{Cluster, ClusterOptions, ConnectionTokens, InstanceGroup, Pace, RunningCluster, fields};
use crate::kube::identity::UserInfo;
use crate::kube::{ApiConfig, ApiServer, LocalApi};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

pub(super) const NS: &str = "hyperpod-ns-team-a";
/// Far beyond what anything here takes.
const DEADLINE: Duration = Duration::from_secs(20);

pub(super) struct TestCluster {
    pub api: LocalApi,
    pub server: ApiServer,
    pub running: RunningCluster,
    pub dir: TempDir,
}

pub(super) fn group(name: &str, initial: usize, max: usize) -> InstanceGroup {
    InstanceGroup {
        name: name.into(),
        instance_type: "ml.m5.4xlarge".into(),
        zones: vec!["us-west-2a".into()],
        initial,
        max,
        vcpus: 16,
        memory_gib: 64,
        accelerators: BTreeMap::new(),
        pod_slots: 58,
        volume_slots: 25,
        labels: BTreeMap::new(),
        taints: Vec::new(),
    }
}

impl TestCluster {
    pub async fn start(groups: Vec<InstanceGroup>) -> TestCluster {
        TestCluster::start_with(groups, |_| {}).await
    }

    pub async fn start_with(
        groups: Vec<InstanceGroup>,
        change: impl FnOnce(&mut ClusterOptions),
    ) -> TestCluster {
        let dir = tempfile::tempdir().unwrap();
        let config = ApiConfig {
            journal: Some(dir.path().join("journal")),
            controllers: true,
            ..ApiConfig::default()
        };
        let server = ApiServer::new(config).unwrap();
        let cluster = TestCluster::run(server, dir, groups, change);
        cluster
            .create("namespaces", json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NS}}));
        let system =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "jupyter-k8s-system"}});
        cluster.create("namespaces", system);
        let web_ui = Some(WebUi { scheme: "http".into(), domain: "spaces.localhost:1".into() });
        for (resource, object) in objects(&AddonOptions { web_ui, remote_access: true }) {
            cluster.create(resource, object);
        }
        if cluster.api.get("serviceaccounts", NS, "default").is_none() {
            let account = json!({"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default", "namespace": NS}});
            cluster.create("serviceaccounts", account);
        }
        cluster.running.settle().await;
        cluster
    }

    fn run(
        server: ApiServer,
        dir: TempDir,
        groups: Vec<InstanceGroup>,
        change: impl FnOnce(&mut ClusterOptions),
    ) -> TestCluster {
        let mut options =
            ClusterOptions::new("sandbox", volumes(dir.path()), ConnectionTokens::generate().unwrap());
        options.pace = Pace::instant();
        options.groups = groups;
        options.admission = Settings { remote_access: true, ..Settings::default() };
        change(&mut options);
        let cluster = Cluster::new(server.clone(), options);
        server.install(cluster.hooks());
        let api = server.local(UserInfo::component("test"));
        TestCluster { api, server, running: cluster.start(), dir }
    }

    /// The same state under a new process: journal read again, components started afresh.
    pub async fn restart(self, groups: Vec<InstanceGroup>) -> TestCluster {
        self.restart_with(groups, |_| {}).await
    }

    pub async fn restart_with(
        self,
        groups: Vec<InstanceGroup>,
        change: impl FnOnce(&mut ClusterOptions),
    ) -> TestCluster {
        let TestCluster { running, dir, .. } = self;
        running.stop().await;
        let config = ApiConfig {
            journal: Some(dir.path().join("journal")),
            controllers: true,
            ..ApiConfig::default()
        };
        TestCluster::run(ApiServer::new(config).unwrap(), dir, groups, change)
    }

    pub fn create(&self, resource: &str, object: Value) -> Arc<Value> {
        let namespace = fields::namespace(&object).to_owned();
        self.api.create(resource, &namespace, object).unwrap()
    }

    /// A person without any special group.
    pub fn person(&self, name: &str) -> LocalApi {
        self.server.local(UserInfo { username: name.into(), ..UserInfo::default() })
    }

    pub fn space(&self, name: &str, spec: Value) -> Arc<Value> {
        let mut object = json!({
            "apiVersion": API_VERSION, "kind": "Workspace", "metadata": {"name": name, "namespace": NS},
            "spec": {"displayName": name},
        });
        object["spec"].as_object_mut().unwrap().extend(spec.as_object().unwrap().clone());
        self.person("ds-a1").create("workspaces", NS, object).unwrap()
    }

    pub fn get(&self, resource: &str, name: &str) -> Option<Arc<Value>> {
        self.api.get(resource, NS, name)
    }

    pub fn set_status(&self, name: &str, desired: &str) {
        let patch = json!({"spec": {"desiredStatus": desired}});
        self.person("ds-a1").patch("workspaces", NS, name, patch).unwrap();
    }

    /// Waits until `check` answers something, looking after every change of the store.
    pub async fn until<T>(&self, what: &str, mut check: impl FnMut() -> Option<T>) -> T {
        let mut changes = self.api.subscribe();
        let wait = async {
            loop {
                if let Some(found) = check() {
                    return found;
                }
                changes.recv().await.unwrap();
            }
        };
        match tokio::time::timeout(DEADLINE, wait).await {
            Ok(found) => found,
            Err(_) => panic!("{what}: not within {DEADLINE:?}\n{}", self.picture()),
        }
    }

    /// Waits for a condition of a Space with this status and reason.
    pub async fn until_condition(&self, space: &str, kind: &str, status: &str, reason: &str) -> Arc<Value> {
        self.until(&format!("{space}: {kind}={status} {reason}"), || {
            self.get("workspaces", space).filter(|found| {
                fields::condition(found, kind).is_some_and(|c| c["status"] == status && c["reason"] == reason)
            })
        })
        .await
    }

    pub async fn until_running(&self, space: &str) -> Arc<Value> {
        self.until_condition(space, "Available", "True", "ResourcesReady").await
    }

    /// The pods of a Space.
    pub fn pods(&self, space: &str) -> Vec<Arc<Value>> {
        let pods = self.api.list("pods", Some(NS));
        pods.into_iter().filter(|pod| fields::label(pod, super::names::LABEL_SPACE) == space).collect()
    }

    /// Waits for a Space's pod that satisfies `check`.
    pub async fn until_pod(&self, space: &str, what: &str, check: impl Fn(&Value) -> bool) -> Arc<Value> {
        self.until(&format!("pod of {space}: {what}"), || self.pods(space).into_iter().find(|pod| check(pod)))
            .await
    }

    /// Messages of events with a reason, in the test's namespace.
    pub fn messages(&self, reason: &str) -> Vec<String> {
        let events = self.api.list("events", Some(NS));
        let found = events.iter().filter(|event| event["reason"] == reason);
        found.map(|event| fields::text(&event["message"]).to_owned()).collect()
    }

    pub async fn until_event(&self, reason: &str) -> String {
        self.until(&format!("event {reason}"), || self.messages(reason).into_iter().next()).await
    }

    /// What a failed wait should show.
    fn picture(&self) -> String {
        let mut lines = Vec::new();
        for resource in ["workspaces", "deployments", "replicasets", "pods", "persistentvolumeclaims"] {
            for object in self.api.list(resource, Some(NS)) {
                lines.push(format!("{resource} {}: {}", fields::name(&object), object["status"]));
            }
        }
        for event in self.api.list("events", Some(NS)) {
            lines.push(format!("event {}: {}", event["reason"], event["message"]));
        }
        lines.join("\n")
    }
}

/// The waiting reason of the application container.
pub(super) fn waiting_reason(pod: &Value) -> &str {
    let containers = fields::items(&pod["status"]["containerStatuses"]);
    let main = containers.iter().find(|container| container["name"] == "workspace");
    main.map_or("", |container| fields::text(&container["state"]["waiting"]["reason"]))
}

fn volumes(dir: &Path) -> std::path::PathBuf {
    dir.join("volumes")
}
