//! The configured clusters: identities, clients and health, by name.
//!
//! A person's client exists only by way of their own role session; there is no default identity to fall back to.

use super::client::{TokenSource, Transport};
use crate::aws::credentials::RoleSessions;
use crate::aws::eks;
use crate::aws::sagemaker::SageMaker;
use crate::config::{self, Config, Identity, RoleArn, is_loopback_host};
use crate::error::ApiError;
use crate::identity::User;
use aws_config::SdkConfig;
use k8s_openapi::api::authentication::v1::SelfSubjectReview;
use kube::Api;
use kube::api::PostParams;
use moka::future::Cache;
use spaceport_shared::cluster::ClusterHealth;
use spaceport_shared::session::{ClusterIdentity, IdentityState};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Duration;

const HUB_SESSION: &str = "spaceport-hub";
/// Rights change by access entry: a client, and the answer to "who am I", are not trusted for longer.
const ACCESS_LIFE: Duration = Duration::from_secs(600);
/// Endpoint and CA of a cluster change only when it is rebuilt.
const TRANSPORT_LIFE: Duration = Duration::from_secs(3600);

#[derive(Clone)]
pub struct Clusters(Arc<Registry>);

struct Registry {
    entries: Vec<Entry>,
    aws: SdkConfig,
    roles: RoleSessions,
    transports: Cache<String, Transport>,
    access: Cache<AccessKey, Access>,
    /// Set while people sign in without a password: no cluster beyond this machine is contacted then.
    loopback_only: bool,
}

struct Entry {
    config: config::Cluster,
    health: RwLock<ClusterHealth>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct AccessKey {
    cluster: String,
    session: String,
    role: RoleArn,
}

/// A person on a cluster: their client, who the portal expected them to be and who the cluster says they are.
#[derive(Clone)]
pub struct Access {
    pub client: kube::Client,
    pub expected: String,
    pub found: String,
}

impl Access {
    pub fn is_verified(&self) -> bool {
        self.expected == self.found
    }
}

impl Clusters {
    pub fn new(config: &Config, aws: SdkConfig) -> Clusters {
        let entries = config
            .clusters
            .iter()
            .map(|cluster| Entry { config: cluster.clone(), health: RwLock::new(ClusterHealth::Connecting) });
        Clusters(Arc::new(Registry {
            entries: entries.collect(),
            roles: RoleSessions::new(aws.clone()),
            aws,
            transports: Cache::builder().max_capacity(1000).time_to_live(TRANSPORT_LIFE).build(),
            access: Cache::builder()
                .max_capacity(10_000)
                .time_to_live(ACCESS_LIFE)
                .support_invalidation_closures()
                .build(),
            loopback_only: matches!(config.identity, Identity::Personas { .. }),
        }))
    }

    /// All configured clusters, for whoever acts as the gateway itself.
    pub fn configured(&self) -> impl Iterator<Item = &config::Cluster> {
        self.0.entries.iter().map(|entry| &entry.config)
    }

    /// The clusters that a role of this person maps to: others are not theirs to know of.
    pub fn of_user<'a>(&'a self, user: &'a User) -> impl Iterator<Item = &'a config::Cluster> {
        self.configured().filter(|cluster| cluster.role_for(&user.groups).is_some())
    }

    /// One of the person's clusters.
    ///
    /// # Errors
    /// `NotFound`, also for clusters that exist but are not theirs.
    pub fn find(&self, user: &User, cluster: &str) -> Result<&config::Cluster, ApiError> {
        let known = self.configured().find(|known| known.name == cluster);
        known.filter(|known| known.role_for(&user.groups).is_some()).ok_or(ApiError::NotFound)
    }

    /// The Kubernetes username computed for the person; `None` without a role there.
    pub fn username(&self, user: &User, cluster: &str) -> Option<String> {
        let known = self.find(user, cluster).ok()?;
        known.role_for(&user.groups).map(|role| role.username(&user.session_name))
    }

    /// The person's own way into the cluster, with the cluster's word on who they are. Cached for ten minutes.
    pub async fn access(&self, user: &User, cluster: &str) -> Result<Access, ApiError> {
        let known = self.find(user, cluster)?;
        let role = known.role_for(&user.groups).ok_or(ApiError::NotFound)?.clone();
        let key =
            AccessKey { cluster: known.name.clone(), session: user.session_name.clone(), role: role.clone() };
        let open = self.open(known, role, user.session_name.clone());
        self.0.access.try_get_with(key, Box::pin(open)).await.map_err(|error| ApiError::clone(&error))
    }

    async fn open(
        &self,
        cluster: &config::Cluster,
        role: RoleArn,
        session: String,
    ) -> Result<Access, ApiError> {
        let expected = role.username(&session);
        let client = self.client(cluster, role, session).await?;
        let review = Api::<SelfSubjectReview>::all(client.clone())
            .create(&PostParams::default(), &SelfSubjectReview::default())
            .await?;
        let found = review.status.and_then(|status| status.user_info).and_then(|user| user.username);
        let found = found.unwrap_or_default();
        if found != expected {
            tracing::error!(
                cluster = cluster.name,
                expected,
                found,
                "the cluster knows the person by another name"
            );
        }
        Ok(Access { client, expected, found })
    }

    async fn client(
        &self,
        cluster: &config::Cluster,
        role: RoleArn,
        session: String,
    ) -> Result<kube::Client, ApiError> {
        let transport = self.transport(cluster, &role, &session).await?;
        Ok(transport.client(TokenSource {
            roles: self.0.roles.clone(),
            role,
            session,
            cluster: cluster.clone(),
            held: Mutex::new(None),
        }))
    }

    async fn transport(
        &self,
        cluster: &config::Cluster,
        role: &RoleArn,
        session: &str,
    ) -> Result<Transport, ApiError> {
        let discover = async {
            let credentials = self.0.roles.get(role, session, &cluster.region).await?;
            let endpoint = eks::describe(&self.0.aws, cluster, credentials).await?;
            if self.0.loopback_only && !endpoint.url.host().is_some_and(is_loopback_host) {
                let refusal = anyhow::anyhow!("{}: persona sign-in is refused beyond loopback", endpoint.url);
                return Err(ApiError::internal(refusal));
            }
            Transport::connect(&endpoint)
        };
        let found = self.0.transports.try_get_with(cluster.name.clone(), Box::pin(discover)).await;
        found.map_err(|error| ApiError::clone(&error))
    }

    /// SageMaker as the person.
    pub async fn sagemaker(&self, user: &User, cluster: &str) -> Result<SageMaker, ApiError> {
        let known = self.find(user, cluster)?;
        let role = known.role_for(&user.groups).ok_or(ApiError::NotFound)?;
        let credentials = self.0.roles.get(role, &user.session_name, &known.region).await?;
        Ok(SageMaker::new(&self.0.aws, &known.region, credentials))
    }

    /// The gateway's own client, for watches alone. Visible to this module only: nothing that serves a request can
    /// act as the gateway.
    pub(in crate::cluster) async fn hub_client(&self, cluster: &str) -> Result<kube::Client, ApiError> {
        let known = self.configured().find(|known| known.name == cluster).ok_or(ApiError::NotFound)?;
        self.client(known, known.hub_role_arn.clone(), HUB_SESSION.to_owned()).await
    }

    pub fn health(&self, cluster: &str) -> ClusterHealth {
        let entry = self.0.entries.iter().find(|entry| entry.config.name == cluster);
        entry.map_or(ClusterHealth::Connecting, |entry| {
            entry.health.read().unwrap_or_else(PoisonError::into_inner).clone()
        })
    }

    /// Reported by the watches: they are the first to notice.
    pub(in crate::cluster) fn report_health(&self, cluster: &str, health: ClusterHealth) {
        if let Some(entry) = self.0.entries.iter().find(|entry| entry.config.name == cluster) {
            *entry.health.write().unwrap_or_else(PoisonError::into_inner) = health;
        }
    }

    /// How the person appears on every configured cluster, as far as it is known without asking.
    pub async fn identities(&self, user: &User) -> Vec<ClusterIdentity> {
        let mut identities = Vec::new();
        for cluster in self.of_user(user) {
            let Some(role) = cluster.role_for(&user.groups) else { continue };
            let key = AccessKey {
                cluster: cluster.name.clone(),
                session: user.session_name.clone(),
                role: role.clone(),
            };
            let state = match self.0.access.get(&key).await {
                Some(access) if access.is_verified() => IdentityState::Verified,
                Some(_) => IdentityState::Mismatch,
                None if matches!(self.health(&cluster.name), ClusterHealth::Unreachable { .. }) => {
                    IdentityState::Unreachable
                }
                None => IdentityState::Unverified,
            };
            let username = Some(role.username(&user.session_name));
            identities.push(ClusterIdentity { cluster: cluster.name.clone(), username, state });
        }
        identities
    }

    /// Drops every credential and client of a person.
    pub fn forget(&self, user: &User) {
        self.0.roles.forget(&user.session_name);
        let session = user.session_name.clone();
        if let Err(error) = self.0.access.invalidate_entries_if(move |key, _| key.session == session) {
            tracing::error!(%error, "clients not dropped");
        }
    }
}
