//! What the asker may see and do on one cluster, at this moment.

use crate::clock;
use crate::cluster::access::Person;
use crate::cluster::hub::row::{Published, Sight};
use crate::cluster::hub::state::Key;
use crate::cluster::hub::{Health, Hub};
use crate::cluster::kind::Kind;
use crate::cluster::project;
use crate::context::RequestContext;
use crate::error::{ApiError, Upstream};
use crate::state::AppState;
use kube::core::DynamicObject;
use kube::{Api, Client};
use serde_json::Value;
use spaceport_shared::error::Layer;
use spaceport_shared::session::Me;
use spaceport_shared::space::actions::{Action, Decision, DenialCode, action_map, decide, is_owner};
use spaceport_shared::space::facts::SpaceFacts;
use spaceport_shared::space::{NamespaceAccess, Space, SpaceRow};
use spaceport_shared::time::Timestamp;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// The hub has not read everything yet: about as long as a list takes.
const NOT_READ_YET: Duration = Duration::from_secs(1);

pub struct View {
    pub hub: Arc<Hub>,
    pub me: Me,
    pub client: Client,
    /// By namespace; a namespace that is not here does not exist for the asker.
    pub access: BTreeMap<String, NamespaceAccess>,
}

impl View {
    /// Everything that the asker may see on the cluster.
    ///
    /// # Errors
    /// `NotFound` for a cluster that is not theirs, `UpstreamUnavailable` before the hub has read it once.
    pub async fn whole(ctx: &RequestContext, state: &AppState, cluster: &str) -> Result<View, ApiError> {
        View::open(ctx, state, cluster, None).await
    }

    /// One namespace; cheaper, since only its rights are asked for.
    ///
    /// # Errors
    /// Also `NotFound` for a namespace that the asker may not see, whether or not it exists.
    pub async fn of_namespace(
        ctx: &RequestContext,
        state: &AppState,
        cluster: &str,
        namespace: &str,
    ) -> Result<View, ApiError> {
        let view = View::open(ctx, state, cluster, Some(namespace)).await?;
        if view.access.is_empty() { Err(ApiError::NotFound) } else { Ok(view) }
    }

    async fn open(
        ctx: &RequestContext,
        state: &AppState,
        cluster: &str,
        namespace: Option<&str>,
    ) -> Result<View, ApiError> {
        state.clusters.find(ctx.user(), cluster)?;
        let hub = state.hubs.get(cluster).ok_or(ApiError::NotFound)?.clone();
        let (known, bindings) = hub
            .read(|s| {
                s.is_ready().then(|| (s.namespaces().keys().cloned().collect::<Vec<_>>(), s.bindings()))
            })
            .ok_or_else(not_read_yet)?;
        let wanted = match namespace {
            Some(one) => known.into_iter().filter(|n| n == one).collect(),
            None => known,
        };
        let client = ctx.kube(cluster).await?;
        let username = ctx.username(cluster).ok_or(ApiError::NotFound)?;
        let person = Person { cluster: cluster.to_owned(), username };
        let access = state.access.evaluate(&person, &client, &wanted, bindings, clock::now()).await?;
        let access = access.into_iter().map(|a| (a.namespace.clone(), a)).collect();
        Ok(View { hub, me: ctx.me().await, client, access })
    }

    /// When what is shown was true.
    pub fn observed_at(&self) -> Timestamp {
        match *self.hub.health().borrow() {
            Health::Stale { since } => since,
            Health::Fresh | Health::Connecting => clock::now(),
        }
    }

    pub fn access(&self, namespace: &str) -> Result<&NamespaceAccess, ApiError> {
        self.access.get(namespace).ok_or(ApiError::NotFound)
    }

    /// A row with what the asker may do.
    pub fn complete(&self, row: &SpaceRow, access: &NamespaceAccess) -> Space {
        let actions = action_map(row, access, &self.me);
        let mut row = row.clone();
        row.owner.is_me = Some(is_owner(&row, &self.me));
        Space { row, actions }
    }

    /// One Space. The hub may lag behind a create by a moment: what it lacks is read as the asker.
    pub async fn find(&self, namespace: &str, name: &str) -> Result<Space, ApiError> {
        let access = self.access(namespace)?;
        let key = (namespace.to_owned(), name.to_owned());
        let row = self.hub.read(|s| s.get(&key).map(|p| p.version(Sight::of(access)).row.clone()));
        match row {
            Some(row) => Ok(self.complete(&row, access)),
            None => {
                let object = self.read(namespace, name).await?;
                Ok(self.from_object(&object, access))
            }
        }
    }

    /// The object as the asker's own client reads it. What they may not read does not exist for them.
    pub async fn read(&self, namespace: &str, name: &str) -> Result<Value, ApiError> {
        let object = match self.spaces(namespace).get(name).await.map_err(ApiError::from) {
            Err(ApiError::Forbidden { .. }) => return Err(ApiError::NotFound),
            other => other?,
        };
        serde_json::to_value(object).map_err(ApiError::internal)
    }

    /// Spaces of a namespace through the asker's own client.
    pub fn spaces(&self, namespace: &str) -> Api<DynamicObject> {
        Api::namespaced_with(self.client.clone(), namespace, &Kind::Space.resource())
    }

    /// The answer for an object that the API server has just given us, before the hub sees it.
    pub fn from_object(&self, object: &Value, access: &NamespaceAccess) -> Space {
        let own = project::space::project(self.hub.cluster(), object).facts;
        let key = (own.row.namespace.clone(), own.row.name.clone());
        let known = self.hub.read(|s| s.facts(&key)).filter(|f| f.row.id == own.row.id);
        let facts = match known {
            Some(known) => renewed(known, own),
            None => own,
        };
        let published = Published::new(&facts);
        self.complete(&published.version(Sight::of(access)).row, access)
    }

    /// All that is known of a Space, without what the asker may not read.
    pub fn facts(&self, namespace: &str, name: &str) -> Result<SpaceFacts, ApiError> {
        let access = self.access(namespace)?;
        let key: Key = (namespace.to_owned(), name.to_owned());
        let facts = self.hub.read(|s| s.facts(&key)).ok_or(ApiError::NotFound)?;
        Ok(facts.redacted(Sight::of(access).hides()))
    }

    /// # Errors
    /// The denial of the action map, as an answer. That a Space already is what is asked for is no error.
    pub fn require(&self, space: &Space, action: Action) -> Result<(), ApiError> {
        let access = self.access(&space.row.namespace)?;
        refuse(&decide(&space.row, access, &self.me, action), &space.row)
    }
}

/// The facts of the hub with the object itself in its newest form.
fn renewed(known: SpaceFacts, own: SpaceFacts) -> SpaceFacts {
    let mut row = own.row;
    row.connection_types = known.row.connection_types;
    row.resources.instance_type = known.row.resources.instance_type;
    SpaceFacts {
        row,
        deleting_since: own.deleting_since,
        finalizers: own.finalizers,
        conditions: own.conditions,
        access_probe_failures: own.access_probe_failures,
        preemption_reason: own.preemption_reason,
        asked_instance_type: own.asked_instance_type,
        ..known
    }
}

fn refuse(decision: &Decision, row: &SpaceRow) -> Result<(), ApiError> {
    let Some(denial) = &decision.reason else { return Ok(()) };
    let status = || serde_json::to_value(row.status).ok().and_then(|s| s.as_str().map(str::to_owned));
    match denial.code {
        DenialCode::AlreadyRunning | DenialCode::AlreadyStopped => Ok(()),
        DenialCode::NotReady | DenialCode::BeingDeleted => {
            Err(ApiError::NotReady { status: status().unwrap_or_default() })
        }
        // The door itself compares the names and says both.
        DenialCode::IdentityMismatch => Ok(()),
        DenialCode::Unreachable => Err(not_read_yet()),
        _ => Err(ApiError::Forbidden { layer: denial.layer, rule: denial.rule.clone() }),
    }
}

/// # Errors
/// `Forbidden` with the right of Kubernetes that is missing.
pub fn require_right(granted: bool, rule: &str) -> Result<(), ApiError> {
    if granted { Ok(()) } else { Err(ApiError::Forbidden { layer: Layer::Cluster, rule: rule.to_owned() }) }
}

fn not_read_yet() -> ApiError {
    ApiError::UpstreamUnavailable {
        service: Upstream::Kubernetes,
        retry_after: NOT_READ_YET,
        cause: anyhow::anyhow!("the hub has not read the cluster yet").into(),
    }
}
