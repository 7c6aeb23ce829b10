//! The one websocket of the tab: connects, subscribes, reconnects, falls back to polling, and says which.

use super::batch::Batch;
use super::collection::Collection;
use crate::api;
use crate::model::feed::{Change, Feed};
use crate::state::clock::Clock;
use crate::state::derive::watch;
use crate::state::session::{Session, Standing};
use futures::channel::mpsc;
use futures::{FutureExt, SinkExt, StreamExt, select};
use gloo_net::websocket::{Message, WebSocketError, futures::WebSocket};
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::cluster::ClusterHealth;
use shared::error::ErrorCode;
use shared::live::{CLOSE_SIGN_IN, ClientMessage, Filter, ServerMessage, Topic, View};
use shared::path;
use shared::space::SpaceRow;
use shared::time::Timestamp;
use std::collections::HashMap;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

/// How the tab hears of changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Link {
    Connecting,
    Live,
    /// The socket broke at this (server) time; it is tried again.
    Reconnecting(Timestamp),
    /// Websockets do not get through; asked each ten seconds.
    Polling,
}

const PING_MILLIS: u32 = 20_000;
const POLL_MILLIS: u32 = 10_000;
/// So many failures in a row, with REST answering, mean that websockets are blocked.
const FAILURES_BEFORE_POLLING: u32 = 3;

#[derive(Clone, Copy)]
struct Wiring {
    collection: Collection,
    link: RwSignal<Link>,
    session: Session,
    clock: Clock,
}

/// Starts the loop that lives as long as the tab. `clusters` are the names to subscribe to, once known.
pub fn start(collection: Collection, session: Session, clock: Clock) -> RwSignal<Link> {
    let link = RwSignal::new(Link::Connecting);
    let wiring = Wiring { collection, link, session, clock };
    let (wake, woken) = mpsc::unbounded();
    listen_for_return(wake.clone());
    watch(move || {
        if session.standing.get() == Standing::SignedIn {
            let _ = wake.unbounded_send(());
        }
    });
    spawn_local(wiring.run(woken));
    link
}

/// A tab that comes back from sleep, or a machine that comes back online, asks at once.
fn listen_for_return(wake: mpsc::UnboundedSender<()>) {
    let callback = Closure::<dyn Fn()>::new(move || {
        let _ = wake.unbounded_send(());
    });
    let function = callback.as_ref().unchecked_ref();
    // Registering a listener on window or document cannot fail.
    let _ = window().add_event_listener_with_callback("online", function);
    let _ = window().add_event_listener_with_callback("pageshow", function);
    let _ = document().add_event_listener_with_callback("visibilitychange", function);
    // Lives as long as the tab.
    callback.forget();
}

impl Wiring {
    async fn run(self, mut woken: mpsc::UnboundedReceiver<()>) {
        let mut failures = 0u32;
        loop {
            if self.session.standing.get_untracked() != Standing::SignedIn {
                if woken.next().await.is_none() {
                    return;
                }
                continue;
            }
            if self.converse(&mut woken).await {
                failures = 0;
            } else {
                failures += 1;
            }
            if self.session.standing.get_untracked() != Standing::SignedIn {
                continue;
            }
            self.mark_broken();
            if failures >= FAILURES_BEFORE_POLLING && self.poll().await {
                let _ = self.link.try_set(Link::Polling);
                pause(POLL_MILLIS, &mut woken).await;
            } else {
                self.mark_lost();
                pause(backoff(failures), &mut woken).await;
            }
        }
    }

    /// Neither socket nor REST: nothing is asked any more, and what is shown ages.
    fn mark_lost(self) {
        let now = self.clock.instant();
        let _ = self.link.try_update(|link| {
            if *link == Link::Polling {
                *link = Link::Reconnecting(now);
            }
        });
    }

    fn mark_broken(self) {
        let now = self.clock.instant();
        let _ = self.link.try_update(|link| {
            if matches!(link, Link::Live | Link::Connecting) {
                *link = Link::Reconnecting(now);
            }
        });
    }

    /// One connection from open to close. True when it got as far as the server's hello.
    async fn converse(self, woken: &mut mpsc::UnboundedReceiver<()>) -> bool {
        let Ok(socket) = WebSocket::open(&socket_url()) else { return false };
        let (mut sink, stream) = socket.split();
        let mut stream = stream.fuse();
        let mut conversation = Conversation::new(self);
        let (mut greeted, mut unanswered) = (false, 0u32);
        loop {
            let mut timer = TimeoutFuture::new(PING_MILLIS).fuse();
            let ping = select! {
                message = stream.next() => match message {
                    Some(Ok(Message::Text(text))) => {
                        unanswered = 0;
                        let Ok(message) = ServerMessage::read(&text) else { continue };
                        greeted |= matches!(message, ServerMessage::Hello { .. });
                        for reply in conversation.hear(message) {
                            if say(&mut sink, &reply).await.is_err() {
                                return greeted;
                            }
                        }
                        false
                    }
                    Some(Ok(Message::Bytes(_))) => false,
                    Some(Err(WebSocketError::ConnectionClose(event))) => {
                        if event.code == CLOSE_SIGN_IN {
                            self.session.expire();
                        }
                        return greeted;
                    }
                    _ => return greeted,
                },
                _ = woken.next() => true,
                () = timer => true,
            };
            if ping {
                // Two silent pings: the connection only looks alive (a sleeping machine, a proxy that forgot it).
                if unanswered >= 2
                    || say(&mut sink, &ClientMessage::Ping { nonce: unanswered }).await.is_err()
                {
                    return greeted;
                }
                unanswered += 1;
            }
        }
    }

    /// Reads everything once over REST. False when that fails as well: then the portal itself is away.
    async fn poll(self) -> bool {
        for cluster in self.cluster_names() {
            match ask_all(&cluster).await {
                Ok(changes) => self.collection.apply(&cluster, changes, self.clock.instant()),
                Err(failure) => {
                    if failure.code() == Some(ErrorCode::Unauthenticated) {
                        self.session.expire();
                    }
                    return false;
                }
            }
        }
        true
    }

    fn cluster_names(self) -> Vec<String> {
        self.session.me.with_untracked(|me| {
            me.iter()
                .flat_map(|me| me.clusters.iter().filter(|c| c.username.is_some()).map(|c| c.cluster.clone()))
                .collect()
        })
    }
}

/// What a subscription would have said about a cluster: rights, health and rows.
async fn ask_all(cluster: &str) -> api::Answer<Vec<Change>> {
    let namespaces = api::namespaces(cluster).await?;
    let mut rows: Vec<SpaceRow> = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let page = api::list_spaces(cluster, cursor.as_deref()).await?;
        rows.extend(page.items);
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    let health = match api::cluster(cluster).await?.health {
        ClusterHealth::Unreachable { since } => Change::Stale(since),
        ClusterHealth::Reachable { .. } | ClusterHealth::Connecting => Change::Fresh,
    };
    let access = namespaces.into_iter().map(|choice| choice.access).collect();
    Ok(vec![Change::Access(access), Change::Replace(rows), health])
}

/// The subscriptions of one connection.
struct Conversation {
    wiring: Wiring,
    batch: Batch,
    feeds: HashMap<u32, (String, Feed)>,
    next_id: u32,
}

impl Conversation {
    fn new(wiring: Wiring) -> Conversation {
        Conversation {
            wiring,
            batch: Batch::new(wiring.collection, wiring.clock),
            feeds: HashMap::new(),
            next_id: 1,
        }
    }

    /// What to say in return.
    fn hear(&mut self, message: ServerMessage) -> Vec<ClientMessage> {
        let id = match &message {
            ServerMessage::Hello { server_time, .. } => {
                self.wiring.clock.correct(*server_time);
                let _ = self.wiring.link.try_set(Link::Live);
                let names = self.wiring.cluster_names();
                return names.into_iter().map(|cluster| self.subscribe(cluster)).collect();
            }
            ServerMessage::Pong { server_time, .. } => {
                self.wiring.clock.correct(*server_time);
                return Vec::new();
            }
            ServerMessage::Bye { .. } => return Vec::new(),
            ServerMessage::Subscribed { id, .. }
            | ServerMessage::Snapshot { id, .. }
            | ServerMessage::Upsert { id, .. }
            | ServerMessage::Remove { id, .. }
            | ServerMessage::Resync { id }
            | ServerMessage::Denied { id, .. }
            | ServerMessage::Stale { id, .. }
            | ServerMessage::Fresh { id } => *id,
        };
        let Some((cluster, feed)) = self.feeds.get_mut(&id) else { return Vec::new() };
        match feed.step(message) {
            Some(Change::Gap) => {
                let cluster = cluster.clone();
                self.feeds.remove(&id);
                vec![ClientMessage::Unsubscribe { id }, self.subscribe(cluster)]
            }
            Some(change) => {
                self.batch.push(cluster, change);
                Vec::new()
            }
            None => Vec::new(),
        }
    }

    fn subscribe(&mut self, cluster: String) -> ClientMessage {
        let id = self.next_id;
        self.next_id += 1;
        self.feeds.insert(id, (cluster.clone(), Feed::default()));
        let topic = Topic { view: View::Spaces, cluster, namespaces: None, filter: Filter::default() };
        ClientMessage::Subscribe { id, topic }
    }
}

async fn say(
    sink: &mut (impl SinkExt<Message, Error = WebSocketError> + Unpin),
    message: &ClientMessage,
) -> Result<(), ()> {
    let text = serde_json::to_string(message).map_err(|_| ())?;
    sink.send(Message::Text(text)).await.map_err(|_| ())
}

/// Waits, or returns early when the tab comes back.
async fn pause(millis: u32, woken: &mut mpsc::UnboundedReceiver<()>) {
    let mut timer = TimeoutFuture::new(millis).fuse();
    select! {
        _ = woken.next() => {}
        () = timer => {}
    }
}

/// Half a second doubling to half a minute, with a third of jitter so that a restarted gateway is not met by all at once.
fn backoff(failures: u32) -> u32 {
    let base = 500u32.saturating_mul(1 << failures.min(6)).min(30_000);
    base + (js_sys::Math::random() * f64::from(base) / 3.0) as u32
}

fn socket_url() -> String {
    let location = window().location();
    let secure = location.protocol().is_ok_and(|p| p == "https:");
    let host = location.host().unwrap_or_default();
    format!("{}://{host}{}", if secure { "wss" } else { "ws" }, path::live())
}
