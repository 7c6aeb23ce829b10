//! Templates and strategies in use cannot go: their deletion waits until the last user is gone.

use super::OPERATOR;
use crate::cluster::fields::{finalizers, is_deleting, items, namespace, text};
use crate::cluster::names::{STRATEGY_FINALIZER, STRATEGY_TEMPLATE_FINALIZER, TEMPLATE_FINALIZER};
use crate::cluster::queue::Id;
use crate::cluster::workloads::log_lost;
use crate::cluster::world::World;
use serde_json::{Value, json};

pub fn template(world: &mut World, id: &Id) {
    let Some(template) = world.operator.get("workspacetemplates", &id.namespace, &id.name) else {
        return;
    };
    if !is_deleting(&template) {
        return;
    }
    if world.template_users.get(id).is_some_and(|users| !users.is_empty()) {
        let message = "Cannot delete template: in use by workspace(s)";
        return world.events.warning(OPERATOR, &template, "TemplateInUse", message);
    }
    release(world, "workspacetemplates", &template, &[TEMPLATE_FINALIZER]);
}

pub fn strategy(world: &mut World, id: &Id) {
    let Some(strategy) = world.operator.get("workspaceaccessstrategies", &id.namespace, &id.name) else {
        return;
    };
    if !is_deleting(&strategy) {
        return;
    }
    let mut free = Vec::new();
    if world.strategy_users.get(id).is_none_or(|users| users.is_empty()) {
        free.push(STRATEGY_FINALIZER);
    }
    let named_by = |template: &Value| {
        let reference = &template["spec"]["defaultAccessStrategy"];
        let place = reference["namespace"].as_str().unwrap_or(namespace(template));
        text(&reference["name"]) == id.name && place == id.namespace
    };
    if !world.operator.list("workspacetemplates", None).iter().any(|template| named_by(template)) {
        free.push(STRATEGY_TEMPLATE_FINALIZER);
    }
    release(world, "workspaceaccessstrategies", &strategy, &free);
}

fn release(world: &World, resource: &str, object: &Value, free: &[&str]) {
    let rest: Vec<&str> = finalizers(object).filter(|finalizer| !free.contains(finalizer)).collect();
    if rest.len() < items(&object["metadata"]["finalizers"]).len() {
        let id = Id::of(object);
        let patch = json!({"metadata": {"finalizers": rest}});
        log_lost("protection", world.operator.patch(resource, &id.namespace, &id.name, patch));
    }
}
