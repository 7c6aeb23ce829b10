//! Everything that happens inside a HyperPod cluster: admission of Spaces, the Spaces operator, workload controllers,
//! scheduler, nodes, kubelet, volumes and connections.
//!
//! Works through the API server's in-process caller only, as each component's own user; knows nothing of HTTP, AWS
//! and seeds.

pub mod addon;
pub mod admission;
mod connections;
mod event_loop;
mod fields;
mod gotemplate;
mod kubelet;
mod logs;
pub mod names;
pub mod nodes;
mod operator;
mod options;
pub mod pace;
mod queue;
mod recorder;
mod scheduler;
pub mod sentinel;
#[cfg(test)]
mod tests;
mod volumes;
mod workloads;
mod world;

pub use connections::ConnectionTokens;
pub use nodes::InstanceGroup;
pub use options::ClusterOptions;
pub use pace::Pace;

use self::admission::SpacesAdmission;
use self::connections::Connections;
use self::event_loop::EventLoop;
use self::kubelet::{Kubelet, Signal};
use self::logs::Logs;
use self::world::{World, operator_user};
use crate::kube::hooks::{Admission, AggregatedCreate, Hooks, PodLogs};
use crate::kube::{ApiServer, Change};
use std::sync::Arc;
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::task::JoinHandle;

/// A cluster that does not run yet: its hooks must be installed first, or its own writes would escape admission.
pub struct Cluster {
    server: ApiServer,
    options: ClusterOptions,
    signals: (mpsc::UnboundedSender<Signal>, mpsc::UnboundedReceiver<Signal>),
    /// Subscribed before anything is written.
    changes: broadcast::Receiver<Change>,
}

impl Cluster {
    pub fn new(server: ApiServer, options: ClusterOptions) -> Cluster {
        let changes = server.local(operator_user()).subscribe();
        Cluster { server, options, signals: mpsc::unbounded_channel(), changes }
    }

    /// What plugs into the API server; to be installed, together with others' hooks, before [`Cluster::start`].
    pub fn hooks(&self) -> Hooks {
        let admission: Arc<dyn Admission> = Arc::new(SpacesAdmission::new(
            self.server.local(operator_user()),
            self.options.admission.clone(),
        ));
        let connections: Arc<dyn AggregatedCreate> = Arc::new(Connections {
            api: self.server.local(operator_user()),
            tokens: self.options.tokens.clone(),
            signals: self.signals.0.clone(),
            eks_cluster_arn: self.options.eks_cluster_arn.clone(),
        });
        let logs: Arc<dyn PodLogs> =
            Arc::new(Logs { api: self.server.local(operator_user()), runtime: self.options.runtime.clone() });
        Hooks {
            admission: vec![admission],
            pod_logs: Some(logs),
            connections: Some(connections),
            ..Hooks::default()
        }
    }

    /// Makes the first nodes of each group and starts the components. Needs a tokio runtime.
    pub fn start(self) -> RunningCluster {
        let (sender, signals) = self.signals;
        let pace = self.options.pace.clone();
        let processes = match &self.options.runtime {
            Some(runtime) => runtime.changes(),
            None => watch::Sender::new(0).subscribe(),
        };
        let kubelet = Kubelet::new(self.options.runtime.clone(), sender.clone());
        let mut world = World::new(&self.server, self.options, kubelet);
        for group in world.options.groups.clone() {
            for index in 0..group.initial {
                if world.nodes.get("nodes", "", &group.node_name(&world.options.name, index)).is_none() {
                    scheduler::node_arrived(&mut world, &group.name, index);
                }
            }
        }
        let event_loop = EventLoop { world, changes: self.changes, signals, processes, settling: Vec::new() };
        RunningCluster { signals: sender, task: tokio::spawn(event_loop.run()), pace }
    }
}

/// The handle of a running cluster.
pub struct RunningCluster {
    signals: mpsc::UnboundedSender<Signal>,
    task: JoinHandle<()>,
    pace: Pace,
}

impl RunningCluster {
    /// From now on everything is instant and processes start at their first connection only: what a seed creates
    /// settles as if it had been there for long, its ordinary events expired.
    pub async fn begin_seed(&self) {
        self.pace.set(0.0);
        self.send(Signal::Lazy(true));
        self.settle().await;
    }

    /// Waits until the seed has settled, then goes on at the given pace, with real processes.
    pub async fn end_seed(&self, pace: f64) {
        self.settle().await;
        self.pace.set(pace);
        self.send(Signal::Lazy(false));
        self.settle().await;
    }

    /// Waits until nothing is due (timers aside).
    pub async fn settle(&self) {
        let (sender, receiver) = oneshot::channel();
        self.send(Signal::Settle(sender));
        // An error means that the loop has ended, so there is nothing to wait for.
        let _ = receiver.await;
    }

    fn send(&self, signal: Signal) {
        if self.signals.send(signal).is_err() {
            tracing::warn!("the cluster has ended");
        }
    }

    /// Ends the components; what is stored stays as it is.
    pub async fn stop(self) {
        self.task.abort();
        // The only error is the cancellation just asked for.
        let _ = self.task.await;
    }
}
