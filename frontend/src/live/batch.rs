//! Changes wait for the next frame: however many messages arrive, the page is worked out once.

use super::collection::Collection;
use crate::model::feed::Change;
use crate::state::clock::Clock;
use leptos::prelude::*;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;

/// A hidden tab gets no frames; titles and notifications still want to know.
const HIDDEN_PACE: Duration = Duration::from_millis(250);

#[derive(Clone)]
pub struct Batch {
    collection: Collection,
    clock: Clock,
    /// By cluster, in the order of arrival. Empty: nothing is scheduled.
    waiting: Rc<RefCell<BTreeMap<String, Vec<Change>>>>,
}

impl Batch {
    pub fn new(collection: Collection, clock: Clock) -> Batch {
        Batch { collection, clock, waiting: Rc::default() }
    }

    pub fn push(&self, cluster: &str, change: Change) {
        let mut waiting = self.waiting.borrow_mut();
        let is_first = waiting.is_empty();
        waiting.entry(cluster.to_owned()).or_default().push(change);
        if !is_first {
            return;
        }
        let batch = self.clone();
        if document().hidden() {
            set_timeout(move || batch.flush(), HIDDEN_PACE);
        } else {
            request_animation_frame(move || batch.flush());
        }
    }

    fn flush(&self) {
        let now = self.clock.instant();
        for (cluster, changes) in self.waiting.take() {
            self.collection.apply(&cluster, changes, now);
        }
    }
}
