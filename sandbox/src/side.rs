//! One cluster with everything of its own: API server, controllers, rights, seed.

use crate::aws::ClusterSide;
use crate::aws::entries::Entries;
use crate::aws::policies::AccessPolicies;
use crate::aws::sessions::Sessions;
use crate::aws::token::EksTokens;
use crate::cluster::addon::{AddonOptions, WebUi};
use crate::cluster::admission::Settings;
use crate::cluster::{Cluster, ClusterOptions, ConnectionTokens, InstanceGroup, Pace, RunningCluster};
use crate::files::Layout;
use crate::kube::authn::StaticTokens;
use crate::kube::identity::UserInfo;
use crate::kube::{ApiConfig, ApiServer};
use crate::landscape::{ClusterFacts, SANDBOX};
use crate::options::SeedChoice;
use crate::runtime::Runtime;
use crate::secrets::Secrets;
use crate::seed::{Seeder, hardware};
use anyhow::{Context, Result};
use std::sync::Arc;

/// What both clusters are made from.
pub struct Parts<'a> {
    pub layout: &'a Layout,
    pub secrets: &'a Secrets,
    pub sessions: &'a Sessions,
    pub runtime: &'a Runtime,
    /// Signs the ways into Spaces of both clusters: one router serves them all.
    pub tokens: &'a ConnectionTokens,
    /// For a store that was not seeded before.
    pub seed: SeedChoice,
    /// Where Spaces are: domain and port.
    pub spaces_domain: String,
}

pub struct Side {
    pub facts: &'static ClusterFacts,
    pub server: ApiServer,
    /// Of this cluster alone: it is instant while this one is populated.
    pub pace: Pace,
    groups: Vec<InstanceGroup>,
    seeder: Seeder,
    running: RunningCluster,
}

impl Side {
    /// Opens the store, installs what Spaces need, starts the controllers. `url` of the API server.
    ///
    /// # Errors
    /// A journal that cannot be read, or a defect of the seed.
    pub fn start(facts: &'static ClusterFacts, url: &str, parts: &Parts<'_>) -> Result<Side> {
        let server = ApiServer::new(ApiConfig {
            journal: Some(parts.layout.journal(facts.name)),
            server_url: url.to_owned(),
            controllers: true,
            ..ApiConfig::default()
        })?;
        let seeder = Seeder::new(facts, parts.seed, &server.local(UserInfo::component("sandbox")));
        let groups = groups(facts, seeder.choice());
        let remote_access = remote_access(facts, seeder.choice());
        let pace = Pace::instant();
        let cluster = Cluster::new(
            server.clone(),
            ClusterOptions {
                eks_cluster_arn: facts.eks_arn(),
                pace: pace.clone(),
                admission: Settings { remote_access, ..Settings::default() },
                groups: groups.clone(),
                runtime: Some(parts.runtime.clone()),
                ..ClusterOptions::new(facts.name, parts.layout.volumes(), parts.tokens.clone())
            },
        );
        let entries = Entries::new(facts);
        let mut hooks = cluster.hooks();
        hooks.authenticators.push(Arc::new(StaticTokens::new(entries.persona_tokens(parts.secrets))));
        hooks.authenticators.push(Arc::new(EksTokens::new(parts.sessions.clone(), facts)));
        hooks.authorizers.push(Arc::new(AccessPolicies::new(entries)));
        server.install(hooks);
        let web_ui = WebUi { scheme: "http".to_owned(), domain: parts.spaces_domain.clone() };
        seeder
            .install(&AddonOptions { web_ui: Some(web_ui), remote_access })
            .with_context(|| format!("cluster {}", facts.name))?;
        Ok(Side { facts, pace, groups, seeder, running: cluster.start(), server })
    }

    /// Brings the Spaces of the seed to their states, or those of an earlier run back to life, and goes on at the
    /// given pace.
    ///
    /// # Errors
    /// A defect of the seed.
    pub async fn populate(&self, pace: f64) -> Result<()> {
        self.running.begin_seed().await;
        let populated = self.seeder.populate(&self.running).await;
        self.running.end_seed(pace).await;
        // Nobody has watched yet, and the seed's history is several times its objects.
        self.server.forget_history();
        populated.with_context(|| format!("cluster {}", self.facts.name))
    }

    /// `url` of the API server.
    pub fn towards_aws(&self, url: &str, ca_pem: &str) -> ClusterSide {
        ClusterSide {
            facts: self.facts,
            endpoint: url.to_owned(),
            ca_pem: ca_pem.to_owned(),
            created_at: self.created_at(),
            groups: self.groups.clone(),
            api: self.server.local(UserInfo::component("aws:sagemaker")),
        }
    }

    /// A cluster is as old as its system namespace. Seconds since the epoch.
    fn created_at(&self) -> i64 {
        self.server
            .local(UserInfo::component("aws:eks"))
            .get("namespaces", "", "kube-system")
            .and_then(|namespace| {
                namespace["metadata"]["creationTimestamp"].as_str()?.parse::<jiff::Timestamp>().ok()
            })
            .map_or(0, |time| time.as_second())
    }

    pub async fn stop(self) {
        self.running.stop().await;
    }
}

fn groups(facts: &ClusterFacts, seed: SeedChoice) -> Vec<InstanceGroup> {
    match seed {
        SeedChoice::Scale(count) if facts == &SANDBOX => hardware::groups_for(facts, count),
        _ => hardware::groups(facts),
    }
}

/// In the first cluster only, so that both kinds of installation can be met; and not under load, where the memory that
/// it demands of every Space would fill the nodes.
fn remote_access(facts: &ClusterFacts, seed: SeedChoice) -> bool {
    facts == &SANDBOX && !matches!(seed, SeedChoice::Scale(_))
}
