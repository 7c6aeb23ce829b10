//! Where the rest of the sandbox plugs into the API server. Each trait has several implementations today.

use super::failure::Failure;
use super::identity::UserInfo;
use serde_json::Value;
use std::sync::Arc;

/// Turns a bearer token into a user. Static persona tokens and EKS tokens are the two implementations.
pub trait Authenticator: Send + Sync {
    /// `None`: not a token of this kind, ask the next. `Some(Err(why))`: of this kind and bad; `why` is for the
    /// server's log, the caller only sees 401.
    fn authenticate(&self, bearer: &str) -> Option<Result<UserInfo, String>>;
}

/// What is asked of an authorizer; empty strings where the field does not apply.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Attributes {
    pub verb: String,
    pub group: String,
    pub version: String,
    pub resource: String,
    pub subresource: String,
    pub namespace: String,
    pub name: String,
    /// Non-resource requests (`/healthz`) set this and nothing but the verb.
    pub path: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Allowed; the reason as a review reports it.
    Allow(String),
    NoOpinion,
}

/// One source of rights. RBAC (from the stored roles) and the EKS access policies are the two implementations;
/// rights add up, nothing denies.
pub trait Authorizer: Send + Sync {
    fn authorize(&self, user: &UserInfo, attributes: &Attributes) -> Verdict;
    /// False for EKS access policies: a SubjectAccessReview about somebody else does not see them
    /// (docs/SANDBOX.md, Rights).
    fn answers_reviews_about_others(&self) -> bool;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Create,
    Update,
    Delete,
}

/// A write on its way into the store.
pub struct AdmissionRequest<'a> {
    pub user: &'a UserInfo,
    pub operation: Operation,
    /// Plural name (`workspaces`); unique in the sandbox.
    pub resource: &'a str,
    pub subresource: &'a str,
    pub namespace: &'a str,
    pub name: &'a str,
    /// The stored object; `None` on create.
    pub old: Option<&'a Value>,
    pub dry_run: bool,
}

/// An admission plug-in: the Spaces webhooks, the add-on's policies, ResourceQuota.
/// Called without any lock of the store held, so it may read through its own `LocalApi`.
pub trait Admission: Send + Sync {
    /// May change the object (create and update). Returns warnings for the client.
    fn mutate(&self, _request: &AdmissionRequest<'_>, _object: &mut Value) -> Result<Vec<String>, Failure> {
        Ok(Vec::new())
    }
    /// May refuse. `object` is the new state; on delete the stored one.
    fn validate(&self, _request: &AdmissionRequest<'_>, _object: &Value) -> Result<Vec<String>, Failure> {
        Ok(Vec::new())
    }
}

/// Query of a log request, as kubectl sends it.
#[derive(Clone, Debug, Default)]
pub struct LogOptions {
    pub container: Option<String>,
    pub follow: bool,
    pub previous: bool,
    pub tail_lines: Option<usize>,
    pub since_seconds: Option<i64>,
    pub limit_bytes: Option<usize>,
    pub timestamps: bool,
}

/// Serves `pods/log`. Lines come without a trailing newline; the stream ends when the channel closes.
pub trait PodLogs: Send + Sync {
    fn open(
        &self,
        pod: &Value,
        container: &str,
        options: &LogOptions,
    ) -> Result<tokio::sync::mpsc::Receiver<String>, Failure>;
}

/// Serves a create-only resource of an aggregated API (`workspaceconnections` and its siblings): nothing is stored.
pub trait AggregatedCreate: Send + Sync {
    /// Answers status code and body. Authorization has already been checked. `body` is the raw request body: the
    /// real extension server parses it itself and words its own errors.
    fn create(&self, user: &UserInfo, namespace: &str, resource: &str, body: &[u8]) -> (u16, Value);
}

/// What plugs into one API server.
#[derive(Clone, Default)]
pub struct Hooks {
    pub authenticators: Vec<Arc<dyn Authenticator>>,
    /// Besides RBAC, which is always there.
    pub authorizers: Vec<Arc<dyn Authorizer>>,
    pub admission: Vec<Arc<dyn Admission>>,
    pub pod_logs: Option<Arc<dyn PodLogs>>,
    pub connections: Option<Arc<dyn AggregatedCreate>>,
}
