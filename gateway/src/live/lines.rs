//! The same news as NDJSON, for scripts: live messages without `id`, one to a line.

use super::frame::plain;
use super::source::{News, Source};
use crate::clock;
use crate::cluster::hub::Health;
use crate::context::RequestContext;
use crate::error::ApiError;
use crate::state::AppState;
use axum::body::Body;
use bytes::Bytes;
use serde_json::Value;
use spaceport_shared::live::{ServerMessage, Topic};
use std::convert::Infallible;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::interval;
use tokio_stream::wrappers::ReceiverStream;

/// Lines under way to a reader; a slower one holds up its own stream alone and is resynchronised when it lags.
const BUFFER: usize = 64;
const SESSION_CHECK: Duration = Duration::from_secs(30);

/// Opens the stream. Errors come as an answer, before the first line.
pub async fn open(ctx: RequestContext, state: AppState, topic: Topic) -> Result<Body, ApiError> {
    let (source, frames) = Source::open(&ctx, &state, None, topic).await?;
    let (sender, receiver) = mpsc::channel::<Result<Bytes, Infallible>>(BUFFER);
    let lifecycle = state.lifecycle.clone();
    lifecycle.spawn(async move {
        // Either the reader has gone or the stream has said why it ends.
        let _ = run(ctx, state, source, frames, sender).await;
    });
    Ok(Body::from_stream(ReceiverStream::new(receiver)))
}

type Sender = mpsc::Sender<Result<Bytes, Infallible>>;

/// The reader is gone, or the stream is over.
struct Ended;

async fn run(
    ctx: RequestContext,
    state: AppState,
    mut source: Source,
    frames: Vec<String>,
    sender: Sender,
) -> Result<(), Ended> {
    let stopping = state.lifecycle.stopping();
    let mut check = interval(SESSION_CHECK);
    check.reset();
    let access = source.subscription.access();
    line(&sender, &without_id(&ServerMessage::Subscribed { id: 0, access })).await?;
    lines(&sender, frames).await?;
    loop {
        tokio::select! {
            () = stopping.cancelled() => return bye(&sender, 1001, "restarting").await,
            () = sender.closed() => return Err(Ended),
            _ = check.tick() => {
                let (key, ends_at) = ctx.session();
                if clock::now() >= ends_at || !state.sessions.is_alive(key).await {
                    return bye(&sender, 4401, "the session has ended").await;
                }
            }
            news = source.next(&ctx, &state) => match news {
                Ok(news) => tell(&sender, news).await?,
                Err(_) => return bye(&sender, 4403, "rights cannot be confirmed").await,
            },
        }
    }
}

async fn tell(sender: &Sender, news: News) -> Result<(), Ended> {
    match news {
        News::Frames(frames) => lines(sender, frames).await,
        News::Resync(frames) => {
            line(sender, &without_id(&ServerMessage::Resync { id: 0 })).await?;
            lines(sender, frames).await
        }
        News::Access(access, frames) => {
            line(sender, &without_id(&ServerMessage::Subscribed { id: 0, access })).await?;
            lines(sender, frames).await
        }
        News::Health(Health::Stale { since }) => {
            line(sender, &without_id(&ServerMessage::Stale { id: 0, since })).await
        }
        News::Health(_) => line(sender, &without_id(&ServerMessage::Fresh { id: 0 })).await,
    }
}

async fn bye(sender: &Sender, code: u16, reason: &str) -> Result<(), Ended> {
    line(sender, &plain(&ServerMessage::Bye { code, reason: reason.to_owned() })).await
}

fn without_id(message: &ServerMessage) -> String {
    let mut value = serde_json::to_value(message).unwrap_or_default();
    if let Value::Object(map) = &mut value {
        map.remove("id");
    }
    value.to_string()
}

async fn lines(sender: &Sender, frames: Vec<String>) -> Result<(), Ended> {
    for frame in frames {
        line(sender, &frame).await?;
    }
    Ok(())
}

async fn line(sender: &Sender, text: &str) -> Result<(), Ended> {
    sender.send(Ok(Bytes::from(format!("{text}\n")))).await.map_err(|_| Ended)
}
