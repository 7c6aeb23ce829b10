//! Lists and then watches one kind, for ever: through expired versions, closed streams and servers that are away.
//!
//! Objects travel as untyped JSON, so that one bad object never stops a stream.

use super::state::Observation;
use crate::cluster::kind::Kind;
use futures::StreamExt;
use kube::api::{ListParams, WatchParams};
use kube::core::{DynamicObject, Request, Resource, WatchEvent};
use kube::{Client, Error};
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;
use tokio::sync::mpsc;

/// Rows to a page: the size that kubectl uses, and about a megabyte of pods.
const PAGE: u32 = 500;
/// Seconds after which the server ends a watch by itself; below the five minutes of common proxies.
const WATCH_SECONDS: u32 = 290;
const FIRST_WAIT: Duration = Duration::from_millis(200);
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// How often a kind that is not served, or not ours to read, is asked for again.
const ABSENT_WAIT: Duration = Duration::from_secs(60);
/// A list that takes longer is hanging.
const LIST_PATIENCE: Duration = Duration::from_secs(60);
const CONNECT_PATIENCE: Duration = Duration::from_secs(10);

/// What a watch tells the hub.
#[derive(Debug)]
pub enum Report {
    Seen(Observation),
    /// The stream is open (again).
    Connected(Kind),
    Broken(Kind),
}

/// Where a watch stands after a stream has ended.
enum Ended {
    /// Go on from this version.
    At(String),
    /// The version is too old: list again.
    Expired,
    /// The hub is gone.
    Unheard,
}

#[derive(Deserialize)]
struct List {
    #[serde(default)]
    metadata: ListMeta,
    #[serde(default)]
    items: Vec<Value>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ListMeta {
    resource_version: String,
    r#continue: String,
}

/// Follows `kind` until nobody listens. The caller ends it by dropping the receiver.
pub async fn follow(client: Client, kind: Kind, reports: mpsc::Sender<Report>) {
    let mut wait = FIRST_WAIT;
    let mut version: Option<String> = None;
    while !reports.is_closed() {
        let step = match version.take() {
            None => list(&client, kind, &reports).await.map(Ended::At),
            Some(from) => watch(&client, kind, &from, &reports).await,
        };
        match step {
            Ok(Ended::At(next)) => {
                version = Some(next);
                wait = FIRST_WAIT;
            }
            Ok(Ended::Expired) => {}
            Ok(Ended::Unheard) => return,
            Err(error) if is_absent(&error) && !kind.is_required() => {
                tracing::info!(?kind, "not watched: not served, or not permitted");
                let _ = reports.send(Report::Seen(Observation::Absent(kind))).await;
                tokio::time::sleep(ABSENT_WAIT).await;
            }
            Err(error) => {
                tracing::warn!(?kind, %error, "watch broken");
                let _ = reports.send(Report::Broken(kind)).await;
                tokio::time::sleep(wait).await;
                wait = (wait * 2).min(LONGEST_WAIT);
            }
        }
    }
}

fn is_absent(error: &Error) -> bool {
    matches!(error, Error::Api(status) if matches!(status.code, 403 | 404))
}

fn request(kind: Kind) -> Request {
    Request::new(DynamicObject::url_path(&kind.resource(), None))
}

/// Reads all pages and answers the version to watch from.
async fn list(client: &Client, kind: Kind, reports: &mpsc::Sender<Report>) -> Result<String, Error> {
    let mut params = ListParams::default().limit(PAGE);
    let mut begun = false;
    loop {
        let http = request(kind).list(&params).map_err(Error::BuildRequest)?;
        let page: List = patiently(LIST_PATIENCE, client.request(http)).await?;
        if !begun {
            begun = true;
            send(reports, Observation::Listing(kind)).await;
        }
        for object in page.items {
            send(reports, Observation::Applied(kind, object)).await;
        }
        if page.metadata.r#continue.is_empty() {
            send(reports, Observation::Listed(kind)).await;
            return Ok(page.metadata.resource_version);
        }
        params = params.continue_token(&page.metadata.r#continue);
    }
}

async fn watch(
    client: &Client,
    kind: Kind,
    from: &str,
    reports: &mpsc::Sender<Report>,
) -> Result<Ended, Error> {
    let params = WatchParams::default().timeout(WATCH_SECONDS);
    let http = request(kind).watch(&params, from).map_err(Error::BuildRequest)?;
    let stream = match patiently(CONNECT_PATIENCE, client.request_events::<Value>(http)).await {
        Err(Error::Api(status)) if status.code == 410 => return Ok(Ended::Expired),
        other => other?,
    };
    let mut stream = std::pin::pin!(stream);
    let mut version = from.to_owned();
    if reports.send(Report::Connected(kind)).await.is_err() {
        return Ok(Ended::Unheard);
    }
    while let Some(event) = stream.next().await {
        let observation = match event? {
            WatchEvent::Added(object) | WatchEvent::Modified(object) => Observation::Applied(kind, object),
            WatchEvent::Deleted(object) => Observation::Deleted(kind, object),
            WatchEvent::Bookmark(bookmark) => {
                version = bookmark.metadata.resource_version;
                continue;
            }
            WatchEvent::Error(status) if status.code == 410 => return Ok(Ended::Expired),
            WatchEvent::Error(status) => return Err(Error::Api(status)),
        };
        if let Observation::Applied(_, object) | Observation::Deleted(_, object) = &observation
            && let Some(seen) = object["metadata"]["resourceVersion"].as_str()
        {
            seen.clone_into(&mut version);
        }
        if reports.send(Report::Seen(observation)).await.is_err() {
            return Ok(Ended::Unheard);
        }
    }
    Ok(Ended::At(version))
}

async fn send(reports: &mpsc::Sender<Report>, observation: Observation) {
    // A closed channel ends the loop in `follow`.
    let _ = reports.send(Report::Seen(observation)).await;
}

/// A call that takes too long counts as a broken connection.
async fn patiently<T>(patience: Duration, call: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    match tokio::time::timeout(patience, call).await {
        Ok(result) => result,
        Err(elapsed) => Err(Error::Service(Box::new(elapsed))),
    }
}
