//! What Kubernetes' own controllers do about a change, done at once: garbage collection, namespaces, quota.

use super::Core;
use super::kinds::Kind;
use serde_json::Value;

pub fn after_create(_core: &Core, _kind: &'static Kind, _object: &Value) {}
pub fn after_update(_core: &Core, _kind: &'static Kind, _old: &Value, _new: &Value) {}
pub fn after_delete(_core: &Core, _kind: &'static Kind, _gone: &Value) {}
