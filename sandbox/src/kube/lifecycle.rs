//! The namespace of a new object must exist and stay.

use super::Core;
use super::failure::Failure;
use super::store::Key;
use super::verbs::Request;
use super::{kinds, object, refusals};

/// Checks the namespace that a request creates in.
///
/// # Errors
/// 404 when it does not exist, 403 when it is going away.
pub fn check_namespace(core: &Core, request: &Request<'_>) -> Result<(), Failure> {
    if !request.kind.namespaced {
        return Ok(());
    }
    let namespaces = kinds::by_plural("namespaces").expect("namespaces are always served");
    let Some(namespace) = core.store.get(namespaces, &Key::new("", request.namespace)) else {
        return Err(refusals::not_found(namespaces, request.namespace));
    };
    if object::is_terminating(&namespace) {
        let why = format!(
            "unable to create new content in namespace {} because it is being terminated",
            request.namespace
        );
        let mut failure = refusals::forbidden(request.kind, request.name, &why);
        if let Some(details) = &mut failure.details {
            details["causes"] = serde_json::json!([{
                "reason": "NamespaceTerminating",
                "message": format!("namespace {} is being terminated", request.namespace),
                "field": "metadata.namespace",
            }]);
        }
        return Err(failure);
    }
    Ok(())
}
