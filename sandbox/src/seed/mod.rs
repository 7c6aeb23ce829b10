//! The first objects of a cluster, written through its API server: the installation at every start, teams and their
//! Spaces into an empty store only.

pub mod hardware;
mod installation;
mod queues;
mod rights;
mod scale;
mod spaces;

use crate::aws::entries::Entries;
use crate::cluster::RunningCluster;
use crate::cluster::addon::AddonOptions;
use crate::kube::failure::Failure;
use crate::kube::identity::UserInfo;
use crate::kube::{DeleteOptions, LocalApi, bootstrap};
use crate::landscape::{ClusterFacts, PERSONAS};
use crate::options::SeedChoice;
use anyhow::{Result, anyhow};
use serde_json::{Value, json};
use spaces::{DemoSpace, Then};

/// Written last: a seed that was broken off is taken up again at the next start.
const MARKER: &str = "sandbox-seed";
const MARKER_NAMESPACE: &str = "kube-system";

/// Seeds one cluster.
pub struct Seeder {
    facts: &'static ClusterFacts,
    choice: SeedChoice,
    /// An administrator of the cluster.
    api: LocalApi,
}

impl Seeder {
    /// `api` of any user of the server.
    pub fn new(facts: &'static ClusterFacts, choice: SeedChoice, api: &LocalApi) -> Seeder {
        let api = api.acting_as(UserInfo::component("sandbox-seed"));
        let recorded = api
            .get("configmaps", MARKER_NAMESPACE, MARKER)
            .and_then(|marker| marker["data"]["seed"].as_str()?.parse().ok());
        Seeder { facts, choice: recorded.unwrap_or(choice), api }
    }

    /// The seed that the store has, or will have: an earlier one is not replaced.
    pub fn choice(&self) -> SeedChoice {
        self.choice
    }

    /// Everything that Spaces need. What exists stays, except what belongs to the add-on.
    ///
    /// # Errors
    /// A refusal by the API server: a defect of the seed.
    pub fn install(&self, addon: &AddonOptions) -> Result<()> {
        bootstrap::install(&self.api);
        for (resource, object) in installation::objects(self.facts) {
            self.ensure(resource, &object)?;
        }
        for (resource, namespace, name, status) in installation::statuses(self.facts) {
            self.api
                .patch_status(resource, namespace, name, json!({"status": status}))
                .map_err(|failure| refused(resource, name, &failure))?;
        }
        for (resource, object) in installation::addon_objects(addon) {
            self.repair(resource, &object)?;
        }
        Ok(())
    }

    /// Spaces, when the store has none of an earlier seed. Waits until the operator has brought them to their states.
    ///
    /// # Errors
    /// A refusal by the API server: a defect of the seed.
    pub async fn populate(&self, cluster: &RunningCluster) -> Result<()> {
        if self.api.get("configmaps", MARKER_NAMESPACE, MARKER).is_some() {
            return Ok(());
        }
        match self.choice {
            SeedChoice::Empty => {}
            SeedChoice::Demo => self.demo(cluster).await?,
            SeedChoice::Scale(count) => self.load(count, cluster).await?,
        }
        self.ensure(
            "configmaps",
            &json!({
                "apiVersion": "v1", "kind": "ConfigMap",
                "metadata": {"name": MARKER, "namespace": MARKER_NAMESPACE},
                "data": {"seed": self.choice.to_string()},
            }),
        )
    }

    async fn demo(&self, cluster: &RunningCluster) -> Result<()> {
        let spaces = spaces::spaces(self.facts);
        let is_first = self.facts == &crate::landscape::SANDBOX;
        if is_first {
            self.ensure("resourcequotas", &spaces::quota())?;
        }
        for space in &spaces {
            self.as_persona(space.owner)?.ensure("workspaces", &space.object())?;
            // One after the other: which of two gets the last slice must not depend on chance.
            cluster.settle().await;
        }
        if is_first {
            self.ensure("workspaces", &spaces::odd_space())?;
        }
        for space in &spaces {
            self.as_persona(space.owner)?.finish(space)?;
        }
        cluster.settle().await;
        Ok(())
    }

    async fn load(&self, count: usize, cluster: &RunningCluster) -> Result<()> {
        // Both clusters share the load's people; only the first carries it.
        if self.facts != &crate::landscape::SANDBOX {
            return Ok(());
        }
        for (resource, object) in scale::surroundings(count) {
            self.ensure(resource, &object)?;
        }
        for index in 0..count {
            self.as_persona(scale::owner(index))?.ensure("workspaces", &scale::space(index))?;
            // The operator keeps pace, or its backlog would outgrow what a subscriber may lag.
            if index % 500 == 499 {
                cluster.settle().await;
            }
        }
        cluster.settle().await;
        Ok(())
    }

    /// What happens to the Space after its first start. One that is gone already was finished by an earlier try.
    fn finish(&self, space: &DemoSpace) -> Result<()> {
        let (namespace, name) = (space.namespace, space.name);
        let done = match space.then {
            Then::Stay => return Ok(()),
            Then::Stop => {
                let stop = json!({"spec": {"desiredStatus": "Stopped"}});
                self.api.patch("workspaces", namespace, name, stop).map(drop)
            }
            Then::Delete => self.api.delete("workspaces", namespace, name, DeleteOptions::default()),
        };
        match done {
            Err(failure) if failure.code != 404 => Err(refused("workspaces", name, &failure)),
            _ => Ok(()),
        }
    }

    fn as_persona(&self, name: &str) -> Result<Seeder> {
        let user = PERSONAS
            .iter()
            .find(|persona| persona.name == name)
            .and_then(|persona| persona.role_in(self.facts))
            .and_then(|role| Entries::new(self.facts).user(role, name, ""))
            .ok_or_else(|| anyhow!("{name} has no role in {}", self.facts.name))?;
        Ok(Seeder { facts: self.facts, choice: self.choice, api: self.api.acting_as(user) })
    }

    /// Creates the object unless one of that name exists.
    fn ensure(&self, resource: &str, object: &Value) -> Result<()> {
        let (namespace, name) = place(object);
        match self.api.create(resource, namespace, object.clone()) {
            Err(failure) if failure.reason != "AlreadyExists" => Err(refused(resource, name, &failure)),
            _ => Ok(()),
        }
    }

    /// As [`Seeder::ensure`], and an existing one gets the spec it was shipped with.
    fn repair(&self, resource: &str, object: &Value) -> Result<()> {
        let (namespace, name) = place(object);
        let Some(stored) = self.api.get(resource, namespace, name) else {
            return self.ensure(resource, object);
        };
        if object["spec"].is_null() || stored["spec"] == object["spec"] {
            return Ok(());
        }
        let mut repaired = (*stored).clone();
        repaired["spec"] = object["spec"].clone();
        match self.api.update(resource, namespace, repaired) {
            Ok(_) => Ok(()),
            Err(failure) => Err(refused(resource, name, &failure)),
        }
    }
}

fn place(object: &Value) -> (&str, &str) {
    let text = |key: &str| object["metadata"][key].as_str().unwrap_or("");
    (text("namespace"), text("name"))
}

fn refused(resource: &str, name: &str, failure: &Failure) -> anyhow::Error {
    anyhow!("the seed's {resource} {name} was refused: {}", failure.message)
}
