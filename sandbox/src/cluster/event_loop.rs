//! The one task of a cluster: takes changes, signals and timers in, and runs one reconcile function at a time.
//!
//! Everything a reconcile function does is synchronous, so the order of events decides everything. Nothing is done
//! while nothing changes.

use super::kubelet::{self, Signal};
use super::queue::Key;
use super::world::World;
use super::{operator, scheduler, volumes, workloads};
use crate::kube::Change;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::time::{Instant, sleep_until};

/// After a panic the object is looked at again; the others go on at once.
const AFTER_PANIC: Duration = Duration::from_secs(30);
const EXPIRE_EVENTS: Duration = Duration::from_secs(600);
/// Reconciliations before other tasks get their turn: the loop shares its threads with the servers.
const TURN: usize = 32;

pub struct EventLoop {
    pub world: World,
    pub changes: broadcast::Receiver<Change>,
    pub signals: mpsc::UnboundedReceiver<Signal>,
    /// Counts state changes of processes; closed where there is no runtime.
    pub processes: watch::Receiver<u64>,
    /// Who waits until nothing is due.
    pub settling: Vec<oneshot::Sender<()>>,
}

impl EventLoop {
    /// Runs until every sender of signals is gone.
    pub async fn run(mut self) {
        self.world.resume();
        loop {
            self.work().await;
            if !self.wait().await {
                return;
            }
        }
    }

    /// Everything that is due.
    async fn work(&mut self) {
        let mut done = 0;
        loop {
            self.take_changes();
            let Some(key) = self.world.queue.pop() else { break };
            guarded(&mut self.world, &key, dispatch);
            done += 1;
            if done % TURN == 0 {
                tokio::task::yield_now().await;
            }
        }
        for settled in self.settling.drain(..) {
            // Whoever waited may have given up.
            let _ = settled.send(());
        }
    }

    /// Changes that are already there, so that a reconcile function sees its own writes remembered.
    fn take_changes(&mut self) {
        loop {
            match self.changes.try_recv() {
                Ok(change) => self.world.note(&change),
                Err(TryRecvError::Lagged(missed)) => {
                    tracing::warn!(
                        missed,
                        "the cluster lagged behind its store and looks at everything again"
                    );
                    self.world.resume();
                }
                Err(TryRecvError::Empty | TryRecvError::Closed) => return,
            }
        }
    }

    /// Sleeps until something happens. False when the cluster ends.
    async fn wait(&mut self) -> bool {
        let timer = self.world.queue.next_timer();
        let asleep = timer.unwrap_or_else(|| Instant::now() + Duration::from_secs(3600));
        tokio::select! {
            change = self.changes.recv() => match change {
                Ok(change) => self.world.note(&change),
                Err(RecvError::Lagged(_)) => self.world.resume(),
                Err(RecvError::Closed) => return false,
            },
            signal = self.signals.recv() => match signal {
                Some(Signal::Settle(answer)) => self.settling.push(answer),
                Some(signal) => kubelet::hear(&mut self.world, signal),
                None => return false,
            },
            Ok(()) = self.processes.changed() => kubelet::hear_runtime(&mut self.world),
            () = sleep_until(asleep) => {}
        }
        true
    }
}

/// One look at one thing. A panic is that thing's problem alone.
fn guarded(world: &mut World, key: &Key, look: impl FnOnce(&mut World, &Key)) {
    let outcome = catch_unwind(AssertUnwindSafe(|| look(world, key)));
    if outcome.is_err() {
        tracing::error!(?key, "a reconcile function panicked; this object is tried again later");
        world.queue.push_after(key.clone(), AFTER_PANIC);
    }
}

fn dispatch(world: &mut World, key: &Key) {
    match key {
        Key::Space(id) => operator::reconcile(world, id),
        Key::AccessProbe(id) => operator::probe(world, id),
        Key::IdleCheck(id) => operator::check_idle(world, id),
        Key::Template(id) => operator::release_template(world, id),
        Key::Strategy(id) => operator::release_strategy(world, id),
        Key::Deployment(id) => workloads::deployment::reconcile(world, id),
        Key::ReplicaSet(id) => workloads::replicaset::reconcile(world, id),
        Key::Placement(id) => scheduler::place(world, id),
        Key::Kubelet(id) => kubelet::reconcile(world, id),
        Key::Claim(id) => volumes::reconcile(world, id),
        Key::Node(group, index) => scheduler::node_arrived(world, group, *index),
        Key::ExpireEvents => {
            world.events.expire();
            world.queue.push_after(Key::ExpireEvents, EXPIRE_EVENTS);
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use crate::cluster::kubelet::Kubelet;
    use crate::cluster::queue::Id;
    use crate::cluster::{ClusterOptions, ConnectionTokens};
    use crate::kube::{ApiConfig, ApiServer};

    #[tokio::test]
    async fn a_panic_concerns_its_own_object_alone() {
        let server = ApiServer::new(ApiConfig::default()).unwrap();
        let tokens = ConnectionTokens::generate().unwrap();
        let options = ClusterOptions::new("sandbox", "unused".into(), tokens);
        let kubelet = Kubelet::new(None, mpsc::unbounded_channel().0);
        let mut world = World::new(&server, options, kubelet);
        let key = Key::Space(Id::new("ns", "lab"));
        guarded(&mut world, &key, |_, _| panic!("a bug"));
        assert!(world.queue.next_timer().is_some(), "tried again later");
        guarded(&mut world, &key, dispatch);
    }
}
