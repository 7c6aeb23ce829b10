//! One websocket: subscriptions in, frames out. A client that reads slowly is given a fresh snapshot, never a queue.

use super::frame::plain;
use super::limits::{SUBSCRIPTIONS_PER_SOCKET, Seat, Throttle};
use super::source::{News, Source};
use crate::clock;
use crate::cluster::hub::Health;
use crate::context::RequestContext;
use crate::error::ApiError;
use crate::session::SessionKey;
use crate::state::AppState;
use axum::extract::ws::{CloseFrame, Message, WebSocket};
use futures::future::select_all;
use spaceport_shared::live::{
    CLOSE_FORBIDDEN, CLOSE_SIGN_IN, CLOSE_TOO_MANY, ClientMessage, PROTOCOL, ServerMessage, Topic,
};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;
use tokio::time::{Instant, interval, timeout};

/// A client that does not take a frame for this long is gone.
const SEND_PATIENCE: Duration = Duration::from_secs(10);
/// Keeps proxies from closing a quiet socket, and notices a dead one.
const PING: Duration = Duration::from_secs(25);
/// How often the session is looked up: it may end on another replica.
const SESSION_CHECK: Duration = Duration::from_secs(30);
/// Close codes of RFC 6455.
const GOING_AWAY: u16 = 1001;
const UNSUPPORTED: u16 = 1003;
const TRY_AGAIN: u16 = 1013;

/// Why a socket ends.
struct Farewell {
    code: u16,
    reason: &'static str,
}

const fn farewell(code: u16, reason: &'static str) -> Farewell {
    Farewell { code, reason }
}

/// The peer is gone, or has to go.
enum End {
    Gone,
    Bye(Farewell),
}

/// Serves a socket to its end. `seat` counts it while it lives.
pub async fn serve(mut socket: WebSocket, ctx: RequestContext, state: AppState, seat: Seat) {
    let held = state.lifecycle.hold();
    let mut session = Session {
        ended: state.sessions.ended(),
        sources: BTreeMap::new(),
        throttle: Throttle::new(Instant::now()),
        missed_pings: 0,
        ctx,
        state,
    };
    let end = session.run(&mut socket).await;
    if let Err(End::Bye(bye)) = end {
        let message = ServerMessage::Bye { code: bye.code, reason: bye.reason.to_owned() };
        let _ = timeout(SEND_PATIENCE, socket.send(Message::text(plain(&message)))).await;
        let close = CloseFrame { code: bye.code, reason: bye.reason.into() };
        let _ = timeout(SEND_PATIENCE, socket.send(Message::Close(Some(close)))).await;
    }
    drop((seat, held));
}

struct Session {
    ctx: RequestContext,
    state: AppState,
    sources: BTreeMap<u32, Source>,
    ended: Receiver<SessionKey>,
    throttle: Throttle,
    missed_pings: u8,
}

impl Session {
    async fn run(&mut self, socket: &mut WebSocket) -> Result<(), End> {
        let stopping = self.state.lifecycle.stopping();
        let mut ping = interval(PING);
        let mut check = interval(SESSION_CHECK);
        ping.reset();
        check.reset();
        let hello = ServerMessage::Hello { protocol: PROTOCOL, server_time: clock::now() };
        send(socket, plain(&hello)).await?;
        loop {
            tokio::select! {
                () = stopping.cancelled() => return Err(End::Bye(farewell(GOING_AWAY, "restarting"))),
                message = socket.recv() => self.receive(socket, message).await?,
                (id, news) = news(&mut self.sources, &self.ctx, &self.state) => self.tell(socket, id, news).await?,
                ended = self.ended.recv() => self.check_ended(ended).await?,
                _ = check.tick() => self.check_session().await?,
                _ = ping.tick() => self.ping(socket).await?,
            }
        }
    }

    async fn receive(
        &mut self,
        socket: &mut WebSocket,
        message: Option<Result<Message, axum::Error>>,
    ) -> Result<(), End> {
        let text = match message {
            Some(Ok(Message::Text(text))) => text,
            Some(Ok(Message::Pong(_))) => {
                self.missed_pings = 0;
                return Ok(());
            }
            Some(Ok(Message::Ping(_))) => return Ok(()),
            Some(Ok(Message::Binary(_))) => return Err(End::Bye(farewell(UNSUPPORTED, "text only"))),
            Some(Ok(Message::Close(_)) | Err(_)) | None => return Err(End::Gone),
        };
        if !self.throttle.admits(Instant::now()) {
            return Err(End::Bye(farewell(CLOSE_TOO_MANY, "too many messages")));
        }
        match serde_json::from_str(&text) {
            Ok(ClientMessage::Subscribe { id, topic }) => self.subscribe(socket, id, topic).await,
            Ok(ClientMessage::Unsubscribe { id }) => {
                self.sources.remove(&id);
                Ok(())
            }
            Ok(ClientMessage::Ping { nonce }) => {
                send(socket, plain(&ServerMessage::Pong { nonce, server_time: clock::now() })).await
            }
            Err(_) => Err(End::Bye(farewell(UNSUPPORTED, "not a message of this protocol"))),
        }
    }

    /// A second subscription of the same id replaces the first.
    async fn subscribe(&mut self, socket: &mut WebSocket, id: u32, topic: Topic) -> Result<(), End> {
        self.sources.remove(&id);
        if self.sources.len() >= SUBSCRIPTIONS_PER_SOCKET {
            return Err(End::Bye(farewell(CLOSE_TOO_MANY, "too many subscriptions")));
        }
        match Source::open(&self.ctx, &self.state, Some(id), topic).await {
            Ok((source, frames)) => {
                let access = source.subscription.access();
                send(socket, plain(&ServerMessage::Subscribed { id, access })).await?;
                send_all(socket, frames).await?;
                let health = source.health();
                self.sources.insert(id, source);
                match health {
                    Health::Stale { .. } => send(socket, plain(&health_message(id, health))).await,
                    Health::Fresh | Health::Connecting => Ok(()),
                }
            }
            Err(ApiError::Unauthenticated) => Err(End::Bye(farewell(CLOSE_SIGN_IN, "sign in again"))),
            Err(error) => {
                tracing::debug!(%error, "subscription denied");
                send(socket, plain(&ServerMessage::Denied { id, code: error.code() })).await
            }
        }
    }

    async fn tell(
        &mut self,
        socket: &mut WebSocket,
        id: u32,
        news: Result<News, ApiError>,
    ) -> Result<(), End> {
        match news {
            Ok(News::Frames(frames)) => send_all(socket, frames).await,
            Ok(News::Resync(frames)) => {
                send(socket, plain(&ServerMessage::Resync { id })).await?;
                send_all(socket, frames).await
            }
            Ok(News::Access(access, frames)) => {
                send(socket, plain(&ServerMessage::Subscribed { id, access })).await?;
                send_all(socket, frames).await
            }
            Ok(News::Health(health)) => send(socket, plain(&health_message(id, health))).await,
            Err(ApiError::Unauthenticated) => Err(End::Bye(farewell(CLOSE_SIGN_IN, "sign in again"))),
            Err(ApiError::Forbidden { .. } | ApiError::NotFound) => {
                Err(End::Bye(farewell(CLOSE_FORBIDDEN, "no access to the cluster any more")))
            }
            // Rights that cannot be confirmed are not rights: the page comes back and asks again.
            Err(_) => Err(End::Bye(farewell(TRY_AGAIN, "rights cannot be confirmed"))),
        }
    }

    async fn check_ended(&self, ended: Result<SessionKey, RecvError>) -> Result<(), End> {
        match ended {
            Ok(key) if key == *self.ctx.session().0 => {
                Err(End::Bye(farewell(CLOSE_SIGN_IN, "the session has ended")))
            }
            Ok(_) => Ok(()),
            Err(_) => self.check_session().await,
        }
    }

    async fn check_session(&self) -> Result<(), End> {
        let (key, ends_at) = self.ctx.session();
        if clock::now() < ends_at && self.state.sessions.is_alive(key).await {
            return Ok(());
        }
        Err(End::Bye(farewell(CLOSE_SIGN_IN, "the session has ended")))
    }

    async fn ping(&mut self, socket: &mut WebSocket) -> Result<(), End> {
        self.missed_pings += 1;
        if self.missed_pings > 2 {
            return Err(End::Gone);
        }
        match timeout(SEND_PATIENCE, socket.send(Message::Ping(bytes::Bytes::new()))).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(End::Gone),
        }
    }
}

/// The first subscription that has something to tell.
async fn news(
    sources: &mut BTreeMap<u32, Source>,
    ctx: &RequestContext,
    state: &AppState,
) -> (u32, Result<News, ApiError>) {
    if sources.is_empty() {
        return std::future::pending().await;
    }
    let waits = sources.iter_mut().map(|(id, source)| {
        let id = *id;
        Box::pin(async move { (id, source.next(ctx, state).await) })
    });
    select_all(waits).await.0
}

fn health_message(id: u32, health: Health) -> ServerMessage {
    match health {
        Health::Stale { since } => ServerMessage::Stale { id, since },
        Health::Fresh | Health::Connecting => ServerMessage::Fresh { id },
    }
}

async fn send_all(socket: &mut WebSocket, frames: Vec<String>) -> Result<(), End> {
    for frame in frames {
        send(socket, frame).await?;
    }
    Ok(())
}

async fn send(socket: &mut WebSocket, text: String) -> Result<(), End> {
    match timeout(SEND_PATIENCE, socket.send(Message::text(text))).await {
        Ok(Ok(())) => Ok(()),
        _ => Err(End::Gone),
    }
}
