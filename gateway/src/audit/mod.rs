//! The one door for upstream mutations: an intent row before the call, an outcome row after it.

mod journal;

use crate::context::RequestContext;
use crate::db::Db;
use crate::error::ApiError;
use journal::{Actor, Journal};
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

#[derive(Clone, Debug)]
pub struct Door {
    journal: Journal,
}

impl Door {
    pub fn new(db: Db) -> Door {
        Door { journal: Journal::new(db) }
    }

    /// Does `call` as the asker, between its two audit rows. `call` is not polled before the intent is on record and
    /// the cluster has confirmed who the asker is. Checks of our own that may refuse belong inside it, so that a denial
    /// is on record too.
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
        let actor = Actor { user: ctx.user(), request_id: ctx.request_id(), client_ip: ctx.client_ip() };
        let verified = async {
            ctx.require_verified(&intent.cluster).await?;
            call.await
        };
        self.journal.attempt(&actor, &intent, verified).await
    }
}
