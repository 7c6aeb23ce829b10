//! Delete of a whole collection: each matching object by itself.

use super::{DeleteOptions, Request, delete};
use crate::kube::Core;
use crate::kube::failure::Failure;
use crate::kube::object;
use serde_json::Value;
use std::sync::Arc;

/// Deletes every object of the request's kind and namespace that matches; answers them as they were.
///
/// # Errors
/// The first refusal other than "already gone".
pub fn delete_collection(
    core: &Core,
    request: &Request<'_>,
    options: &DeleteOptions,
    matches: &dyn Fn(&Value) -> bool,
) -> Result<Vec<Arc<Value>>, Failure> {
    let namespace = (!request.namespace.is_empty()).then_some(request.namespace);
    let mut found = core.store.list(request.kind, namespace);
    found.retain(|object| matches(object));
    for object in &found {
        let one = Request {
            api_version: request.api_version.clone(),
            namespace: object::namespace(object),
            name: object::name(object),
            ..*request
        };
        match delete(core, &one, options) {
            Ok(_) => {}
            Err(failure) if failure.code == 404 => {}
            Err(failure) => return Err(failure),
        }
    }
    Ok(found)
}
