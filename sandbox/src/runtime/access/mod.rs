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
use std::sync::Arc;

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
