//! Who is asking, as a value. Every function that acts for somebody takes it first.
//!
//! It exists only where the authentication layer has put an `Asker`: it cannot be built empty, and it knows no
//! identity but the asker's.

use crate::cluster::{Access, Clusters};
use crate::error::ApiError;
use crate::identity::User;
use crate::middleware::{peer::ClientIp, request_id};
use crate::session::SessionKey;
use crate::state::AppState;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use spaceport_shared::session::Me;
use spaceport_shared::time::Timestamp;
use std::net::IpAddr;
use std::sync::Arc;

/// A signed-in person and the session that says so; built by the authentication layer alone.
#[derive(Debug)]
pub struct Asker {
    pub(crate) user: User,
    pub(crate) session: SessionKey,
    pub(crate) session_ends_at: Timestamp,
}

#[derive(Clone)]
pub struct RequestContext {
    asker: Arc<Asker>,
    request_id: String,
    client_ip: Option<IpAddr>,
    clusters: Clusters,
    sandbox: bool,
}

impl FromRequestParts<AppState> for RequestContext {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let asker = parts.extensions.get::<Arc<Asker>>().ok_or(ApiError::Unauthenticated)?;
        Ok(RequestContext {
            asker: Arc::clone(asker),
            request_id: request_id::current(),
            client_ip: parts.extensions.get::<ClientIp>().map(|ip| ip.0),
            clusters: state.clusters.clone(),
            sandbox: state.is_sandbox(),
        })
    }
}

impl RequestContext {
    pub fn user(&self) -> &User {
        &self.asker.user
    }

    pub fn request_id(&self) -> &str {
        &self.request_id
    }

    pub fn client_ip(&self) -> Option<IpAddr> {
        self.client_ip
    }

    /// For sockets: which session must stay alive, and until when it can at most.
    pub fn session(&self) -> (&SessionKey, Timestamp) {
        (&self.asker.session, self.asker.session_ends_at)
    }

    /// The asker's own Kubernetes client. Reads may use it whatever the cluster calls the asker; changes go through
    /// `audit::Door`, which refuses them on a mismatch.
    ///
    /// # Errors
    /// `NotFound` without a role on the cluster, `Forbidden` if the role or its access entry is refused.
    pub async fn kube(&self, cluster: &str) -> Result<kube::Client, ApiError> {
        self.access(cluster).await.map(|access| access.client)
    }

    /// The client together with the name that the cluster knows the asker by.
    pub async fn access(&self, cluster: &str) -> Result<Access, ApiError> {
        self.clusters.access(self.user(), cluster).await
    }

    /// # Errors
    /// `IdentityMismatch` if the cluster knows the asker by another name than the portal computed: their private
    /// Spaces would belong to somebody else.
    pub async fn require_verified(&self, cluster: &str) -> Result<(), ApiError> {
        let access = self.access(cluster).await?;
        if access.is_verified() {
            return Ok(());
        }
        Err(ApiError::IdentityMismatch { expected: access.expected, found: access.found })
    }

    /// The Kubernetes username computed for the asker; `None` without a role there.
    pub fn username(&self, cluster: &str) -> Option<String> {
        self.clusters.username(self.user(), cluster)
    }

    pub async fn me(&self) -> Me {
        describe(&self.clusters, self.user(), self.asker.session_ends_at, self.sandbox).await
    }
}

/// A person as `GET /me` shows them; also the answer to their sign-in, which has no context yet.
pub(crate) async fn describe(
    clusters: &Clusters,
    user: &User,
    session_ends_at: Timestamp,
    sandbox: bool,
) -> Me {
    Me {
        issuer: user.issuer.clone(),
        subject: user.subject.clone(),
        display_name: user.display_name.clone(),
        session_name: user.session_name.clone(),
        roles: user.roles.clone(),
        projects: user.projects.clone(),
        clusters: clusters.identities(user).await,
        server_time: crate::clock::now(),
        session_ends_at,
        sandbox,
    }
}
