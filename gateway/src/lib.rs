//! Spaceport's gateway.
//!
//! ```text
//! request ─► middleware (id, trace, headers, host, limits) ─► session, 401, CSRF ─► api handler
//!                                                                                     │ RequestContext
//!                          ┌──────────────────────────────────────────────────────────┤
//!                          ▼ reads of rows                                            ▼ changes, logs, single objects
//!               cluster hub (the gateway's narrow identity)             audit door ─► the asker's own kube client
//!                                                                                     │ role session ─► EKS token
//! ```
//!
//! Must not know how the sandbox works: it is a configuration like any other.

pub mod api;
pub mod assets;
pub mod audit;
pub mod aws;
pub mod clock;
pub mod cluster;
pub mod config;
pub mod context;
pub mod db;
pub mod error;
pub mod extract;
pub mod identity;
pub mod lifecycle;
pub mod live;
pub mod middleware;
pub mod router;
pub mod session;
pub mod spaces;
pub mod state;
pub mod telemetry;

use crate::lifecycle::{DEADLINE, Lifecycle};
use crate::state::AppState;
use anyhow::Context;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

const CLEAN_SESSIONS_EVERY: Duration = Duration::from_secs(600);

/// A running gateway.
pub struct Gateway {
    /// Where users connect; the port is the real one, also when 0 was asked for.
    pub address: SocketAddr,
    pub admin_address: SocketAddr,
    lifecycle: Lifecycle,
}

impl Gateway {
    /// Says goodbye to sockets, finishes open requests, and returns within 20 seconds.
    pub async fn stop(self) {
        self.lifecycle.stop(DEADLINE).await;
    }
}

/// Builds every part from its section, binds both listeners and starts serving.
///
/// # Errors
/// What cannot be built, with the place in the configuration where there is one. Nothing runs then.
pub async fn build(config: config::Config) -> anyhow::Result<Gateway> {
    install_tls_provider();
    let state = assemble(config).await?;
    let public = bind(state.config.listen, "listen").await?;
    let admin = bind(state.config.admin_listen, "admin_listen").await?;
    let (address, admin_address) = (public.local_addr()?, admin.local_addr()?);
    serve(&state.lifecycle, public, router::public(&state));
    serve(&state.lifecycle, admin, router::admin(&state));
    clean_sessions(&state);
    Ok(Gateway { address, admin_address, lifecycle: state.lifecycle })
}

async fn assemble(config: config::Config) -> anyhow::Result<AppState> {
    let region = config.clusters.first().map_or("none", |cluster| cluster.region.as_str());
    let aws = aws::sdk_config(&config.aws, region).await?;
    let db = db::Db::connect(&config.database_address()?).await?;
    let clusters = cluster::Clusters::new(&config, aws);
    let lifecycle = Lifecycle::default();
    Ok(AppState {
        sessions: session::SqlStore::new(db.clone()),
        identity: Arc::new(identity::Personas::from_config(&config)),
        hubs: cluster::hub::Hubs::start(&clusters, &lifecycle),
        clusters,
        access: cluster::access::AccessBook::default(),
        sockets: live::limits::Sockets::default(),
        door: audit::Door::new(db.clone()),
        origins: Arc::new(middleware::origin::Origins::from_config(&config)),
        assets: Arc::new(assets::Assets::new(config.assets_dir.clone())),
        lifecycle,
        metrics: telemetry::Metrics::install()?,
        config: Arc::new(config),
        db,
    })
}

/// One TLS provider for kube, the AWS SDKs and everything else; the first caller in a process wins.
fn install_tls_provider() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}

async fn bind(address: SocketAddr, place: &str) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.with_context(|| format!("{place}: cannot bind {address}"))
}

fn serve(lifecycle: &Lifecycle, listener: TcpListener, router: axum::Router) {
    let stopping = lifecycle.stopping();
    lifecycle.spawn(async move {
        let service = router.into_make_service_with_connect_info::<SocketAddr>();
        let serving = axum::serve(listener, service).with_graceful_shutdown(stopping.cancelled_owned());
        if let Err(error) = serving.await {
            tracing::error!(%error, "listener failed");
        }
    });
}

fn clean_sessions(state: &AppState) {
    let (sessions, stopping) = (state.sessions.clone(), state.lifecycle.stopping());
    state.lifecycle.spawn(async move {
        let mut tick = tokio::time::interval(CLEAN_SESSIONS_EVERY);
        loop {
            tokio::select! {
                () = stopping.cancelled() => return,
                _ = tick.tick() => {}
            }
            if let Err(error) = sessions.delete_expired().await {
                tracing::warn!(%error, "expired sessions not deleted");
            }
        }
    });
}
