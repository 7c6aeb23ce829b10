//! A subscription joined to its hub: the asker's rights, re-asked, and the hub's changes, filtered.

use super::subscription::Subscription;
use crate::cluster::hub::{Batch, Health, Hub};
use crate::context::RequestContext;
use crate::error::ApiError;
use crate::spaces::View;
use crate::state::AppState;
use futures::FutureExt;
use futures::future::BoxFuture;
use spaceport_shared::live::Topic;
use spaceport_shared::space::NamespaceAccess;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{broadcast, watch};
use tokio::time::{Instant, sleep_until};

/// Rights are looked at again this often; the answers behind them live as long.
const RECHECK: Duration = Duration::from_secs(60);
/// A burst of binding changes is one sign.
const SETTLE: Duration = Duration::from_millis(500);

pub struct Source {
    hub: Arc<Hub>,
    pub subscription: Subscription,
    batches: broadcast::Receiver<Batch>,
    health: watch::Receiver<Health>,
    bindings: watch::Receiver<u64>,
    recheck_at: Instant,
}

/// What happened to a subscription.
pub enum News {
    /// Frames to send.
    Frames(Vec<String>),
    /// Too much was missed: a fresh snapshot, after a `resync`.
    Resync(Vec<String>),
    /// Rights changed: what they are now, and the frames that follow from it.
    Access(Vec<NamespaceAccess>, Vec<String>),
    Health(Health),
}

impl Source {
    /// Subscribes; answers the source and the frames of its first snapshot.
    ///
    /// # Errors
    /// `NotFound` for a cluster that is not the asker's, `Forbidden` where they may see nothing of what they ask for,
    /// `UpstreamUnavailable` before the hub has read the cluster.
    pub async fn open(
        ctx: &RequestContext,
        state: &AppState,
        id: Option<u32>,
        topic: Topic,
    ) -> Result<(Source, Vec<String>), ApiError> {
        let access = rights(ctx, state, &topic).await?;
        let hub = state.hubs.get(&topic.cluster).ok_or(ApiError::NotFound)?.clone();
        let mut subscription = Subscription::new(id, topic, access);
        if subscription.access().is_empty() {
            return Err(ApiError::NotFound);
        }
        let (health, mut bindings) = (hub.health(), hub.bindings());
        bindings.mark_unchanged();
        let (rows, batches) = hub.subscribe();
        let frames = subscription.snapshot(&rows);
        let recheck_at = Instant::now() + RECHECK;
        Ok((Source { hub, subscription, batches, health, bindings, recheck_at }, frames))
    }

    pub fn health(&self) -> Health {
        *self.health.borrow()
    }

    /// Waits for something to tell. Cancel safe: what was not told is told by the next call.
    ///
    /// # Errors
    /// When the asker's credentials no longer work.
    pub async fn next(&mut self, ctx: &RequestContext, state: &AppState) -> Result<News, ApiError> {
        loop {
            tokio::select! {
                batch = self.batches.recv() => match batch {
                    Ok(batch) => {
                        let frames: Vec<_> = batch.iter().filter_map(|c| self.subscription.change(c)).collect();
                        if !frames.is_empty() {
                            return Ok(News::Frames(frames));
                        }
                    }
                    Err(_) => return Ok(News::Resync(self.resync())),
                },
                changed = self.health.changed() => {
                    if changed.is_err() {
                        return Err(ApiError::Unavailable { retry_after: SETTLE });
                    }
                    return Ok(News::Health(*self.health.borrow_and_update()));
                }
                Ok(()) = self.bindings.changed() => {
                    self.recheck_at = self.recheck_at.min(Instant::now() + SETTLE);
                }
                () = sleep_until(self.recheck_at) => {
                    let access = rights(ctx, state, self.subscription.topic()).await?;
                    self.recheck_at = Instant::now() + RECHECK;
                    if self.subscription.set_access(access) {
                        let (rows, batches) = self.hub.subscribe();
                        self.batches = batches;
                        let frames = self.subscription.reconcile(&rows);
                        return Ok(News::Access(self.subscription.access(), frames));
                    }
                }
            }
        }
    }

    /// Starts over from the present rows; what was queued is dropped.
    pub fn resync(&mut self) -> Vec<String> {
        let (rows, batches) = self.hub.subscribe();
        self.batches = batches;
        self.subscription.snapshot(&rows)
    }
}

/// Boxed: sockets hold it, and the compiler gives up on the depth of the AWS SDK's futures below it.
fn rights<'a>(
    ctx: &'a RequestContext,
    state: &'a AppState,
    topic: &'a Topic,
) -> BoxFuture<'a, Result<BTreeMap<String, NamespaceAccess>, ApiError>> {
    ask(ctx, state, topic).boxed()
}

/// A named single namespace is asked for alone: a page of one Space must not wait for two hundred reviews.
async fn ask(
    ctx: &RequestContext,
    state: &AppState,
    topic: &Topic,
) -> Result<BTreeMap<String, NamespaceAccess>, ApiError> {
    let view = match topic.namespaces.as_deref() {
        Some([one]) => match View::of_namespace(ctx, state, &topic.cluster, one).await {
            Err(ApiError::NotFound) if state.clusters.find(ctx.user(), &topic.cluster).is_ok() => {
                return Ok(BTreeMap::new());
            }
            other => other?,
        },
        _ => View::whole(ctx, state, &topic.cluster).await?,
    };
    Ok(view.access)
}
