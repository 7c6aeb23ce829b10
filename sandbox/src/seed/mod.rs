//! The first objects of a cluster, written through its API server.

pub mod hardware;
mod installation;
mod queues;
mod rights;

use crate::cluster::addon::AddonOptions;
use crate::kube::LocalApi;
use crate::kube::failure::Failure;
use crate::kube::identity::UserInfo;
use crate::landscape::ClusterFacts;
use crate::options::SeedChoice;
use anyhow::{Result, anyhow};
use serde_json::Value;

/// Seeds one cluster.
pub struct Seeder {
    facts: &'static ClusterFacts,
    /// An administrator of the cluster.
    api: LocalApi,
}

impl Seeder {
    /// `api` of any user of the server.
    pub fn new(facts: &'static ClusterFacts, _choice: SeedChoice, api: &LocalApi) -> Seeder {
        Seeder { facts, api: api.acting_as(UserInfo::component("sandbox-seed")) }
    }

    /// Everything that Spaces need. What exists stays, except what belongs to the add-on.
    ///
    /// # Errors
    /// A refusal by the API server: a defect of the seed.
    pub fn install(&self, addon: &AddonOptions) -> Result<()> {
        for (resource, object) in installation::objects(self.facts) {
            self.ensure(resource, &object)?;
        }
        for (resource, object) in installation::addon_objects(addon) {
            self.repair(resource, &object)?;
        }
        Ok(())
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
