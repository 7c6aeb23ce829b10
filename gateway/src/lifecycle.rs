//! Start and end of the program: a soft end (stop accepting, say goodbye) and a hard one (leave).
//!
//! axum's graceful shutdown neither waits for nor closes upgraded sockets: they watch `stopping` themselves, close with
//! 1001 and are awaited here through the tracker.

use std::future::Future;
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Longest wait between the soft and the hard end: under the 30 s that Kubernetes grants a pod.
pub const DEADLINE: Duration = Duration::from_secs(20);

#[derive(Clone, Debug, Default)]
pub struct Lifecycle {
    soft: CancellationToken,
    hard: CancellationToken,
    tasks: TaskTracker,
}

impl Lifecycle {
    /// Completes when the end begins; sockets then close with 1001.
    pub fn stopping(&self) -> CancellationToken {
        self.soft.clone()
    }

    pub fn is_stopping(&self) -> bool {
        self.soft.is_cancelled()
    }

    /// Runs a task that the end waits for, and drops at the hard end.
    pub fn spawn<F>(&self, task: F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let hard = self.hard.clone();
        self.tasks.spawn(async move {
            tokio::select! {
                () = hard.cancelled() => {}
                () = task => {}
            }
        });
    }

    /// Keeps the end waiting for whoever holds the token (one open socket, for instance).
    pub fn hold(&self) -> tokio_util::task::task_tracker::TaskTrackerToken {
        self.tasks.token()
    }

    /// Begins the end; returns when every task is done or the deadline has passed.
    pub async fn stop(&self, deadline: Duration) {
        self.soft.cancel();
        self.tasks.close();
        if tokio::time::timeout(deadline, self.tasks.wait()).await.is_err() {
            tracing::warn!("tasks still running at the deadline are dropped");
        }
        self.hard.cancel();
    }
}

/// Completes at the first SIGINT or SIGTERM.
pub async fn signal() -> anyhow::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    tokio::select! {
        _ = terminate.recv() => {}
        interrupt = tokio::signal::ctrl_c() => interrupt?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_task_that_ends_when_asked_is_awaited() {
        let lifecycle = Lifecycle::default();
        let stopping = lifecycle.stopping();
        lifecycle.spawn(async move { stopping.cancelled().await });
        lifecycle.stop(Duration::from_secs(5)).await;
        assert!(lifecycle.is_stopping() && lifecycle.tasks.is_empty());
    }

    #[tokio::test]
    async fn a_task_that_does_not_end_is_dropped_at_the_deadline() {
        let lifecycle = Lifecycle::default();
        lifecycle.spawn(std::future::pending());
        lifecycle.stop(Duration::from_millis(10)).await;
        lifecycle.tasks.wait().await;
    }
}
