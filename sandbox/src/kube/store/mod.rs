//! Objects in memory, one ordered table a kind, with one resourceVersion for all of them.
//!
//! Knows nothing of verbs or admission: it commits a change when the object is still the one the caller saw,
//! journals it, remembers it for watches and tells subscribers. The cost of a change does not grow with the
//! number of objects.

mod history;
mod index;
mod journal;
mod paging;

use super::kinds::{self, Kind};
use super::object;
pub use history::Expired;
use history::History;
use index::Index;
use journal::{Journal, Line};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::{broadcast, watch};

/// Namespace (empty for cluster-scoped kinds) and name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    pub namespace: String,
    pub name: String,
}

impl Key {
    pub fn new(namespace: &str, name: &str) -> Key {
        Key { namespace: namespace.to_owned(), name: name.to_owned() }
    }

    pub fn of(object: &Value) -> Key {
        Key::new(object::namespace(object), object::name(object))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    Added,
    Modified,
    Deleted,
}

/// A committed change. On deletion `object` is the last state with the resourceVersion of the deletion.
#[derive(Clone, Debug)]
pub struct Change {
    /// Plural name.
    pub resource: &'static str,
    pub kind: ChangeKind,
    pub object: Arc<Value>,
    pub old: Option<Arc<Value>>,
    pub version: u64,
}

/// The object is not (or no longer) what the caller saw. Holds what is stored now.
#[derive(Debug)]
pub struct Stale(pub Option<Arc<Value>>);

type Table = BTreeMap<Key, Arc<Value>>;

/// A list as of one version.
#[derive(Debug)]
pub struct Page {
    pub items: Vec<Arc<Value>>,
    pub version: u64,
    /// Key of the last item, when more follow.
    pub next: Option<Key>,
    /// How many follow; only known without a selector.
    pub remaining: usize,
}

/// What a page must contain.
pub struct Range<'a> {
    /// `None` lists all namespaces.
    pub namespace: Option<&'a str>,
    pub after: Option<&'a Key>,
    /// 0 means all.
    pub limit: usize,
    pub matches: &'a dyn Fn(&Value) -> bool,
}

/// Changes that subscribers may lag behind before they must list again.
const SUBSCRIBER_BACKLOG: usize = 1 << 16;
/// A new store begins here: a watch from a small made-up version is then too old, as in a real cluster.
const FIRST_VERSION: u64 = 100;

pub struct Store {
    inner: Mutex<Inner>,
    changes: broadcast::Sender<Change>,
    /// One a kind: the version of its newest change.
    newest: Vec<watch::Sender<u64>>,
}

struct Inner {
    tables: Vec<Table>,
    histories: Vec<History>,
    index: Index,
    version: u64,
    journal: Option<Journal>,
}

impl Store {
    /// Opens a store; with a journal its objects, uids and versions survive a restart, history does not.
    ///
    /// # Errors
    /// When the journal cannot be read or written.
    pub fn open(journal: Option<&Path>) -> anyhow::Result<Store> {
        let mut tables: Vec<Table> = kinds::all().iter().map(|_| Table::new()).collect();
        let mut version = FIRST_VERSION;
        let journal = match journal {
            Some(path) => {
                version = version.max(journal::replay(path, &mut tables)?);
                Some(Journal::rewrite(path, version, &tables)?)
            }
            None => None,
        };
        let index = Index::build(&tables);
        let histories = tables.iter().map(|_| History::starting_at(version)).collect();
        let newest = tables.iter().map(|_| watch::Sender::new(version)).collect();
        let inner = Inner { tables, histories, index, version, journal };
        Ok(Store { inner: Mutex::new(inner), changes: broadcast::Sender::new(SUBSCRIBER_BACKLOG), newest })
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A panic while the lock is held can only come from an allocation failure: nothing in here is half done.
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    pub fn get(&self, kind: &Kind, key: &Key) -> Option<Arc<Value>> {
        self.lock().tables[kind.id].get(key).cloned()
    }

    /// The newest version of the whole store.
    pub fn version(&self) -> u64 {
        self.lock().version
    }

    /// Every object of a kind, in one namespace or all, in order of namespace and name.
    pub fn list(&self, kind: &Kind, namespace: Option<&str>) -> Vec<Arc<Value>> {
        let inner = self.lock();
        paging::scan(&inner.tables[kind.id], namespace, None).map(|(_, object)| object.clone()).collect()
    }

    /// One page of a kind, as of now or as of an older version.
    ///
    /// # Errors
    /// [`Expired`] when `at` is older than what the history still tells.
    pub fn page(&self, kind: &Kind, at: Option<u64>, range: &Range<'_>) -> Result<Page, Expired> {
        let inner = self.lock();
        let table = &inner.tables[kind.id];
        match at {
            Some(at) if at < inner.version => {
                let past = inner.histories[kind.id].undo(at)?;
                Ok(paging::page_of_past(table, &past, at, range))
            }
            _ => Ok(paging::page(table, inner.version, range)),
        }
    }

    /// Has a namespace no object of a kind?
    pub fn is_empty(&self, kind: &Kind, namespace: &str) -> bool {
        paging::scan(&self.lock().tables[kind.id], Some(namespace), None).next().is_none()
    }

    /// Objects whose owner references name this uid.
    pub fn dependents(&self, uid: &str) -> Vec<(&'static Kind, Arc<Value>)> {
        let inner = self.lock();
        let found = inner.index.dependents(uid);
        found
            .filter_map(|(id, key)| inner.tables[*id].get(key).map(|o| (&kinds::all()[*id], o.clone())))
            .collect()
    }

    /// The object with this uid, whatever its kind.
    pub fn by_uid(&self, uid: &str) -> Option<(&'static Kind, Arc<Value>)> {
        let inner = self.lock();
        let (id, key) = inner.index.place(uid)?;
        inner.tables[*id].get(key).map(|object| (&kinds::all()[*id], object.clone()))
    }

    /// Commits `object` in place of `seen` (`None`: it must not exist yet) and gives it its resourceVersion.
    ///
    /// # Errors
    /// [`Stale`] when something else is stored by now.
    pub fn put(
        &self,
        kind: &'static Kind,
        seen: Option<&Arc<Value>>,
        mut object: Value,
    ) -> Result<Arc<Value>, Stale> {
        let key = Key::of(&object);
        let mut inner = self.lock();
        inner.expect(kind, &key, seen)?;
        inner.version += 1;
        let version = inner.version;
        object::set_meta(&mut object, "resourceVersion", version.to_string());
        let object = Arc::new(object);
        inner.record(&Line::Put { version, resource: kind.plural, object: &object });
        let old = inner.tables[kind.id].insert(key.clone(), object.clone());
        inner.index.replace(kind.id, &key, old.as_deref(), Some(&object));
        let change_kind = if old.is_some() { ChangeKind::Modified } else { ChangeKind::Added };
        let change =
            Change { resource: kind.plural, kind: change_kind, object: object.clone(), old, version };
        self.publish(&mut inner, kind, change);
        Ok(object)
    }

    /// Removes what the caller saw; answers its `last` state with the version of the deletion.
    ///
    /// # Errors
    /// [`Stale`] when something else is stored by now.
    pub fn remove(
        &self,
        kind: &'static Kind,
        seen: &Arc<Value>,
        mut last: Value,
    ) -> Result<Arc<Value>, Stale> {
        let key = Key::of(seen);
        let mut inner = self.lock();
        inner.expect(kind, &key, Some(seen))?;
        inner.version += 1;
        let version = inner.version;
        inner.record(&Line::Delete { version, resource: kind.plural, key: &key });
        inner.tables[kind.id].remove(&key);
        inner.index.replace(kind.id, &key, Some(seen), None);
        object::set_meta(&mut last, "resourceVersion", version.to_string());
        let object = Arc::new(last);
        let old = Some(seen.clone());
        let change =
            Change { resource: kind.plural, kind: ChangeKind::Deleted, object: object.clone(), old, version };
        self.publish(&mut inner, kind, change);
        Ok(object)
    }

    fn publish(&self, inner: &mut Inner, kind: &Kind, change: Change) {
        inner.histories[kind.id].push(change.clone());
        self.newest[kind.id].send_replace(change.version);
        // Nobody listening is fine.
        let _ = self.changes.send(change);
    }

    /// Every committed change from now on, of all kinds, in order.
    pub fn subscribe(&self) -> broadcast::Receiver<Change> {
        self.changes.subscribe()
    }

    /// Wakes when a kind changes.
    pub fn watch(&self, kind: &Kind) -> watch::Receiver<u64> {
        self.newest[kind.id].subscribe()
    }

    /// Changes of a kind after a version, oldest first, at most `limit`, and the version that they reach.
    ///
    /// # Errors
    /// [`Expired`] when changes after `after` have been forgotten.
    pub fn changes_after(
        &self,
        kind: &Kind,
        after: u64,
        limit: usize,
    ) -> Result<(Vec<Change>, u64), Expired> {
        let inner = self.lock();
        let changes = inner.histories[kind.id].after(after, limit)?;
        let reached = match changes.last() {
            Some(last) if changes.len() == limit => last.version,
            _ => inner.version,
        };
        Ok((changes, reached))
    }

    /// Forgets every past change, as a restarted server with a fresh watch cache does.
    pub fn forget_history(&self) {
        let mut inner = self.lock();
        inner.version += 1;
        let version = inner.version;
        inner.record(&Line::Version { version });
        for (history, newest) in inner.histories.iter_mut().zip(&self.newest) {
            *history = History::starting_at(version);
            newest.send_replace(version);
        }
    }
}

impl Inner {
    fn expect(&self, kind: &Kind, key: &Key, seen: Option<&Arc<Value>>) -> Result<(), Stale> {
        let stored = self.tables[kind.id].get(key);
        let same = match (stored, seen) {
            (None, None) => true,
            (Some(stored), Some(seen)) => {
                object::resource_version(stored) == object::resource_version(seen)
                    && object::uid(stored) == object::uid(seen)
            }
            _ => false,
        };
        if same { Ok(()) } else { Err(Stale(stored.cloned())) }
    }

    fn record(&mut self, line: &Line<'_>) {
        if let Some(journal) = &mut self.journal {
            journal.append(line);
        }
    }
}

#[cfg(test)]
mod tests;
