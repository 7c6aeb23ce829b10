//! One watch for each kind under the gateway's own identity, reduced into rows and fanned out to everybody.
//!
//! Who may see which row is not decided here: a subscription filters by its holder's own access reviews.

mod children;
mod health;
pub mod row;
mod run;
pub mod state;
mod watch;

#[cfg(test)]
mod tests;

pub use health::Health;

use crate::cluster::Clusters;
use crate::lifecycle::Lifecycle;
use row::Published;
use state::{Change, HubState, Key};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use tokio::sync::{broadcast, watch as signal};

/// Batches that a slow subscriber may lag behind before it is given a fresh snapshot instead.
const LAG: usize = 256;

/// The last state of each row that changed since the batch before.
pub type Batch = Arc<Vec<Change>>;

/// The rows of one cluster, and the news of them.
pub struct Hub {
    cluster: String,
    state: RwLock<HubState>,
    batches: broadcast::Sender<Batch>,
    health: signal::Sender<Health>,
    bindings: signal::Sender<u64>,
}

impl Hub {
    fn new(cluster: &str) -> Hub {
        Hub {
            cluster: cluster.to_owned(),
            state: RwLock::new(HubState::new(cluster)),
            batches: broadcast::Sender::new(LAG),
            health: signal::Sender::new(Health::Connecting),
            bindings: signal::Sender::new(0),
        }
    }

    pub fn cluster(&self) -> &str {
        &self.cluster
    }

    /// Looks at the state; `view` must be quick, for watches wait for it.
    pub fn read<T>(&self, view: impl FnOnce(&HubState) -> T) -> T {
        view(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The rows as they are and everything after: no gap. A change may come twice, which does no harm.
    pub fn subscribe(&self) -> (Vec<(Key, Arc<Published>)>, broadcast::Receiver<Batch>) {
        self.read(|state| {
            let rows = state.rows().map(|(key, row)| (key.clone(), row.clone())).collect();
            (rows, self.batches.subscribe())
        })
    }

    pub fn health(&self) -> signal::Receiver<Health> {
        self.health.subscribe()
    }

    /// Changes whenever a role binding does.
    pub fn bindings(&self) -> signal::Receiver<u64> {
        self.bindings.subscribe()
    }
}

/// The hubs of all configured clusters.
#[derive(Clone, Default)]
pub struct Hubs(Arc<HashMap<String, Arc<Hub>>>);

impl Hubs {
    /// Starts a hub for each cluster; they end when the program begins to.
    pub fn start(clusters: &Clusters, lifecycle: &Lifecycle) -> Hubs {
        let mut hubs = HashMap::new();
        for cluster in clusters.configured() {
            let hub = Arc::new(Hub::new(&cluster.name));
            hubs.insert(cluster.name.clone(), hub.clone());
            let (clusters, stopping) = (clusters.clone(), lifecycle.stopping());
            lifecycle.spawn(async move {
                stopping.run_until_cancelled(Box::pin(run::run(hub, clusters))).await;
            });
        }
        Hubs(Arc::new(hubs))
    }

    pub fn get(&self, cluster: &str) -> Option<&Arc<Hub>> {
        self.0.get(cluster)
    }

    pub fn all(&self) -> impl Iterator<Item = &Arc<Hub>> {
        self.0.values()
    }
}
