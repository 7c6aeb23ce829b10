//! Whether what the hub shows is fresh, and since when not.

use crate::cluster::kind::Kind;
use spaceport_shared::cluster::ClusterHealth;
use spaceport_shared::time::Timestamp;
use std::collections::BTreeSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// Not everything has been read yet: nothing may be shown as "empty".
    Connecting,
    Fresh,
    /// What is shown is that of `since`.
    Stale {
        since: Timestamp,
    },
}

/// Which streams are broken, and whether the server answers at all.
#[derive(Debug, Default)]
pub struct Vitals {
    broken: BTreeSet<Kind>,
    is_silent: bool,
    is_ready: bool,
    since: Option<Timestamp>,
}

impl Vitals {
    pub fn connected(&mut self, kind: Kind) {
        self.broken.remove(&kind);
    }

    pub fn broken(&mut self, kind: Kind) {
        self.broken.insert(kind);
    }

    pub fn silent(&mut self, is_silent: bool) {
        self.is_silent = is_silent;
    }

    pub fn ready(&mut self, is_ready: bool) {
        self.is_ready = is_ready;
    }

    /// The present health; `now` becomes the beginning of a staleness that has just begun.
    pub fn assess(&mut self, now: Timestamp) -> Health {
        if self.broken.is_empty() && !self.is_silent {
            self.since = None;
            return if self.is_ready { Health::Fresh } else { Health::Connecting };
        }
        Health::Stale { since: *self.since.get_or_insert(now) }
    }
}

impl Health {
    pub fn of_cluster(self, now: Timestamp) -> ClusterHealth {
        match self {
            Health::Connecting => ClusterHealth::Connecting,
            Health::Fresh => ClusterHealth::Reachable { observed_at: now },
            Health::Stale { since } => ClusterHealth::Unreachable { since },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_broken_stream_makes_all_stale_since_it_broke() {
        let mut vitals = Vitals::default();
        vitals.ready(true);
        assert_eq!(vitals.assess(Timestamp(1)), Health::Fresh);
        vitals.broken(Kind::Pod);
        assert_eq!(vitals.assess(Timestamp(2)), Health::Stale { since: Timestamp(2) });
        vitals.silent(true);
        vitals.connected(Kind::Pod);
        assert_eq!(vitals.assess(Timestamp(3)), Health::Stale { since: Timestamp(2) });
        vitals.silent(false);
        assert_eq!(vitals.assess(Timestamp(4)), Health::Fresh);
    }

    #[test]
    fn unknown_is_not_empty() {
        assert_eq!(Vitals::default().assess(Timestamp(1)), Health::Connecting);
    }
}
