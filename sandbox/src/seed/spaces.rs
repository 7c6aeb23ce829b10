//! The demo's Spaces: one in every state that needs no queue, failures included. The operator brings them there by
//! itself; names that begin with a sentinel prefix make it fail (docs/SANDBOX.md, Failures on demand).

use super::installation::{GPU_TEMPLATE, OWN_IMAGE_TEMPLATE, SHARED_CLAIM, SMALL_TEMPLATE};
use crate::cluster::addon::GPU_IMAGE;
use crate::cluster::names::{API_VERSION, SYSTEM_NAMESPACE};
use crate::landscape::{ClusterFacts, NAMESPACE_PLATFORM, NAMESPACE_TEAM_A, NAMESPACE_TEAM_B, SANDBOX};
use serde_json::{Value, json};

const JUPYTER: (&str, &str) = ("sagemaker-jupyter-template", SYSTEM_NAMESPACE);
const EDITOR: (&str, &str) = ("sagemaker-code-editor-template", SYSTEM_NAMESPACE);
const SMALL: (&str, &str) = (SMALL_TEMPLATE, NAMESPACE_TEAM_A);
const GPU: (&str, &str) = (GPU_TEMPLATE, SYSTEM_NAMESPACE);

/// What happens to a Space after its first start has settled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Then {
    #[default]
    Stay,
    Stop,
    Delete,
}

/// A Space to be created by a persona.
#[derive(Clone, Debug)]
pub struct DemoSpace {
    pub owner: &'static str,
    pub namespace: &'static str,
    pub name: &'static str,
    title: &'static str,
    template: (&'static str, &'static str),
    /// `OwnerOnly` for both editing and connecting, else `Public`.
    private: bool,
    /// Merged into the spec.
    spec: Value,
    pub then: Then,
}

impl DemoSpace {
    fn private(self) -> DemoSpace {
        DemoSpace { private: true, ..self }
    }

    fn from(self, template: (&'static str, &'static str)) -> DemoSpace {
        DemoSpace { template, ..self }
    }

    fn with(self, spec: Value) -> DemoSpace {
        DemoSpace { spec, ..self }
    }

    fn then(self, then: Then) -> DemoSpace {
        DemoSpace { then, ..self }
    }

    pub fn object(&self) -> Value {
        let (template, template_namespace) = self.template;
        let sharing = if self.private { "OwnerOnly" } else { "Public" };
        let mut spec = json!({
            "displayName": self.title, "desiredStatus": "Running",
            "templateRef": {"name": template, "namespace": template_namespace},
            "ownershipType": sharing, "accessType": sharing,
        });
        json_patch::merge(&mut spec, &self.spec);
        json!({
            "apiVersion": API_VERSION, "kind": "Workspace",
            "metadata": {"name": self.name, "namespace": self.namespace}, "spec": spec,
        })
    }
}

fn space(owner: &'static str, namespace: &'static str, name: &'static str, title: &'static str) -> DemoSpace {
    DemoSpace {
        owner,
        namespace,
        name,
        title,
        template: JUPYTER,
        private: false,
        spec: json!({}),
        then: Then::Stay,
    }
}

pub fn spaces(facts: &ClusterFacts) -> Vec<DemoSpace> {
    if facts.name == SANDBOX.name {
        [team_a_working(), team_a_failing(), others()].concat()
    } else {
        vec![
            space("ds-b1", NAMESPACE_TEAM_B, "east-forecast", "Forecast (east)").private(),
            space("ds-b1", NAMESPACE_TEAM_B, "east-archive", "Archive (east)").then(Then::Stop),
        ]
    }
}

fn team_a_working() -> Vec<DemoSpace> {
    let here = |owner, name, title| space(owner, NAMESPACE_TEAM_A, name, title);
    let requests = |wanted: Value| json!({"resources": {"requests": wanted, "limits": wanted}});
    let shared = json!([{"name": "datasets", "persistentVolumeClaimName": SHARED_CLAIM, "mountPath": "/mnt/datasets"}]);
    vec![
        here("ds-a1", "churn-model", "Churn model").private(),
        here("ds-a1", "feature-store", "Feature store"),
        here("ds-a1", "weekly-report", "Weekly report").private().then(Then::Stop),
        here("ds-a1", "gpu-finetune", "Fine-tuning on a GPU").private().from(GPU),
        here("ds-a2", "notes-a2", "Private notes").private().from(SMALL),
        here("ds-a2", "dataset-browser", "数据集浏览").with(json!({"volumes": shared})),
        here("ds-a2", "mig-slice", "A slice of an A100")
            .from(GPU)
            .with(requests(json!({"cpu": "2", "memory": "8Gi", "nvidia.com/mig-1g.5gb": "1"}))),
        here("lead-a", "pipeline-code", "Pipeline code").from(EDITOR),
        here("lead-a", "quarter-review", "Quarter review").then(Then::Stop),
    ]
}

fn team_a_failing() -> Vec<DemoSpace> {
    let here = |owner, name, title| space(owner, NAMESPACE_TEAM_A, name, title);
    let requests = |wanted: Value| json!({"resources": {"requests": wanted, "limits": wanted}});
    let missing =
        json!([{"name": "old", "persistentVolumeClaimName": "old-datasets", "mountPath": "/mnt/old"}]);
    let large_slice = requests(json!({"cpu": "4", "memory": "16Gi", "nvidia.com/mig-3g.20gb": "1"}));
    vec![
        // The other image, which no CPU node has: a cached one needs no pull.
        here("ds-a1", "hold-image-embeddings", "Embeddings (image is pulled)")
            .with(json!({"image": GPU_IMAGE})),
        here("ds-a1", "hold-ready-warmup", "Warm-up (never ready)"),
        here("ds-a1", "fail-image-registry", "Image cannot be pulled"),
        here("ds-a1", "fail-crash-startup", "Crashes at the start"),
        // No node has 48 vCPUs left for a Space.
        here("ds-a1", "vision-training", "Larger than any node")
            .from(GPU)
            .with(requests(json!({"cpu": "48", "memory": "64Gi", "nvidia.com/gpu": "4"}))),
        here("ds-a2", "fail-probe-access", "Access probe gave up"),
        here("ds-a2", "missing-dataset", "Mounts a claim that is gone").with(json!({"volumes": missing})),
        here("ds-a2", "fail-oom-etl", "Out of memory"),
        // The quota allows one of these slices.
        here("lead-a", "large-slice", "Large slice").from(GPU).with(large_slice.clone()),
        here("ds-a2", "second-large-slice", "Second large slice (quota)").from(GPU).with(large_slice),
        here("lead-a", "hold-stop-archive", "Takes long to stop").then(Then::Stop),
        here("lead-a", "hold-delete-old", "Takes long to delete").then(Then::Delete),
    ]
}

fn others() -> Vec<DemoSpace> {
    let here = |name, title| space("ds-b1", NAMESPACE_TEAM_B, name, title);
    vec![
        here("forecast", "Forecast").private(),
        here("pricing", "Pricing").then(Then::Stop),
        here("fail-config-secret", "Refers to a missing secret"),
        here("fail-mount-home", "Volume cannot be mounted"),
        here("fail-volume-quota", "Volume cannot be created"),
        space("admin", NAMESPACE_PLATFORM, "cluster-tools", "Cluster tools"),
    ]
}

/// Team A may have one large slice at a time.
pub fn quota() -> Value {
    json!({
        "apiVersion": "v1", "kind": "ResourceQuota",
        "metadata": {"name": "large-slices", "namespace": NAMESPACE_TEAM_A},
        "spec": {"hard": {"requests.nvidia.com/mig-3g.20gb": "1"}},
    })
}

/// What some other tool might write: legal for the API server, absurd for people.
pub fn odd_space() -> Value {
    let markup = "<img src=x onerror=alert(1)> \u{202e}desrever";
    json!({
        "apiVersion": API_VERSION, "kind": "Workspace",
        "metadata": {
            "name": "0dd", "namespace": NAMESPACE_TEAM_A,
            "labels": {"kueue.x-k8s.io/queue-name": "no-such-queue"},
            "annotations": {"note": "x".repeat(4096)},
        },
        "spec": {
            "displayName": format!("{markup}{}", "长".repeat(300)),
            "desiredStatus": "Stopped",
            "templateRef": {"name": OWN_IMAGE_TEMPLATE, "namespace": NAMESPACE_TEAM_A},
            "image": "not an image: at all",
            "appType": "jupyterlab",
            "resources": {
                "requests": {"cpu": "1e3", "memory": "9000Ti", "example.com/unicorn": "7"},
                "limits": {"cpu": "2e3", "memory": "9000Ti", "example.com/unicorn": "7"},
            },
            "nodeSelector": {"kubernetes.io/hostname": "nowhere"},
            "env": [{"name": "EMPTY"}, {"name": "LINES", "value": "a\nb\tc"}],
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::landscape::{PERSONAS, SANDBOX_EAST};
    use std::collections::HashSet;

    #[test]
    fn every_owner_has_a_role_where_the_space_is() {
        for facts in [&SANDBOX, &SANDBOX_EAST] {
            for space in spaces(facts) {
                let persona = PERSONAS.iter().find(|persona| persona.name == space.owner);
                assert!(persona.and_then(|persona| persona.role_in(facts)).is_some(), "{}", space.name);
                assert!(facts.namespaces().contains(&space.namespace), "{}", space.name);
            }
        }
    }

    #[test]
    fn names_are_unique_in_the_cluster_and_fit_the_host_name() {
        let spaces = spaces(&SANDBOX);
        let names: HashSet<_> = spaces.iter().map(|space| space.name).collect();
        assert_eq!(names.len(), spaces.len());
        for space in spaces {
            let label = crate::runtime::host::label(space.name, space.namespace);
            assert!(label.len() <= 63, "{label}");
        }
    }
}
