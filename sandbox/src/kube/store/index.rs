//! Where a uid lives and who depends on it, kept with each change so that garbage collection never scans.

use super::{Key, Table};
use crate::kube::object;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

type Place = (usize, Key);

#[derive(Debug, Default)]
pub(super) struct Index {
    places: HashMap<String, Place>,
    dependents: HashMap<String, BTreeSet<Place>>,
}

impl Index {
    pub(super) fn build(tables: &[Table]) -> Index {
        let mut index = Index::default();
        for (id, table) in tables.iter().enumerate() {
            for (key, object) in table {
                index.replace(id, key, None, Some(object));
            }
        }
        index
    }

    pub(super) fn place(&self, uid: &str) -> Option<&Place> {
        self.places.get(uid)
    }

    pub(super) fn dependents(&self, uid: &str) -> impl Iterator<Item = &Place> {
        self.dependents.get(uid).into_iter().flatten()
    }

    pub(super) fn replace(&mut self, kind: usize, key: &Key, old: Option<&Value>, new: Option<&Value>) {
        if let Some(old) = old {
            self.forget(kind, key, old);
        }
        if let Some(new) = new {
            self.places.insert(object::uid(new).to_owned(), (kind, key.clone()));
            for owner in owner_uids(new) {
                self.dependents.entry(owner.to_owned()).or_default().insert((kind, key.clone()));
            }
        }
    }

    fn forget(&mut self, kind: usize, key: &Key, old: &Value) {
        self.places.remove(object::uid(old));
        for owner in owner_uids(old) {
            if let Some(set) = self.dependents.get_mut(owner) {
                set.remove(&(kind, key.clone()));
                if set.is_empty() {
                    self.dependents.remove(owner);
                }
            }
        }
    }
}

fn owner_uids(object: &Value) -> impl Iterator<Item = &str> {
    object::owners(object).iter().filter_map(|owner| owner["uid"].as_str())
}
