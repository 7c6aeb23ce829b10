//! The parts every request may need, each handed out by itself through `FromRef`.

use crate::assets::Assets;
use crate::audit::Door;
use crate::cluster::Clusters;
use crate::cluster::access::AccessBook;
use crate::cluster::hub::Hubs;
use crate::config::Config;
use crate::db::Db;
use crate::identity::Personas;
use crate::lifecycle::Lifecycle;
use crate::live::limits::Sockets;
use crate::middleware::origin::Origins;
use crate::session::SqlStore;
use crate::telemetry::Metrics;
use axum::extract::FromRef;
use std::sync::Arc;

#[derive(Clone, FromRef)]
pub struct AppState {
    pub config: Arc<Config>,
    pub db: Db,
    pub sessions: SqlStore,
    pub identity: Arc<Personas>,
    pub clusters: Clusters,
    pub hubs: Hubs,
    pub access: AccessBook,
    pub sockets: Sockets,
    pub door: Door,
    pub origins: Arc<Origins>,
    pub assets: Arc<Assets>,
    pub lifecycle: Lifecycle,
    pub metrics: Metrics,
}

impl AppState {
    /// Whether AWS is not the real one; the page says so.
    pub fn is_sandbox(&self) -> bool {
        self.config.aws.endpoint_url.is_some()
    }
}
