//! The two rows of an attempt. Who, what, where and how it ended; never bodies, tokens or addresses with secrets in them.
//!
//! Must not know HTTP or Kubernetes.

use super::Intent;
use crate::db::Db;
use crate::error::ApiError;
use crate::identity::User;
use spaceport_shared::error::ErrorCode;
use std::future::Future;
use std::net::IpAddr;

/// Who attempts it, and by which request.
pub(super) struct Actor<'a> {
    pub user: &'a User,
    pub request_id: &'a str,
    pub client_ip: Option<IpAddr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Ok,
    /// Refused by a rule or a right.
    Denied,
    Failed,
    /// The call may or may not have taken effect.
    Unknown,
}

impl Outcome {
    const fn as_str(self) -> &'static str {
        match self {
            Outcome::Ok => "ok",
            Outcome::Denied => "denied",
            Outcome::Failed => "failed",
            Outcome::Unknown => "unknown",
        }
    }

    fn of(error: &ApiError) -> Outcome {
        match error {
            ApiError::Forbidden { .. } | ApiError::IdentityMismatch { .. } | ApiError::Unauthenticated => {
                Outcome::Denied
            }
            // A connection lost on the way back looks like one lost on the way there.
            ApiError::UpstreamUnavailable { .. } | ApiError::UpstreamFailed { .. } => Outcome::Unknown,
            _ => Outcome::Failed,
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Journal {
    db: Db,
}

impl Journal {
    pub(super) fn new(db: Db) -> Journal {
        Journal { db }
    }

    /// Runs `call` between its rows. A call dropped in the middle (time-out, browser gone) is `unknown`.
    pub(super) async fn attempt<T>(
        &self,
        actor: &Actor<'_>,
        intent: &Intent,
        call: impl Future<Output = Result<T, ApiError>>,
    ) -> Result<T, ApiError> {
        let id = self.write_intent(actor, intent).await?;
        let interrupted = OnInterrupt { journal: self.clone(), id: Some(id.clone()) };
        let result = call.await;
        let (outcome, code) = match &result {
            Ok(_) => (Outcome::Ok, None),
            Err(error) => (Outcome::of(error), Some(error.code())),
        };
        // The act is done either way: an outcome that cannot be written must not be told as its failure.
        if let Err(error) = self.write_outcome(&id, outcome, code).await {
            tracing::error!(intent = id, outcome = outcome.as_str(), %error, "audit outcome not written");
        }
        interrupted.disarm();
        result
    }

    async fn write_intent(&self, actor: &Actor<'_>, intent: &Intent) -> Result<String, ApiError> {
        let id = crate::middleware::request_id::random();
        sqlx::query(
            "INSERT INTO audit_intents (id, at, issuer, subject, session_name, client_ip, request_id, action, \
             cluster, kind, namespace, name, uid) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        )
        .bind(id.clone())
        .bind(crate::clock::now().0)
        .bind(actor.user.issuer.clone())
        .bind(actor.user.subject.clone())
        .bind(actor.user.session_name.clone())
        .bind(actor.client_ip.map(|ip| ip.to_string()))
        .bind(actor.request_id.to_owned())
        .bind(intent.action)
        .bind(intent.cluster.clone())
        .bind(intent.kind)
        .bind(intent.namespace.clone())
        .bind(intent.name.clone())
        .bind(intent.uid.clone())
        .execute(self.db.pool())
        .await?;
        Ok(id)
    }

    async fn write_outcome(&self, id: &str, outcome: Outcome, code: Option<ErrorCode>) -> sqlx::Result<()> {
        sqlx::query(
            "INSERT INTO audit_outcomes (intent_id, at, outcome, code) VALUES ($1, $2, $3, $4) \
             ON CONFLICT DO NOTHING",
        )
        .bind(id.to_owned())
        .bind(crate::clock::now().0)
        .bind(outcome.as_str())
        .bind(code.map(|code| code.as_str()))
        .execute(self.db.pool())
        .await?;
        Ok(())
    }
}

/// Writes `unknown` unless disarmed; a first outcome is never overwritten.
struct OnInterrupt {
    journal: Journal,
    id: Option<String>,
}

impl OnInterrupt {
    fn disarm(mut self) {
        self.id = None;
    }
}

impl Drop for OnInterrupt {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let journal = self.journal.clone();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if let Err(error) = journal.write_outcome(&id, Outcome::Unknown, None).await {
                    tracing::error!(intent = id, %error, "audit outcome not written");
                }
            });
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use crate::error::Upstream;
    use spaceport_shared::error::Layer;
    use sqlx::Row;
    use std::time::Duration;

    struct Fixture {
        journal: Journal,
        user: User,
    }

    impl Fixture {
        async fn new() -> Fixture {
            let user = User {
                issuer: "test".into(),
                subject: "ds-a1".into(),
                display_name: "ds-a1".into(),
                session_name: "ds-a1".into(),
                groups: vec![],
                roles: vec![],
                projects: vec![],
            };
            Fixture { journal: Journal::new(Db::connect("sqlite::memory:").await.unwrap()), user }
        }

        async fn attempt(&self, call: impl Future<Output = Result<(), ApiError>>) -> Result<(), ApiError> {
            let actor = Actor { user: &self.user, request_id: "r1", client_ip: None };
            let intent = Intent {
                action: "space.stop",
                cluster: "sandbox".into(),
                kind: "Workspace",
                namespace: "hyperpod-ns-team-a".into(),
                name: "notebook".into(),
                uid: Some("u".into()),
            };
            self.journal.attempt(&actor, &intent, call).await
        }

        /// Outcome and code of the only intent; `None` while it has no outcome.
        async fn outcome(&self) -> Option<(String, Option<String>)> {
            let text = "SELECT o.outcome, o.code FROM audit_intents i JOIN audit_outcomes o ON o.intent_id = i.id \
                        WHERE i.action = 'space.stop' AND i.session_name = 'ds-a1' AND i.request_id = 'r1'";
            let row = sqlx::query(text).fetch_optional(self.journal.db.pool()).await.unwrap();
            row.map(|row| (row.get(0), row.get(1)))
        }
    }

    fn denied() -> ApiError {
        ApiError::Forbidden { layer: Layer::Cluster, rule: String::new() }
    }

    #[tokio::test]
    async fn each_end_of_an_attempt_is_on_record() {
        let lost = ApiError::UpstreamUnavailable {
            service: Upstream::Kubernetes,
            retry_after: Duration::ZERO,
            cause: anyhow::anyhow!("reset").into(),
        };
        for (result, outcome, code) in [
            (Ok(()), "ok", None),
            (Err(denied()), "denied", Some("forbidden")),
            (Err(ApiError::AlreadyExists), "failed", Some("already_exists")),
            (Err(lost), "unknown", Some("upstream_unavailable")),
        ] {
            let fixture = Fixture::new().await;
            let _ = fixture.attempt(async { result }).await;
            assert_eq!(fixture.outcome().await, Some((outcome.to_owned(), code.map(str::to_owned))));
        }
    }

    #[tokio::test]
    async fn an_attempt_dropped_in_the_middle_is_unknown() {
        let fixture = Fixture::new().await;
        let started = tokio::sync::Notify::new();
        let call = async {
            started.notify_one();
            std::future::pending().await
        };
        tokio::select! {
            _ = fixture.attempt(call) => unreachable!("the call never ends"),
            () = started.notified() => {}
        }
        let written = async {
            while fixture.outcome().await.is_none() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(5), written).await.unwrap();
        assert_eq!(fixture.outcome().await, Some(("unknown".to_owned(), None)));
    }

    #[tokio::test]
    async fn without_its_intent_on_record_nothing_is_done() {
        let fixture = Fixture::new().await;
        fixture.journal.db.pool().close().await;
        let refused = fixture.attempt(async { unreachable!("must not be polled") }).await;
        assert!(matches!(refused, Err(ApiError::Unavailable { .. })));
    }
}
