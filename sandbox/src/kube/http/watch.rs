//! Watches: the initial state or a replay, then changes as they come, bookmarks, and 410 as an event.
//!
//! A watcher holds a position in the store's history, not a queue: any number of them share the same changes, and
//! one that falls too far behind is told to list again.

use super::{Call, answer, list, represent};
use crate::kube::failure::Failure;
use crate::kube::object;
use crate::kube::refusals;
use crate::kube::select::Selector;
use crate::kube::store::{Change, ChangeKind, Expired, Range};
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Changes taken from the history at once.
const BATCH: usize = 256;
/// How often a watch without changes says how far it is.
const BOOKMARK_EVERY: Duration = Duration::from_secs(60);
/// A last bookmark comes this long before the server ends the watch.
const BOOKMARK_BEFORE_END: Duration = Duration::from_secs(2);
/// A watch without timeoutSeconds ends after this (upstream: a random time from 30 to 60 minutes).
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(45 * 60);

struct Watcher {
    core: Arc<crate::kube::Core>,
    form: represent::Form,
    namespace: Option<String>,
    selector: Selector,
    cursor: u64,
    newest: tokio::sync::watch::Receiver<u64>,
    ready: VecDeque<Vec<u8>>,
    /// Events that say where the watch is, when the client wants them.
    bookmark_at: Option<Instant>,
    end_at: Instant,
    ended: bool,
}

pub(super) fn watch(call: &Call) -> Result<Response, Failure> {
    list::check_options(call, true)?;
    let selector = list::selector(call)?;
    let asked = list::version(call)?;
    let timeout = timeout(call)?;
    let now = Instant::now();
    let mut watcher = Watcher {
        core: call.core.clone(),
        form: represent::Form::of(call)?,
        namespace: list::namespace(call).map(str::to_owned),
        selector,
        cursor: 0,
        newest: call.core.store.watch(call.served.kind),
        ready: VecDeque::new(),
        bookmark_at: None,
        end_at: now + timeout,
        ended: false,
    };
    let bookmarks = call.query.flag("allowWatchBookmarks");
    if bookmarks {
        watcher.bookmark_at = Some(watcher.next_bookmark(now));
    }
    watcher.start(call, asked, bookmarks)?;
    let stream = futures::stream::unfold(watcher, |mut watcher| async move {
        let chunk = watcher.next().await?;
        Some((Ok::<Bytes, Infallible>(Bytes::from(chunk)), watcher))
    });
    Ok(answer::with_type(200, represent::watch_type(call), Body::from_stream(stream)))
}

fn timeout(call: &Call) -> Result<Duration, Failure> {
    match call.query.text("timeoutSeconds") {
        "" => Ok(DEFAULT_TIMEOUT),
        text => match text.parse::<i64>() {
            Ok(seconds) if seconds > 0 => Ok(Duration::from_secs(seconds.unsigned_abs())),
            Ok(_) => Ok(DEFAULT_TIMEOUT),
            Err(_) => Err(refusals::bad_request(format!(
                "strconv.ParseInt: parsing {}: invalid syntax",
                refusals::quote(text)
            ))),
        },
    }
}

impl Watcher {
    /// Sets the position, and queues what the client must see first.
    fn start(&mut self, call: &Call, asked: Option<u64>, bookmarks: bool) -> Result<(), Failure> {
        let streaming = call.query.flag("sendInitialEvents");
        let initial = match (call.query.get("sendInitialEvents"), asked) {
            (Some(_), _) => streaming,
            (None, None | Some(0)) => true,
            (None, Some(_)) => false,
        };
        if !initial {
            self.cursor = asked.filter(|asked| *asked > 0).unwrap_or_else(|| self.core.store.version());
            return Ok(());
        }
        if let Some(asked) = asked {
            list::reached(call, asked)?;
        }
        let matches = |object: &Value| self.selector.matches(object);
        let range = Range { namespace: self.namespace.as_deref(), after: None, limit: 0, matches: &matches };
        let page =
            self.core.store.page(call.served.kind, None, &range).map_err(|Expired(_)| too_old(0, 0))?;
        self.cursor = page.version;
        let events: Vec<_> = page.items.iter().map(|item| self.form.event("ADDED", item)).collect();
        self.ready.extend(events);
        if streaming && bookmarks {
            let mut mark = self.form.bookmark(self.cursor);
            mark["metadata"]["annotations"] = json!({"k8s.io/initial-events-end": "true"});
            self.ready.push_back(self.form.event("BOOKMARK", &Arc::new(mark)));
        }
        Ok(())
    }

    fn next_bookmark(&self, now: Instant) -> Instant {
        let last = self.end_at - BOOKMARK_BEFORE_END;
        let regular = now + BOOKMARK_EVERY;
        if last > now { regular.min(last) } else { regular }
    }

    /// The next bytes; `None` ends the stream.
    async fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Some(event);
            }
            if self.ended {
                return None;
            }
            self.newest.borrow_and_update();
            self.collect();
            if self.ready.is_empty() {
                self.wait().await;
            }
        }
    }

    /// Queues the changes since the position.
    fn collect(&mut self) {
        match self.core.store.changes_after(self.form.kind(), self.cursor, BATCH) {
            Ok((changes, reached)) => {
                let events: Vec<_> = changes.iter().filter_map(|change| self.event_of(change)).collect();
                self.ready.extend(events);
                // A position from the future waits for its version to come.
                self.cursor = self.cursor.max(reached);
            }
            Err(Expired(oldest)) => {
                let status = Arc::new(too_old(self.cursor, oldest).body());
                self.ready.push_back(self.form.plain_event("ERROR", &status));
                self.ended = true;
            }
        }
    }

    /// How a change looks through the selector: moving in is an addition, moving out a deletion.
    fn event_of(&self, change: &Change) -> Option<Vec<u8>> {
        if self.namespace.as_deref().is_some_and(|namespace| namespace != object::namespace(&change.object)) {
            return None;
        }
        let was = change.old.as_ref().is_some_and(|old| self.selector.matches(old));
        let is = change.kind != ChangeKind::Deleted && self.selector.matches(&change.object);
        match (was, is) {
            (false, true) => Some(self.form.event("ADDED", &change.object)),
            (true, true) => Some(self.form.event("MODIFIED", &change.object)),
            (true, false) if change.kind == ChangeKind::Deleted => {
                Some(self.form.event("DELETED", &change.object))
            }
            (true, false) => {
                let mut last = Value::clone(change.old.as_ref()?);
                object::set_meta(&mut last, "resourceVersion", change.version.to_string());
                Some(self.form.event("DELETED", &Arc::new(last)))
            }
            (false, false) => None,
        }
    }

    async fn wait(&mut self) {
        let bookmark_at = self.bookmark_at.unwrap_or(self.end_at);
        tokio::select! {
            changed = self.newest.changed() => self.ended |= changed.is_err(),
            () = tokio::time::sleep_until(self.end_at) => self.ended = true,
            () = tokio::time::sleep_until(bookmark_at), if self.bookmark_at.is_some() => {
                self.collect();
                let mark = Arc::new(self.form.bookmark(self.cursor));
                self.ready.push_back(self.form.event("BOOKMARK", &mark));
                self.bookmark_at = Some(self.next_bookmark(Instant::now()));
            }
        }
    }
}

fn too_old(asked: u64, oldest: u64) -> Failure {
    refusals::expired(format!("too old resource version: {asked} ({oldest})"))
}
