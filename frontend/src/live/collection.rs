//! All Spaces the person may see, of all clusters: one store for list, detail, palette and titles.
//!
//! A changed row writes its own signal; only `version` tells that membership or order may differ.

use crate::model::feed::Change;
use leptos::prelude::*;
use shared::error::ErrorCode;
use shared::space::{NamespaceAccess, SpaceRow};
use shared::time::Timestamp;
use std::collections::{BTreeMap, HashMap};

/// What is known about one cluster's feed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClusterState {
    /// The first snapshot is here: an empty list means "none", not "unknown".
    pub loaded: bool,
    pub denied: Option<ErrorCode>,
    /// The upstream watch fails since.
    pub stale_since: Option<Timestamp>,
    pub access: Vec<NamespaceAccess>,
    /// When the newest message came, in server time.
    pub updated_at: Option<Timestamp>,
}

#[derive(Clone, Copy)]
pub struct Collection {
    rows: StoredValue<HashMap<String, ArcRwSignal<SpaceRow>>>,
    /// Grows with every batch that changed something.
    pub version: RwSignal<u64>,
    pub clusters: RwSignal<BTreeMap<String, ClusterState>>,
    /// The last rows whose status changed, for titles and notifications.
    pub turned: RwSignal<Option<SpaceRow>>,
}

impl Collection {
    pub fn new() -> Collection {
        Collection {
            rows: StoredValue::new(HashMap::new()),
            version: RwSignal::new(0),
            clusters: RwSignal::new(BTreeMap::new()),
            turned: RwSignal::new(None),
        }
    }

    fn bump(self) {
        let _ = self.version.try_update(|v| *v += 1);
    }

    /// Applies what a cluster's feed said since the last frame.
    pub fn apply(self, cluster: &str, changes: Vec<Change>, now: Timestamp) {
        let mut state =
            self.clusters.try_with_untracked(|all| all.get(cluster).cloned()).flatten().unwrap_or_default();
        for change in changes {
            match change {
                Change::Access(access) => state.access = access,
                Change::Replace(rows) => {
                    self.replace(cluster, rows);
                    state.loaded = true;
                    state.denied = None;
                }
                Change::Upsert(row) => self.upsert(*row),
                Change::Remove(key) => {
                    self.rows.update_value(|rows| {
                        rows.remove(&key);
                    });
                }
                Change::Denied(code) => {
                    self.replace(cluster, Vec::new());
                    state.denied = Some(code);
                    state.loaded = true;
                }
                Change::Stale(since) => state.stale_since = Some(since),
                Change::Fresh => state.stale_since = None,
                Change::Gap => {}
            }
        }
        state.updated_at = Some(now);
        let _ = self.clusters.try_update(|all| all.insert(cluster.to_owned(), state));
        self.bump();
    }

    fn replace(self, cluster: &str, rows: Vec<SpaceRow>) {
        let keep: std::collections::HashSet<String> = rows.iter().map(|r| r.id.clone()).collect();
        self.rows.update_value(|all| {
            all.retain(|id, signal| {
                keep.contains(id) || signal.try_with_untracked(|r| r.cluster != cluster).unwrap_or(false)
            });
        });
        for row in rows {
            self.upsert(row);
        }
    }

    fn upsert(self, row: SpaceRow) {
        let known = self.rows.with_value(|rows| rows.get(&row.id).cloned());
        let Some(signal) = known else {
            self.rows.update_value(|rows| {
                rows.insert(row.id.clone(), ArcRwSignal::new(row));
            });
            return;
        };
        if signal.with_untracked(|old| *old == row) {
            return;
        }
        if signal.with_untracked(|old| old.status != row.status) {
            let _ = self.turned.try_set(Some(row.clone()));
        }
        signal.set(row);
    }

    /// The row's own signal; not reactive by itself.
    pub fn row(self, id: &str) -> Option<ArcRwSignal<SpaceRow>> {
        self.rows.with_value(|rows| rows.get(id).cloned())
    }

    /// Reads all rows once, without subscribing to any: the caller tracks `version`.
    pub fn collect(self, keep: impl Fn(&SpaceRow) -> bool) -> Vec<SpaceRow> {
        self.rows.with_value(|rows| {
            rows.values()
                .filter_map(|signal| signal.with_untracked(|row| keep(row).then(|| row.clone())))
                .collect()
        })
    }

    /// Ids in order, without copying rows.
    pub fn arrange(
        self,
        keep: impl Fn(&SpaceRow) -> bool,
        order: impl Fn(&SpaceRow, &SpaceRow) -> std::cmp::Ordering,
    ) -> Vec<String> {
        self.rows.with_value(|rows| {
            let guards: Vec<_> = rows.values().map(read_row).collect();
            let mut kept: Vec<&SpaceRow> = guards.iter().map(|g| &**g).filter(|row| keep(row)).collect();
            kept.sort_unstable_by(|a, b| order(a, b));
            kept.into_iter().map(|row| row.id.clone()).collect()
        })
    }

    pub fn count(self) -> usize {
        self.rows.with_value(HashMap::len)
    }

    /// Reactive: the Space of this address.
    pub fn find(self, cluster: &str, namespace: &str, name: &str) -> Option<ArcRwSignal<SpaceRow>> {
        self.version.track();
        self.rows.with_value(|rows| {
            rows.values()
                .find(|signal| {
                    signal.with_untracked(|r| {
                        r.name == name && r.namespace == namespace && r.cluster == cluster
                    })
                })
                .cloned()
        })
    }

    /// Reactive: what the asker may do in a namespace; nothing when unknown.
    pub fn access(self, cluster: &str, namespace: &str) -> NamespaceAccess {
        self.clusters
            .with(|all| {
                all.get(cluster).and_then(|c| c.access.iter().find(|a| a.namespace == namespace)).cloned()
            })
            .unwrap_or_else(|| NamespaceAccess {
                namespace: namespace.to_owned(),
                ..NamespaceAccess::default()
            })
    }

    /// Reactive: true while the cluster's data is old.
    pub fn is_stale(self, cluster: &str) -> bool {
        self.clusters.with(|all| all.get(cluster).is_some_and(|c| c.stale_since.is_some()))
    }
}

/// A read guard of one row's signal, so that sorting ten thousand rows copies none of them.
fn read_row(signal: &ArcRwSignal<SpaceRow>) -> impl std::ops::Deref<Target = SpaceRow> + use<> {
    signal.read_untracked()
}
