//! What the Spaces add-on does to writes before they are stored: its webhooks and its admission policies.

mod bounds;
mod defaults;
mod idle;
mod ownership;
pub mod policies;
mod spaces;
mod templates;
#[cfg(test)]
mod tests;

use self::spaces::Webhooks;
use super::fields::is_deleting;
use super::names::{ADMIN_GROUP, SYSTEM_NAMESPACE};
use crate::kube::LocalApi;
use crate::kube::failure::Failure;
use crate::kube::hooks::{Admission, AdmissionRequest, Operation};
use serde_json::Value;

/// How the operator was installed.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Second place where templates and strategies are looked up (`--default-template-namespace`).
    pub shared_namespace: String,
    pub admin_group: String,
    /// Turns the memory policy on.
    pub remote_access: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            shared_namespace: SYSTEM_NAMESPACE.to_owned(),
            admin_group: ADMIN_GROUP.to_owned(),
            remote_access: false,
        }
    }
}

/// The plug-in. `api` acts as the operator.
pub struct SpacesAdmission {
    api: LocalApi,
    settings: Settings,
}

impl SpacesAdmission {
    pub fn new(api: LocalApi, settings: Settings) -> SpacesAdmission {
        SpacesAdmission { api, settings }
    }

    fn webhooks(&self) -> Webhooks<'_> {
        Webhooks { api: &self.api, settings: &self.settings }
    }
}

impl Admission for SpacesAdmission {
    fn mutate(&self, request: &AdmissionRequest<'_>, object: &mut Value) -> Result<Vec<String>, Failure> {
        // A Space on its way out must lose its finalizer even if its template is gone.
        if !request.subresource.is_empty() || request.resource != "workspaces" || is_deleting(object) {
            return Ok(Vec::new());
        }
        self.webhooks().mutate(request, object).map_err(|why| denied("mworkspace-v1alpha1.kb.io", &why))?;
        Ok(Vec::new())
    }

    fn validate(&self, request: &AdmissionRequest<'_>, object: &Value) -> Result<Vec<String>, Failure> {
        match request.resource {
            _ if !request.subresource.is_empty() => Ok(Vec::new()),
            "workspaces" => self.validate_space(request, object),
            "workspacetemplates" => validate_template(request, object),
            _ => Ok(Vec::new()),
        }
    }
}

impl SpacesAdmission {
    fn validate_space(&self, request: &AdmissionRequest<'_>, space: &Value) -> Result<Vec<String>, Failure> {
        if request.operation != Operation::Delete {
            policies::check(space, self.settings.remote_access)?;
        }
        let webhooks = self.webhooks();
        let verdict = match (request.operation, request.old) {
            (Operation::Create, _) | (Operation::Update, None) => webhooks.validate_create(request, space),
            (Operation::Update, Some(old)) => webhooks.validate_update(request, old, space),
            (Operation::Delete, _) => webhooks.validate_delete(request, space),
        };
        verdict.map_err(|why| denied("vworkspace-v1alpha1.kb.io", &why))?;
        Ok(Vec::new())
    }
}

fn validate_template(request: &AdmissionRequest<'_>, template: &Value) -> Result<Vec<String>, Failure> {
    if request.operation == Operation::Delete || is_deleting(template) {
        return Ok(Vec::new());
    }
    templates::check(template).map_err(|why| denied("vworkspacetemplate-v1alpha1.kb.io", &why))?;
    let changed = request.old.is_some_and(|old| templates::constraints_changed(old, template));
    Ok(if changed { vec![templates::CHANGED.to_owned()] } else { Vec::new() })
}

/// A webhook's refusal as the API server passes it on.
fn denied(webhook: &str, why: &str) -> Failure {
    Failure::new(403, "Forbidden", format!("admission webhook \"{webhook}\" denied the request: {why}"))
}
