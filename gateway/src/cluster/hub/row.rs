//! A Space row as it is published: one version for each degree of sight, serialised once.

use axum::extract::ws::Utf8Bytes;
use spaceport_shared::space::facts::{HiddenSource, SpaceFacts};
use spaceport_shared::space::{NamespaceAccess, SpaceRow, derive};
use std::sync::Arc;

/// How much of a namespace's evidence somebody may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sight {
    Full,
    /// Pods and events, but not Kueue's objects: what the stock Space policy grants.
    WithoutQueue,
    /// Only the Workspace itself.
    Bare,
}

impl Sight {
    const ALL: [Sight; 3] = [Sight::Full, Sight::WithoutQueue, Sight::Bare];

    pub fn of(access: &NamespaceAccess) -> Sight {
        match (access.read_pods && access.read_events, access.read_workloads) {
            (true, true) => Sight::Full,
            (true, false) => Sight::WithoutQueue,
            (false, _) => Sight::Bare,
        }
    }

    pub const fn hides(self) -> &'static [HiddenSource] {
        match self {
            Sight::Full => &[],
            Sight::WithoutQueue => &[HiddenSource::Workloads],
            Sight::Bare => &[
                HiddenSource::Pods,
                HiddenSource::Events,
                HiddenSource::Deployments,
                HiddenSource::Workloads,
            ],
        }
    }
}

/// A row and its JSON.
#[derive(Debug, PartialEq)]
pub struct Version {
    pub row: SpaceRow,
    pub json: Utf8Bytes,
}

/// The versions of one row. Equal ones share their memory, so a Space that has nothing to hide is kept once.
#[derive(Clone, Debug, PartialEq)]
pub struct Published {
    versions: [Arc<Version>; 3],
}

impl Published {
    pub fn new(facts: &SpaceFacts) -> Published {
        let full = Arc::new(Version::new(Sight::Full, facts));
        let versions = Sight::ALL.map(|sight| {
            if sight == Sight::Full {
                return full.clone();
            }
            let version = Version::new(sight, &facts.clone().redacted(sight.hides()));
            if version == *full { full.clone() } else { Arc::new(version) }
        });
        Published { versions }
    }

    pub fn version(&self, sight: Sight) -> &Arc<Version> {
        &self.versions[sight as usize]
    }

    /// The complete row: for the gateway's own use, never for an answer.
    pub fn full(&self) -> &SpaceRow {
        &self.versions[0].row
    }
}

impl Version {
    fn new(sight: Sight, facts: &SpaceFacts) -> Version {
        let derived = derive(facts);
        let mut row = facts.row.clone();
        row.status = derived.status;
        row.reason = derived.reason;
        row.status_since = derived.since;
        if sight == Sight::Bare {
            // Where it runs is the pod's evidence; what it asks for is the Space's own.
            row.resources.instance_type.clone_from(&facts.asked_instance_type);
        }
        let json = serde_json::to_string(&row).unwrap_or_else(|_| "null".to_owned());
        Version { row, json: json.into() }
    }
}
