//! The caller inside the process: skips HTTP, authentication and authorization, and nothing else.

use super::Core;
use super::failure::Failure;
use super::identity::UserInfo;
use super::kinds::{self, Kind};
use super::object;
use super::store::{Change, Key};
use super::verbs::{self, DeleteOptions, Patch, Request};
use serde_json::Value;
use std::sync::Arc;
use tokio::sync::broadcast;

/// Acts as one user on one server. `resource` is a plural name; `namespace` is ignored for cluster-scoped kinds.
/// Objects are in their storage version. Validation, admission, versions, finalizers and owners hold as for anybody.
#[derive(Clone)]
pub struct LocalApi {
    core: Arc<Core>,
    user: Arc<UserInfo>,
    manager: Option<Arc<str>>,
}

impl LocalApi {
    pub(super) fn new(core: Arc<Core>, user: UserInfo) -> LocalApi {
        LocalApi { core, user: Arc::new(user), manager: None }
    }

    /// The same server as somebody else.
    pub fn acting_as(&self, user: UserInfo) -> LocalApi {
        LocalApi { core: self.core.clone(), user: Arc::new(user), manager: self.manager.clone() }
    }

    /// Records who owns the fields of what this caller creates, which callers inside the process otherwise do not.
    #[must_use]
    pub fn managed_by(self, manager: &str) -> LocalApi {
        LocalApi { manager: Some(Arc::from(manager)), ..self }
    }

    pub fn get(&self, resource: &str, namespace: &str, name: &str) -> Option<Arc<Value>> {
        let kind = kinds::by_plural(resource)?;
        self.core.store.get(kind, &key(kind, namespace, name))
    }

    /// `None` lists all namespaces. Bodies are shared, not copied.
    pub fn list(&self, resource: &str, namespace: Option<&str>) -> Vec<Arc<Value>> {
        let Some(kind) = kinds::by_plural(resource) else { return Vec::new() };
        self.core.store.list(kind, namespace.filter(|_| kind.namespaced))
    }

    /// Objects whose owner references name this uid, with their plural name.
    pub fn dependents(&self, uid: &str) -> Vec<(&'static str, Arc<Value>)> {
        self.core.store.dependents(uid).into_iter().map(|(kind, object)| (kind.plural, object)).collect()
    }

    /// # Errors
    /// 404 (namespace), 403, 409, 422.
    pub fn create(&self, resource: &str, namespace: &str, object: Value) -> Result<Arc<Value>, Failure> {
        let request = Request::new(verbs::kind_of(resource)?, namespace, "", &self.user);
        let request = Request { manager: self.manager.as_deref(), ..request };
        verbs::create(&self.core, &request, object).map(|written| written.object)
    }

    /// Without metadata.resourceVersion the newest state is replaced, whatever it is.
    ///
    /// # Errors
    /// 404, 403, 409, 422.
    pub fn update(&self, resource: &str, namespace: &str, object: Value) -> Result<Arc<Value>, Failure> {
        self.replace(resource, namespace, "", object)
    }

    /// As [`LocalApi::update`], for the status alone.
    ///
    /// # Errors
    /// 404, 409, 422.
    pub fn update_status(
        &self,
        resource: &str,
        namespace: &str,
        object: Value,
    ) -> Result<Arc<Value>, Failure> {
        self.replace(resource, namespace, "status", object)
    }

    fn replace(
        &self,
        resource: &str,
        namespace: &str,
        sub: &str,
        object: Value,
    ) -> Result<Arc<Value>, Failure> {
        let name = object::name(&object).to_owned();
        let request = Request::new(verbs::kind_of(resource)?, namespace, &name, &self.user);
        let request = Request { subresource: sub, ..request };
        verbs::update(&self.core, &request, object).map(|written| written.object)
    }

    /// # Errors
    /// 404, 403, 409, 422.
    pub fn patch(
        &self,
        resource: &str,
        namespace: &str,
        name: &str,
        merge_patch: Value,
    ) -> Result<Arc<Value>, Failure> {
        let request = Request::new(verbs::kind_of(resource)?, namespace, name, &self.user);
        verbs::patch(&self.core, &request, &Patch::Merge(merge_patch), &Ok).map(|written| written.object)
    }

    /// # Errors
    /// 404, 409, 422.
    pub fn patch_status(
        &self,
        resource: &str,
        namespace: &str,
        name: &str,
        merge_patch: Value,
    ) -> Result<Arc<Value>, Failure> {
        let request = Request::new(verbs::kind_of(resource)?, namespace, name, &self.user);
        let request = Request { subresource: "status", ..request };
        verbs::patch(&self.core, &request, &Patch::Merge(merge_patch), &Ok).map(|written| written.object)
    }

    /// # Errors
    /// 404, 403, 409 when a precondition fails.
    pub fn delete(
        &self,
        resource: &str,
        namespace: &str,
        name: &str,
        options: DeleteOptions,
    ) -> Result<(), Failure> {
        let request = Request::new(verbs::kind_of(resource)?, namespace, name, &self.user);
        verbs::delete(&self.core, &request, &options).map(|_| ())
    }

    /// Every committed change from now on, in order. A receiver that lags must list again.
    pub fn subscribe(&self) -> broadcast::Receiver<Change> {
        self.core.store.subscribe()
    }
}

fn key(kind: &Kind, namespace: &str, name: &str) -> Key {
    Key::new(if kind.namespaced { namespace } else { "" }, name)
}
