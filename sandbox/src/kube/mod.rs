//! The Kubernetes API server: store, verbs, admission, authentication, authorization, discovery.
//!
//! Must not know what a Space is: controllers, EKS and the Spaces add-on plug in through `hooks`.

pub mod authn;
mod authz;
pub mod bootstrap;
mod controllers;
mod convert;
mod decode;
mod defaults;
mod discovery;
pub mod failure;
pub mod hooks;
mod http;
pub mod identity;
mod impersonation;
pub mod kinds;
mod lifecycle;
mod local;
mod managed;
pub mod object;
mod openapi;
mod patch;
mod protobuf;
mod quota;
mod rbac;
pub mod refusals;
mod reviews;
mod scale;
mod schema;
mod select;
mod store;
mod table;
mod validate;
mod verbs;

use hooks::{Admission, Hooks};
use identity::UserInfo;
pub use local::LocalApi;
use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use store::Store;
pub use store::{Change, ChangeKind};
pub use verbs::{DeleteOptions, Propagation};

/// How one API server is set up.
#[derive(Clone, Debug, Default)]
pub struct ApiConfig {
    /// Where committed changes are kept; `None` keeps them in memory only.
    pub journal: Option<PathBuf>,
    /// Serve requests without credentials as `system:anonymous` instead of answering 401.
    pub anonymous: bool,
    /// The address clients use, for documents that name it.
    pub server_url: String,
    /// Run Kubernetes' own controllers: garbage collection, namespaces, quota, default service accounts.
    pub controllers: bool,
    /// Word refused impersonation as servers before 1.36 did.
    pub classic_impersonation: bool,
}

/// One API server: its objects and what plugs into it.
#[derive(Clone)]
pub struct ApiServer(Arc<Core>);

struct Core {
    store: Store,
    config: ApiConfig,
    hooks: OnceLock<Hooks>,
    impersonation: impersonation::LastModes,
    /// Service addresses given out so far, counted on from the store's version so that a restart repeats none.
    addresses: AtomicU64,
}

impl Core {
    fn hooks(&self) -> Option<&Hooks> {
        self.hooks.get()
    }

    /// A cluster address for a service, out of 10.96.0.0/12.
    fn next_service_address(&self) -> String {
        let offset = self.addresses.fetch_add(1, Ordering::Relaxed) % (1 << 20);
        let base = u64::from(u32::from(Ipv4Addr::new(10, 96, 0, 0)));
        Ipv4Addr::from(u32::try_from(base + offset).expect("a /12 fits into 32 bits")).to_string()
    }

    fn runs_controllers(&self) -> bool {
        self.config.controllers
    }

    fn admission(&self) -> &[Arc<dyn Admission>] {
        self.hooks.get().map_or(&[], |hooks| hooks.admission.as_slice())
    }
}

impl ApiServer {
    /// Opens the store; nothing listens yet.
    ///
    /// # Errors
    /// When the journal cannot be read or written.
    pub fn new(config: ApiConfig) -> anyhow::Result<ApiServer> {
        let store = Store::open(config.journal.as_deref())?;
        let addresses = AtomicU64::new(store.version());
        Ok(ApiServer(Arc::new(Core {
            store,
            config,
            hooks: OnceLock::new(),
            impersonation: impersonation::LastModes::default(),
            addresses,
        })))
    }

    /// Plugs the rest of the sandbox in. Once: a second call changes nothing and says so in the log.
    pub fn install(&self, hooks: Hooks) {
        if self.0.hooks.set(hooks).is_err() {
            tracing::error!("hooks were already installed; the second set is ignored");
        }
    }

    /// The whole HTTP surface.
    pub fn router(&self) -> axum::Router {
        http::router(self.0.clone())
    }

    /// A caller inside the process.
    pub fn local(&self, user: UserInfo) -> LocalApi {
        LocalApi::new(self.0.clone(), user)
    }

    /// Forgets past changes: watches and pages from older versions answer 410, as after a restart.
    pub fn forget_history(&self) {
        self.0.store.forget_history();
    }
}

#[cfg(test)]
mod tests;
