//! The bounded memory of past changes of one kind: watches replay it, old pages are rebuilt from it.

use super::{Change, Key};
use serde_json::Value;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Changes kept for each kind. A watcher further behind lists again (410).
const CAPACITY: usize = 4096;

/// The version asked for is older than the history. Holds the oldest version still known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expired(pub u64);

#[derive(Debug)]
pub(super) struct History {
    changes: VecDeque<Change>,
    /// Everything after this version is in `changes`.
    complete_after: u64,
}

impl History {
    pub(super) fn starting_at(version: u64) -> History {
        History { changes: VecDeque::new(), complete_after: version }
    }

    pub(super) fn push(&mut self, change: Change) {
        if self.changes.len() == CAPACITY
            && let Some(oldest) = self.changes.pop_front()
        {
            self.complete_after = oldest.version;
        }
        self.changes.push_back(change);
    }

    fn position_after(&self, version: u64) -> Result<usize, Expired> {
        if version < self.complete_after {
            return Err(Expired(self.complete_after));
        }
        Ok(self.changes.partition_point(|change| change.version <= version))
    }

    pub(super) fn after(&self, version: u64, limit: usize) -> Result<Vec<Change>, Expired> {
        let from = self.position_after(version)?;
        Ok(self.changes.range(from..).take(limit).cloned().collect())
    }

    /// What the keys changed since `version` held then (`None`: nothing).
    pub(super) fn undo(&self, version: u64) -> Result<BTreeMap<Key, Option<Arc<Value>>>, Expired> {
        let from = self.position_after(version)?;
        let mut past = BTreeMap::new();
        for change in self.changes.range(from..) {
            past.entry(Key::of(&change.object)).or_insert_with(|| change.old.clone());
        }
        Ok(past)
    }
}
