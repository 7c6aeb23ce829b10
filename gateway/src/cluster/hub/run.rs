//! The loop around the hub's core: watches in, merged batches out.

use super::Hub;
use super::health::Vitals;
use super::state::{Change, Key};
use super::watch::{Report, follow};
use crate::clock;
use crate::cluster::Clusters;
use crate::cluster::kind::Kind;
use kube::Client;
use std::collections::BTreeMap;
use std::future::pending;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep_until};

/// Changes within this time of the last batch are merged into the next.
const MERGE: Duration = Duration::from_millis(50);
/// How often the server is asked whether it lives: a hanging one breaks no stream.
const PROBE: Duration = Duration::from_secs(10);
const PROBE_PATIENCE: Duration = Duration::from_secs(5);
const RECONNECT: Duration = Duration::from_secs(2);

/// Runs one hub until it is cancelled.
pub async fn run(hub: Arc<Hub>, clusters: Clusters) {
    let mut vitals = Vitals::default();
    let client = loop {
        match clusters.hub_client(&hub.cluster).await {
            Ok(client) => break client,
            Err(error) => {
                tracing::warn!(cluster = hub.cluster, %error, "the hub has no client yet");
                vitals.silent(true);
                report(&hub, &clusters, &mut vitals);
                tokio::time::sleep(RECONNECT).await;
            }
        }
    };
    vitals.silent(false);
    let (sender, mut reports) = mpsc::channel(1024);
    // Dropping the set ends the watches with this loop.
    let mut watches = JoinSet::new();
    for kind in Kind::ALL {
        watches.spawn(follow(client.clone(), kind, sender.clone()));
    }
    let (probe_sender, mut probes) = mpsc::channel(1);
    watches.spawn(probe(client, probe_sender));
    let mut pending_changes = Pending::default();
    loop {
        tokio::select! {
            Some(first) = reports.recv() => {
                take_in(&hub, &mut vitals, &mut pending_changes, first);
                while let Ok(next) = reports.try_recv() {
                    take_in(&hub, &mut vitals, &mut pending_changes, next);
                }
            }
            Some(alive) = probes.recv() => vitals.silent(!alive),
            () = pending_changes.due() => pending_changes.flush(&hub),
        }
        report(&hub, &clusters, &mut vitals);
    }
}

fn take_in(hub: &Hub, vitals: &mut Vitals, pending: &mut Pending, report: Report) {
    match report {
        Report::Connected(kind) => vitals.connected(kind),
        Report::Broken(kind) => vitals.broken(kind),
        Report::Seen(observation) => {
            let mut state = hub.state.write().unwrap_or_else(PoisonError::into_inner);
            let changes = state.step(observation);
            vitals.ready(state.is_ready());
            let bindings = state.bindings();
            drop(state);
            pending.add(changes);
            hub.bindings.send_if_modified(|known| std::mem::replace(known, bindings) != bindings);
        }
    }
}

/// Says what changed in health, to subscribers and to the list of clusters.
fn report(hub: &Hub, clusters: &Clusters, vitals: &mut Vitals) {
    let now = clock::now();
    let health = vitals.assess(now);
    hub.health.send_if_modified(|known| std::mem::replace(known, health) != health);
    clusters.report_health(&hub.cluster, health.of_cluster(now));
}

/// Asks for the version again and again.
async fn probe(client: Client, alive: mpsc::Sender<bool>) {
    loop {
        tokio::time::sleep(PROBE).await;
        let answer = tokio::time::timeout(PROBE_PATIENCE, client.apiserver_version()).await;
        if alive.send(matches!(answer, Ok(Ok(_)))).await.is_err() {
            return;
        }
    }
}

/// Changes that wait for their batch: only the last state of each row.
#[derive(Default)]
struct Pending {
    changes: BTreeMap<Key, Change>,
    last: Option<Instant>,
}

impl Pending {
    fn add(&mut self, changes: Vec<Change>) {
        for change in changes {
            let key = match &change {
                Change::Upsert(row) => (row.full().namespace.clone(), row.full().id.clone()),
                Change::Remove { namespace, id } => (namespace.clone(), id.clone()),
            };
            self.changes.insert(key, change);
        }
    }

    /// Resolves when the batch may go: at once after a quiet time.
    async fn due(&self) {
        if self.changes.is_empty() {
            return pending().await;
        }
        if let Some(last) = self.last {
            sleep_until(last + MERGE).await;
        }
    }

    fn flush(&mut self, hub: &Hub) {
        let batch: Vec<Change> = std::mem::take(&mut self.changes).into_values().collect();
        self.last = Some(Instant::now());
        // Nobody subscribed is no error.
        let _ = hub.batches.send(Arc::new(batch));
    }
}
