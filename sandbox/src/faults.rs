//! Faults on demand in front of the API servers and the AWS endpoint: delay, fail or drop answers, cut watches,
//! freeze everything. Knows paths and counts, nothing of what the answers mean.

use crate::aws;
use crate::kube::failure::Failure;
use axum::body::Body;
use axum::response::IntoResponse;
use futures::StreamExt;
use http::request::Parts;
use http::{Response, StatusCode, header};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// The surfaces that faults can be provoked on, by their names in rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Endpoint {
    Kube,
    KubeEast,
    Aws,
    Spaces,
    /// The sandbox's own door: no rule reaches it and it never freezes, or there would be no way back.
    #[serde(skip)]
    Admin,
}

/// The connection (or, in HTTP/2, the stream) ends without an answer.
#[derive(Debug, thiserror::Error)]
#[error("dropped on demand")]
pub struct Dropped;

/// What happens to requests that match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Rule {
    pub endpoint: Endpoint,
    /// Beginning of the path; empty matches all.
    #[serde(default)]
    pub path: String,
    /// All methods when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// How many requests; until cleared when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u64>,
    pub action: Action,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", rename_all_fields = "camelCase", deny_unknown_fields)]
pub enum Action {
    /// Answer later, but answer.
    Delay { millis: u64 },
    /// Close without an answer.
    Drop {},
    /// Refuse in the endpoint's own form. `reason` is the Status reason, or the AWS error code.
    Fail {
        status: u16,
        #[serde(default)]
        reason: String,
        #[serde(default)]
        message: String,
        #[serde(default)]
        retry_after_seconds: Option<u32>,
    },
}

/// A rule with its number and how often it has acted.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Standing {
    pub id: u64,
    pub hits: u64,
    #[serde(flatten)]
    pub rule: Rule,
}

/// A cheap handle; clones share the rules.
#[derive(Clone, Default)]
pub struct Faults(Arc<Inner>);

#[derive(Default)]
struct Inner {
    rules: Mutex<Rules>,
    gate: watch::Sender<Gate>,
}

#[derive(Default)]
struct Rules {
    last_id: u64,
    standing: Vec<Standing>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Gate {
    frozen: bool,
    /// Counts the cuts; a stream ends when it changes.
    cuts: u64,
}

impl Faults {
    /// Later rules stand behind earlier ones: the first that matches acts. Returns the rule's number.
    pub fn add(&self, rule: Rule) -> u64 {
        let mut rules = self.rules();
        rules.last_id += 1;
        let id = rules.last_id;
        rules.standing.push(Standing { id, hits: 0, rule });
        id
    }

    /// Was there such a rule?
    pub fn remove(&self, id: u64) -> bool {
        let mut rules = self.rules();
        let before = rules.standing.len();
        rules.standing.retain(|standing| standing.id != id);
        rules.standing.len() < before
    }

    pub fn clear(&self) {
        self.rules().standing.clear();
    }

    pub fn standing(&self) -> Vec<Standing> {
        self.rules().standing.clone()
    }

    /// Ends every watch and followed log at once, as a lost network does.
    pub fn cut_streams(&self) {
        self.0.gate.send_modify(|gate| gate.cuts += 1);
    }

    /// Nothing is answered and no watch moves until thawed; connections stay open.
    pub fn freeze(&self, frozen: bool) {
        self.0.gate.send_modify(|gate| gate.frozen = frozen);
    }

    pub fn is_frozen(&self) -> bool {
        self.0.gate.borrow().frozen
    }

    /// To be asked before each request: an answer instead of the real one, if there is to be one.
    ///
    /// # Errors
    /// [`Dropped`] when there is to be none.
    pub async fn intercept(
        &self,
        endpoint: Endpoint,
        request: &Parts,
    ) -> Result<Option<Response<Body>>, Dropped> {
        if endpoint == Endpoint::Admin {
            return Ok(None);
        }
        self.thawed().await;
        match self.take(endpoint, request.method.as_str(), request.uri.path()) {
            None => Ok(None),
            Some(Action::Delay { millis }) => {
                tokio::time::sleep(Duration::from_millis(millis)).await;
                Ok(None)
            }
            Some(Action::Drop {}) => Err(Dropped),
            Some(Action::Fail { status, reason, message, retry_after_seconds }) => {
                let failure =
                    Failure { retry_after: retry_after_seconds, ..Failure::new(status, &reason, message) };
                Ok(Some(match endpoint {
                    Endpoint::Aws => aws::provoked(request, status, &reason, &failure.message),
                    _ => refuse(&failure),
                }))
            }
        }
    }

    async fn thawed(&self) {
        // The sender lives in self: waiting cannot fail.
        let _ = self.0.gate.subscribe().wait_for(|gate| !gate.frozen).await;
    }

    fn take(&self, endpoint: Endpoint, method: &str, path: &str) -> Option<Action> {
        let mut rules = self.rules();
        let standing = rules.standing.iter_mut().find(|standing| {
            let rule = &standing.rule;
            rule.endpoint == endpoint
                && path.starts_with(&rule.path)
                && rule.method.as_deref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(method))
                && rule.times.is_none_or(|times| standing.hits < times)
        })?;
        standing.hits += 1;
        Some(standing.rule.action.clone())
    }

    /// A body that stands still while frozen and breaks off when streams are cut.
    pub fn gated(&self, body: Body) -> Body {
        let gate = self.0.gate.subscribe();
        let cuts = gate.borrow().cuts;
        let stream =
            futures::stream::unfold(Some((body.into_data_stream(), gate)), move |state| async move {
                let (mut chunks, mut gate) = state?;
                loop {
                    let now = *gate.borrow_and_update();
                    if now.cuts != cuts {
                        return Some((Err(axum::Error::new(Dropped)), None));
                    }
                    if now.frozen {
                        gate.changed().await.ok()?;
                        continue;
                    }
                    tokio::select! {
                        chunk = chunks.next() => return chunk.map(|chunk| (chunk, Some((chunks, gate)))),
                        changed = gate.changed() => changed.ok()?,
                    }
                }
            });
        Body::from_stream(stream)
    }

    fn rules(&self) -> MutexGuard<'_, Rules> {
        self.0.rules.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn refuse(failure: &Failure) -> Response<Body> {
    let status = StatusCode::from_u16(failure.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response =
        (status, [(header::CONTENT_TYPE, "application/json")], failure.body().to_string()).into_response();
    if let Some(seconds) = failure.retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
    }
    response
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use http_body_util::BodyExt;

    fn rule(action: Action, times: Option<u64>) -> Rule {
        Rule { endpoint: Endpoint::Kube, path: "/api/v1".into(), method: Some("GET".into()), times, action }
    }

    fn get(path: &str) -> Parts {
        http::Request::get(path).body(()).unwrap().into_parts().0
    }

    #[tokio::test]
    async fn a_rule_acts_as_often_as_told_on_what_it_matches() {
        let faults = Faults::default();
        faults.add(rule(Action::Drop {}, Some(1)));
        assert!(faults.intercept(Endpoint::Aws, &get("/api/v1/pods")).await.unwrap().is_none());
        assert!(faults.intercept(Endpoint::Kube, &get("/apis")).await.unwrap().is_none());
        assert!(faults.intercept(Endpoint::Kube, &get("/api/v1/pods")).await.is_err());
        assert!(faults.intercept(Endpoint::Kube, &get("/api/v1/pods")).await.unwrap().is_none());
        assert_eq!(faults.standing()[0].hits, 1);
    }

    #[tokio::test]
    async fn a_failure_is_a_status_with_its_retry_time() {
        let faults = Faults::default();
        let action: Action = serde_json::from_str(
            r#"{"fail":{"status":429,"reason":"TooManyRequests","retryAfterSeconds":3}}"#,
        )
        .unwrap();
        faults.add(rule(action, None));
        let response = faults.intercept(Endpoint::Kube, &get("/api/v1")).await.unwrap().unwrap();
        assert_eq!(response.status(), 429);
        assert_eq!(response.headers()[header::RETRY_AFTER], "3");
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let status: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(status["reason"], "TooManyRequests");
    }

    #[tokio::test]
    async fn a_cut_ends_open_streams_with_an_error_and_no_later_ones() {
        let faults = Faults::default();
        let open = faults.gated(Body::from_stream(futures::stream::pending::<Result<&str, Dropped>>()));
        faults.cut_streams();
        assert!(open.collect().await.is_err());
        let later = faults.gated(Body::from("x")).collect().await.unwrap().to_bytes();
        assert_eq!(later, "x");
    }

    #[tokio::test]
    async fn a_frozen_sandbox_answers_once_it_is_thawed() {
        let faults = Faults::default();
        faults.freeze(true);
        let request = get("/api");
        let mut answer = std::pin::pin!(faults.intercept(Endpoint::Kube, &request));
        assert!(futures::poll!(answer.as_mut()).is_pending());
        faults.freeze(false);
        assert!(answer.await.unwrap().is_none());
    }
}
