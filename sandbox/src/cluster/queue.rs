//! What is to be looked at, now or later: each thing once, in the order it became due.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::time::Duration;
use tokio::time::Instant;

/// Namespace (empty for cluster-scoped kinds) and name.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id {
    pub namespace: String,
    pub name: String,
}

impl Id {
    pub fn new(namespace: &str, name: &str) -> Id {
        Id { namespace: namespace.to_owned(), name: name.to_owned() }
    }

    pub fn of(object: &serde_json::Value) -> Id {
        Id::new(super::fields::namespace(object), super::fields::name(object))
    }
}

/// One reconcile function and its object.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    Space(Id),
    AccessProbe(Id),
    IdleCheck(Id),
    Template(Id),
    Strategy(Id),
    Deployment(Id),
    ReplicaSet(Id),
    /// A pod that wants a node.
    Placement(Id),
    /// A pod on a node.
    Kubelet(Id),
    Claim(Id),
    /// A node on its way: group and number.
    Node(String, usize),
    ExpireEvents,
}

/// Due keys in order of arrival, and one timer a key.
#[derive(Default)]
pub struct Queue {
    due: VecDeque<Key>,
    queued: HashSet<Key>,
    timers: BTreeMap<(Instant, u64), Key>,
    timer_of: HashMap<Key, (Instant, u64)>,
    sequence: u64,
}

impl Queue {
    pub fn push(&mut self, key: Key) {
        if self.queued.insert(key.clone()) {
            self.due.push_back(key);
        }
    }

    /// Looks at the key again after a while. An earlier timer of the key stays; no delay means now.
    pub fn push_after(&mut self, key: Key, delay: Duration) {
        if delay.is_zero() {
            return self.push(key);
        }
        self.push_at(key, Instant::now() + delay);
    }

    fn push_at(&mut self, key: Key, at: Instant) {
        if self.timer_of.get(&key).is_some_and(|(earlier, _)| *earlier <= at) {
            return;
        }
        self.cancel_timer(&key);
        self.sequence += 1;
        let slot = (at, self.sequence);
        self.timers.insert(slot, key.clone());
        self.timer_of.insert(key, slot);
    }

    fn cancel_timer(&mut self, key: &Key) {
        if let Some(slot) = self.timer_of.remove(key) {
            self.timers.remove(&slot);
        }
    }

    /// The next key that is due, timers included.
    pub fn pop(&mut self) -> Option<Key> {
        self.pop_at(Instant::now())
    }

    fn pop_at(&mut self, now: Instant) -> Option<Key> {
        while let Some(entry) = self.timers.first_entry().filter(|entry| entry.key().0 <= now) {
            let key = entry.remove();
            self.timer_of.remove(&key);
            self.push(key);
        }
        let key = self.due.pop_front()?;
        self.queued.remove(&key);
        Some(key)
    }

    /// When the next timer ends.
    pub fn next_timer(&self) -> Option<Instant> {
        self.timers.first_key_value().map(|((at, _), _)| *at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Key {
        Key::Space(Id::new("ns", name))
    }

    #[test]
    fn keys_come_once_and_in_order_and_timers_when_they_are_due() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        let later = now + Duration::from_secs(5);
        queue.push(key("a"));
        queue.push_at(key("late"), later);
        queue.push(key("b"));
        queue.push(key("a"));
        assert_eq!([(); 3].map(|()| queue.pop_at(now)), [Some(key("a")), Some(key("b")), None]);
        assert_eq!([(); 2].map(|()| queue.pop_at(later)), [Some(key("late")), None]);
    }

    #[test]
    fn of_two_timers_the_earlier_counts() {
        let (mut queue, now) = (Queue::default(), Instant::now());
        for seconds in [9, 1, 5] {
            queue.push_at(key("a"), now + Duration::from_secs(seconds));
        }
        assert_eq!(queue.next_timer(), Some(now + Duration::from_secs(1)));
        let end = now + Duration::from_secs(10);
        assert_eq!([(); 2].map(|()| queue.pop_at(end)), [Some(key("a")), None]);
        assert_eq!(queue.next_timer(), None);
    }
}
