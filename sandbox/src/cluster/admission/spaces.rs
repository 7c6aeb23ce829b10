//! The Spaces webhooks: what they change in a Space, and what they refuse, in the operator's order.

use super::{Settings, bounds, defaults, ownership};
use crate::cluster::fields::{self, is_unset, items, label, name, namespace, quantity, spelled, text};
use crate::cluster::names::{
    CREATED_BY, LABEL_DEFAULT_ACCOUNT, LABEL_DEFAULT_TEMPLATE, LABEL_STRATEGY, LABEL_STRATEGY_NAMESPACE,
    LABEL_TEMPLATE, LABEL_TEMPLATE_NAMESPACE, LAST_UPDATED_BY, STRATEGY_FINALIZER, TEMPLATE_FINALIZER, claim,
    escape_username,
};
use crate::kube::LocalApi;
use crate::kube::hooks::{AdmissionRequest, Operation};
use serde_json::{Value, json};
use std::sync::Arc;

/// Reads what the webhooks look up, as the operator.
pub(super) struct Webhooks<'a> {
    pub api: &'a LocalApi,
    pub settings: &'a Settings,
}

impl Webhooks<'_> {
    /// Fills and stamps a Space on its way in.
    pub fn mutate(&self, request: &AdmissionRequest<'_>, space: &mut Value) -> Result<(), String> {
        set_default(space, "desiredStatus", "Running");
        stamp(request, space);
        self.choose_default_template(space, request.namespace)?;
        let template = self.resolve_template(space, request.namespace)?;
        match &template {
            Some(template) => defaults::fill(space, template),
            None => remove_labels(space, &[LABEL_TEMPLATE, LABEL_TEMPLATE_NAMESPACE]),
        }
        self.label_strategy(space, request.namespace);
        self.choose_account(space, request.namespace);
        set_default(space, "ownershipType", "Public");
        let ownership = text(&space["spec"]["ownershipType"]).to_owned();
        set_default(space, "accessType", &ownership);
        self.check_scopes(space, request.namespace)?;
        self.protect_references(request, space, template.as_deref())
    }

    /// The one template that is labelled as the default, of the own or else the shared namespace.
    fn choose_default_template(&self, space: &mut Value, own: &str) -> Result<(), String> {
        if !text(&space["spec"]["templateRef"]["name"]).is_empty() {
            return Ok(());
        }
        for place in [own, &self.settings.shared_namespace] {
            let found: Vec<Arc<Value>> = self
                .api
                .list("workspacetemplates", Some(place))
                .into_iter()
                .filter(|template| label(template, LABEL_DEFAULT_TEMPLATE) == "true")
                .collect();
            match found.as_slice() {
                [] => {}
                [one] => {
                    space["spec"]["templateRef"] = json!({"name": name(one), "namespace": place});
                    return Ok(());
                }
                _ => {
                    return Err(format!(
                        "multiple templates found with default-template label in namespace {place}, expected exactly one"
                    ));
                }
            }
        }
        Ok(())
    }

    /// The template a Space names, with the shared namespace as the second place to look.
    fn resolve_template(&self, space: &Value, own: &str) -> Result<Option<Arc<Value>>, String> {
        let reference = &space["spec"]["templateRef"];
        let wanted = text(&reference["name"]);
        if wanted.is_empty() {
            return Ok(None);
        }
        let first = Some(text(&reference["namespace"])).filter(|n| !n.is_empty()).unwrap_or(own);
        let shared = self.settings.shared_namespace.as_str();
        let find = |place: &str| self.api.get("workspacetemplates", place, wanted);
        find(first).or_else(|| find(shared)).map(Some).ok_or_else(|| {
            let fallback =
                if first == shared { String::new() } else { format!(" or fallback namespace {shared}") };
            format!(
                "failed to apply template defaults: failed to get template {wanted} from namespace {first}{fallback}: \
                 workspacetemplates.workspace.jupyter.org \"{wanted}\" not found"
            )
        })
    }

    fn label_strategy(&self, space: &mut Value, own: &str) {
        let reference = space["spec"]["accessStrategy"].clone();
        if is_unset(&reference["name"]) {
            return remove_labels(space, &[LABEL_STRATEGY, LABEL_STRATEGY_NAMESPACE]);
        }
        let place = Some(text(&reference["namespace"])).filter(|n| !n.is_empty()).unwrap_or(own);
        fields::set_label(space, LABEL_STRATEGY, text(&reference["name"]));
        fields::set_label(space, LABEL_STRATEGY_NAMESPACE, place);
    }

    fn choose_account(&self, space: &mut Value, own: &str) {
        if is_unset(&space["spec"]["serviceAccountName"]) {
            let accounts = self.api.list("serviceaccounts", Some(own));
            let marked = accounts.iter().find(|account| label(account, LABEL_DEFAULT_ACCOUNT) == "true");
            space["spec"]["serviceAccountName"] = json!(marked.map_or("default", |account| name(account)));
        }
    }

    fn check_scopes(&self, space: &Value, own: &str) -> Result<(), String> {
        let shared = &self.settings.shared_namespace;
        let spec = &space["spec"];
        ownership::check_scope("templateRef", "templates", &spec["templateRef"], own, shared)?;
        self.check_strategy_scope(spec, own)
    }

    fn check_strategy_scope(&self, spec: &Value, own: &str) -> Result<(), String> {
        let shared = &self.settings.shared_namespace;
        ownership::check_scope("accessStrategy", "access strategies", &spec["accessStrategy"], own, shared)
    }

    /// Template and strategy cannot go while a Space uses them.
    fn protect_references(
        &self,
        request: &AdmissionRequest<'_>,
        space: &Value,
        template: Option<&Value>,
    ) -> Result<(), String> {
        if let Some(template) = template {
            self.add_finalizer(request, "workspacetemplates", template, TEMPLATE_FINALIZER);
        }
        let (strategy, place) = (label(space, LABEL_STRATEGY), label(space, LABEL_STRATEGY_NAMESPACE));
        if strategy.is_empty() {
            return Ok(());
        }
        let found = self.api.get("workspaceaccessstrategies", place, strategy);
        let found = found
            .ok_or_else(|| format!("referenced AccessStrategy {strategy} not found in namespace {place}"))?;
        self.add_finalizer(request, "workspaceaccessstrategies", &found, STRATEGY_FINALIZER);
        Ok(())
    }

    fn add_finalizer(&self, request: &AdmissionRequest<'_>, resource: &str, object: &Value, finalizer: &str) {
        if request.dry_run || fields::is_deleting(object) || fields::has_finalizer(object, finalizer) {
            return;
        }
        let mut finalizers: Vec<&str> = fields::finalizers(object).collect();
        finalizers.push(finalizer);
        let patch = json!({"metadata": {"finalizers": finalizers}});
        // Lost only to a concurrent change of the template; the operator adds it again with its next look.
        if let Err(failure) = self.api.patch(resource, namespace(object), name(object), patch) {
            tracing::warn!(resource, name = name(object), failure.message, "cannot protect a reference");
        }
    }

    pub fn validate_create(&self, request: &AdmissionRequest<'_>, space: &Value) -> Result<(), String> {
        self.check_template(space, request.namespace)?;
        self.check_strategy_scope(&space["spec"], request.namespace)?;
        self.check_volumes(space, request.namespace)?;
        if ownership::is_exempt(request.user, &self.settings.admin_group) {
            return Ok(());
        }
        ownership::check_reserved(None, space)?;
        self.check_account(request, space)
    }

    pub fn validate_update(
        &self,
        request: &AdmissionRequest<'_>,
        old: &Value,
        space: &Value,
    ) -> Result<(), String> {
        if fields::is_deleting(space) || ownership::is_exempt(request.user, &self.settings.admin_group) {
            return Ok(());
        }
        ownership::check_reserved(Some(old), space)?;
        self.check_account(request, space)?;
        ownership::check_owner(request.user, old, space)?;
        if needs_template_check(&old["spec"], &space["spec"]) {
            self.check_template(space, request.namespace)?;
        }
        self.check_shrinking(space, request)?;
        self.check_strategy_scope(&space["spec"], request.namespace)?;
        self.check_volumes(space, request.namespace)
    }

    pub fn validate_delete(&self, request: &AdmissionRequest<'_>, space: &Value) -> Result<(), String> {
        if ownership::is_exempt(request.user, &self.settings.admin_group) {
            return Ok(());
        }
        ownership::check_owner(request.user, space, space)
    }

    fn check_template(&self, space: &Value, own: &str) -> Result<(), String> {
        let template = self.resolve_template(space, own)?;
        match template.and_then(|template| bounds::denial(space, &template)) {
            Some(denial) => Err(denial),
            None => Ok(()),
        }
    }

    fn check_account(&self, request: &AdmissionRequest<'_>, space: &Value) -> Result<(), String> {
        let wanted = text(&space["spec"]["serviceAccountName"]);
        // A missing account is the pod's problem, not the webhook's.
        match self.api.get("serviceaccounts", request.namespace, wanted) {
            Some(account) => ownership::check_account(request.user, &account),
            None => Ok(()),
        }
    }

    /// A volume grows or stays: compared with the claim that exists.
    fn check_shrinking(&self, space: &Value, request: &AdmissionRequest<'_>) -> Result<(), String> {
        let Some(claim) = self.api.get("persistentvolumeclaims", request.namespace, &claim(request.name))
        else {
            return Ok(());
        };
        let (now, wanted) =
            (&claim["spec"]["resources"]["requests"]["storage"], &space["spec"]["storage"]["size"]);
        match (quantity(now), quantity(wanted)) {
            (Some(is), Some(asked)) if asked < is => Err(format!(
                "workspace violates storage constraints: Storage size cannot be decreased from {} to {}: volumes do \
                 not support shrinking, only expansion is allowed",
                spelled(now),
                spelled(wanted)
            )),
            _ => Ok(()),
        }
    }

    /// No Space may mount the disk of another.
    fn check_volumes(&self, space: &Value, own: &str) -> Result<(), String> {
        for volume in items(&space["spec"]["volumes"]) {
            let claim_name = text(&volume["persistentVolumeClaimName"]);
            let Some(claim) = self.api.get("persistentvolumeclaims", own, claim_name) else { continue };
            if let Some(owner) = fields::owner(&claim, "Workspace").filter(|owner| *owner != name(space)) {
                return Err(format!(
                    "workspace violates volume ownership constraints: Volume '{}' references PVC '{claim_name}' which \
                     is owned by another workspace '{owner}'",
                    text(&volume["name"])
                ));
            }
        }
        Ok(())
    }
}

fn set_default(space: &mut Value, field: &str, value: &str) {
    if is_unset(&space["spec"][field]) {
        fields::map_mut(space, "spec").insert(field.to_owned(), json!(value));
    }
}

/// created-by is the person who creates, whatever they say; last-updated-by is whoever writes, the operator included.
fn stamp(request: &AdmissionRequest<'_>, space: &mut Value) {
    let user = escape_username(&request.user.username);
    if request.operation == Operation::Create {
        fields::set_annotation(space, CREATED_BY, &user);
    }
    fields::set_annotation(space, LAST_UPDATED_BY, &user);
}

fn remove_labels(space: &mut Value, keys: &[&str]) {
    if let Some(labels) = space["metadata"]["labels"].as_object_mut() {
        labels.retain(|key, _| !keys.contains(&key.as_str()));
    }
}

/// A stop and an unchanged spec are never measured against the template; everything else is, starting included,
/// against the template as it is today.
fn needs_template_check(old: &Value, new: &Value) -> bool {
    let reference = |spec: &Value| text(&spec["templateRef"]["name"]).to_owned();
    if reference(new).is_empty() || old == new {
        return false;
    }
    if old["templateRef"] != new["templateRef"] {
        return true;
    }
    let mut stopped = old.clone();
    stopped["desiredStatus"] = json!("Stopped");
    stopped != *new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_stopping_escapes_the_template() {
        let spec = |status: &str, image: &str| json!({"templateRef": {"name": "t"}, "desiredStatus": status, "image": image});
        let old = spec("Running", "a");
        assert!(!needs_template_check(&old, &old));
        assert!(!needs_template_check(&old, &spec("Stopped", "a")));
        assert!(needs_template_check(&old, &spec("Stopped", "b")), "a stop with another change");
        assert!(needs_template_check(&spec("Stopped", "a"), &old), "a start");
        assert!(
            !needs_template_check(&old, &json!({"desiredStatus": "Running", "image": "b"})),
            "reference removed"
        );
    }
}
