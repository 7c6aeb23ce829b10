//! The one door for upstream mutations: an intent row before the call, an outcome row after it.
//!
//! Rows say who, what, where and how it ended. Never bodies, tokens or addresses with secrets in them.

use crate::context::RequestContext;
use crate::db::Db;
use crate::error::ApiError;
use spaceport_shared::error::ErrorCode;
use std::future::Future;

/// What somebody is about to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Intent {
    /// Verb of the product: `space.create`, `space.stop` …
    pub action: &'static str,
    pub cluster: String,
    pub kind: &'static str,
    pub namespace: String,
    pub name: String,
    /// Of the object as the caller last saw it; a create has none.
    pub uid: Option<String>,
}

/// How an intent ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
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
pub struct Door {
    db: Db,
}

impl Door {
    pub fn new(db: Db) -> Door {
        Door { db }
    }

    /// Does `call` as the asker, between its two audit rows. `call` is not polled before the intent is on record and
    /// the cluster has confirmed who the asker is.
    ///
    /// # Errors
    /// Those of `call`; `IdentityMismatch` if the cluster knows the asker by another name; the database's own if the
    /// intent cannot be written (then nothing was done).
    pub async fn perform<T>(
        &self,
        ctx: &RequestContext,
        intent: Intent,
        call: impl Future<Output = Result<T, ApiError>>,
    ) -> Result<T, ApiError> {
        let id = self.write_intent(ctx, &intent).await?;
        let interrupted = OnInterrupt { door: self.clone(), id: Some(id.clone()) };
        let result = match ctx.require_verified(&intent.cluster).await {
            Ok(()) => call.await,
            Err(refused) => Err(refused),
        };
        interrupted.disarm();
        let (outcome, code) = match &result {
            Ok(_) => (Outcome::Ok, None),
            Err(error) => (Outcome::of(error), Some(error.code())),
        };
        // The act is done either way: an outcome that cannot be written must not be told as its failure.
        if let Err(error) = self.write_outcome(&id, outcome, code).await {
            tracing::error!(intent = id, outcome = outcome.as_str(), %error, "audit outcome not written");
        }
        result
    }

    async fn write_intent(&self, ctx: &RequestContext, intent: &Intent) -> Result<String, ApiError> {
        let id = crate::middleware::request_id::random();
        let user = ctx.user();
        sqlx::query(
            "INSERT INTO audit_intents (id, at, issuer, subject, session_name, client_ip, request_id, action, \
             cluster, kind, namespace, name, uid) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        )
        .bind(id.clone())
        .bind(crate::clock::now().0)
        .bind(user.issuer.clone())
        .bind(user.subject.clone())
        .bind(user.session_name.clone())
        .bind(ctx.client_ip().map(|ip| ip.to_string()))
        .bind(ctx.request_id().to_owned())
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

/// Records `unknown` when the request is dropped in the middle (time-out, browser gone).
struct OnInterrupt {
    door: Door,
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
        let door = self.door.clone();
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                if let Err(error) = door.write_outcome(&id, Outcome::Unknown, None).await {
                    tracing::error!(intent = id, %error, "audit outcome not written");
                }
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spaceport_shared::error::Layer;

    #[test]
    fn a_lost_connection_is_an_unknown_outcome() {
        let lost = ApiError::UpstreamUnavailable {
            service: crate::error::Upstream::Kubernetes,
            retry_after: std::time::Duration::ZERO,
            cause: anyhow::anyhow!("reset").into(),
        };
        assert_eq!(Outcome::of(&lost), Outcome::Unknown);
        let denied = ApiError::Forbidden { layer: Layer::Cluster, rule: String::new() };
        assert_eq!(Outcome::of(&denied), Outcome::Denied);
        assert_eq!(Outcome::of(&ApiError::AlreadyExists), Outcome::Failed);
    }
}
