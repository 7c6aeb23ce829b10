//! The access router: the door of every Space on `spaces_port`, each under a host name of its own.
//!
//! A connection's token opens it (`/bearer-auth?token=`), a cookie of its own keeps it open, and everything else is
//! proxied to the Space's server. As the add-on's router and auth middleware do it, in one place.

mod cookie;
mod door;
mod headers;
mod pages;
mod proxy;
#[cfg(test)]
mod real_servers;
#[cfg(test)]
mod tests;
mod upstream;

pub use self::door::router;
pub(super) use self::upstream::{Upstream, get, upstream};
use super::Runtime;
use anyhow::{Context, Result, bail};
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// What a valid connection token says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenClaims {
    /// Kubernetes username of the person who connected.
    pub user: String,
    /// The Workspace's uid, the one given to `Runtime::register`.
    pub space_uid: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// Not one of ours, tampered with, or expired: 401.
    Invalid,
    /// Good, but for another host: 403.
    WrongHost,
}

/// Checks a token against the host name (without port) under which it was presented. Called once per opening, from
/// async code: it must not block.
pub type Verify = Arc<dyn Fn(&str, &str) -> Result<TokenClaims, Refusal> + Send + Sync>;

/// Serves the router until `shutdown`.
///
/// # Errors
/// When the listener is reachable from beyond this machine, or the cookie's key cannot be kept.
pub async fn serve(
    listener: TcpListener,
    runtime: Runtime,
    verify: Verify,
    shutdown: CancellationToken,
) -> Result<()> {
    let address = listener.local_addr().context("the listener of Spaces has no address")?;
    if !address.ip().is_loopback() {
        bail!(
            "Spaces run code as the person who started the sandbox: they are never served beyond loopback, as {address} would be"
        );
    }
    let app = router(runtime, verify)?;
    axum::serve(listener, app)
        .with_graceful_shutdown(shutdown.cancelled_owned())
        .await
        .context("serving Spaces")
}
