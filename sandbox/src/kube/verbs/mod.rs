//! What the API does with objects, independent of HTTP: create, update, patch, delete, and the steps they share.
//!
//! Admission runs without the store's lock; each verb commits against the state it saw and starts over or answers a
//! conflict when that state is gone.

mod admit;
mod collection;
mod create;
mod delete;
mod patch;
mod update;

use super::Core;
use super::failure::Failure;
use super::identity::UserInfo;
use super::kinds::{self, Kind};
use super::refusals;
use super::store::Key;
pub use collection::delete_collection;
pub use create::create;
pub use delete::{DeleteOptions, Deleted, Propagation, delete};
pub use patch::{Patch, patch};
use serde_json::Value;
use std::sync::Arc;
pub use update::update;

/// Attempts of a write that is not bound to a version before it gives up with a conflict.
const ATTEMPTS: usize = 5;

/// One write on its way through the verbs.
pub struct Request<'a> {
    pub kind: &'static Kind,
    /// The apiVersion the client speaks; field ownership is recorded in it.
    pub api_version: String,
    pub namespace: &'a str,
    /// Empty on create.
    pub name: &'a str,
    /// `status`, `scale`, or empty.
    pub subresource: &'a str,
    pub user: &'a UserInfo,
    pub dry_run: bool,
    /// Records field ownership under this name; `None` leaves managedFields alone. Callers inside the process pass
    /// none: ten thousand Spaces with four objects each would spend most of the memory on it.
    pub manager: Option<&'a str>,
    /// The configuration of a server-side apply that creates the object.
    pub applied: Option<&'a Value>,
}

impl<'a> Request<'a> {
    pub fn new(kind: &'static Kind, namespace: &'a str, name: &'a str, user: &'a UserInfo) -> Request<'a> {
        Request {
            kind,
            api_version: kind.storage_api_version(),
            namespace: if kind.namespaced { namespace } else { "" },
            name,
            subresource: "",
            user,
            dry_run: false,
            manager: None,
            applied: None,
        }
    }

    pub fn key(&self) -> Key {
        Key::new(self.namespace, self.name)
    }
}

/// A committed (or dry-run) write.
#[derive(Debug)]
pub struct Written {
    pub object: Arc<Value>,
    /// For the client's Warning headers.
    pub warnings: Vec<String>,
}

/// The stored object, or 404.
pub fn read(core: &Core, kind: &'static Kind, key: &Key) -> Result<Arc<Value>, Failure> {
    core.store.get(kind, key).ok_or_else(|| refusals::not_found(kind, &key.name))
}

/// The kind of a plural name; 404 as for an unknown path when there is none.
pub fn kind_of(resource: &str) -> Result<&'static Kind, Failure> {
    kinds::by_plural(resource).ok_or_else(|| {
        Failure::new(404, "NotFound", "the server could not find the requested resource")
            .with_details(serde_json::json!({}))
    })
}
