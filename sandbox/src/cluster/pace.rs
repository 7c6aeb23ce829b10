//! How long things take: one scale over every delay of a cluster.
//!
//! Work (pulling, attaching, provisioning) is scaled, down to nothing in tests. What waits before it tries again
//! (crash and pull back-off) is scaled too, but never below a real wait: an instant back-off would be a busy loop.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// A shared scale in thousandths; clones see each other's changes, so a seed can settle at once and the demo go on
/// at its own speed.
#[derive(Clone, Debug)]
pub struct Pace(Arc<AtomicU32>);

impl Default for Pace {
    fn default() -> Self {
        Pace::demo()
    }
}

impl Pace {
    /// Everything that is work takes no time.
    pub fn instant() -> Pace {
        Pace::scaled(0.0)
    }

    /// A cold start (new node, image not cached) takes 25 to 40 seconds, a warm one about 8; the real figures are
    /// 5 to 7 minutes and 30 to 40 seconds.
    pub fn demo() -> Pace {
        Pace::scaled(1.0)
    }

    /// `factor` times the demo's delays; about 10 comes near a real cluster. Negative and absurd values are clamped.
    pub fn scaled(factor: f64) -> Pace {
        let pace = Pace(Arc::default());
        pace.set(factor);
        pace
    }

    pub fn set(&self, factor: f64) {
        let thousandths = (factor * 1000.0).clamp(0.0, 1_000_000.0);
        // In range by the clamp; NaN becomes 0.
        self.0.store(thousandths as u32, Ordering::Relaxed);
    }

    pub fn is_instant(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }

    /// Time that a piece of work takes.
    pub fn work(&self, demo: Duration) -> Duration {
        demo * self.0.load(Ordering::Relaxed) / 1000
    }

    /// Time before a failed attempt is repeated.
    pub fn retry(&self, demo: Duration) -> Duration {
        if self.is_instant() { demo } else { self.work(demo) }
    }
}

/// Demo figures of the single steps.
pub mod figures {
    use std::time::Duration;

    /// From the request for an instance to a Ready node.
    pub const NODE: Duration = Duration::from_secs(15);
    pub const CREATE_VOLUME: Duration = Duration::from_millis(800);
    pub const ATTACH_VOLUME: Duration = Duration::from_millis(1500);
    /// `latest-cpu`, about 3.5 GB.
    pub const PULL_IMAGE: Duration = Duration::from_secs(9);
    /// `…-gpu` images, about 10 GB.
    pub const PULL_GPU_IMAGE: Duration = Duration::from_secs(14);
    pub const PULL_SMALL_IMAGE: Duration = Duration::from_millis(700);
    pub const INIT_CONTAINER: Duration = Duration::from_millis(800);
    pub const START_CONTAINER: Duration = Duration::from_millis(400);
    /// Until the server in the container answers.
    pub const BECOME_READY: Duration = Duration::from_millis(1500);
    /// The remote-access sidecar registers with Systems Manager.
    pub const REGISTER_REMOTE: Duration = Duration::from_millis(2000);
    pub const TERMINATE: Duration = Duration::from_millis(1200);
    /// The operator's requeue while something is under way.
    pub const REQUEUE: Duration = Duration::from_millis(200);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instant_work_takes_no_time_but_a_retry_waits() {
        let pace = Pace::instant();
        assert_eq!(pace.work(figures::NODE), Duration::ZERO);
        assert_eq!(pace.retry(Duration::from_secs(10)), Duration::from_secs(10));
    }

    #[test]
    fn a_change_of_pace_reaches_every_clone() {
        let pace = Pace::instant();
        let clone = pace.clone();
        pace.set(0.5);
        assert_eq!(clone.work(Duration::from_secs(2)), Duration::from_secs(1));
        pace.set(f64::NAN);
        assert!(clone.is_instant());
    }
}
