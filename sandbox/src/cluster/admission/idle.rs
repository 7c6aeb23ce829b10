//! The idle policy of a template: how far a Space may set its own idle shutdown.
//!
//! No `idleShutdownOverrides`: no check. `allow: false`: pinned to the template's default, except for a timeout within
//! bounds that are both set. `allow: true`: anything, within the bounds that are set.

use crate::cluster::fields::is_unset;
use serde_json::{Map, Value};

/// What the Space's `idleShutdown` violates, if anything.
pub(super) fn violation(idle: &Value, rules: &Value, template: &str) -> Option<String> {
    let overrides = &rules["idleShutdownOverrides"];
    if !overrides.is_object() {
        return None;
    }
    let bounds = Bounds {
        min: overrides["minIdleTimeoutInMinutes"].as_i64(),
        max: overrides["maxIdleTimeoutInMinutes"].as_i64(),
    };
    let timeout = idle["idleTimeoutInMinutes"].as_i64();
    if overrides["allow"] != false {
        let timeout = timeout.filter(|_| idle["enabled"] == true)?;
        return (!bounds.contain(timeout)).then(|| bounds.sentence(timeout, template));
    }
    let default = &rules["defaultIdleShutdown"];
    if same(idle, default) {
        return None;
    }
    let open = bounds.min.is_some() && bounds.max.is_some();
    if !open {
        return Some(format!(
            "Template '{template}' does not allow overriding idle shutdown; it must match the template default"
        ));
    }
    if without_timeout(idle) != without_timeout(default) {
        return Some(format!(
            "Template '{template}' does not allow overriding idle shutdown; only idleTimeoutInMinutes may differ"
        ));
    }
    let timeout = timeout.unwrap_or_default();
    (!bounds.contain(timeout)).then(|| bounds.sentence(timeout, template))
}

/// Both unset, or equal.
fn same(idle: &Value, default: &Value) -> bool {
    idle == default || (is_unset(idle) && is_unset(default))
}

fn without_timeout(idle: &Value) -> Map<String, Value> {
    let mut rest = idle.as_object().cloned().unwrap_or_default();
    rest.remove("idleTimeoutInMinutes");
    rest
}

struct Bounds {
    min: Option<i64>,
    max: Option<i64>,
}

impl Bounds {
    fn contain(&self, minutes: i64) -> bool {
        self.min.is_none_or(|min| minutes >= min) && self.max.is_none_or(|max| minutes <= max)
    }

    fn sentence(&self, minutes: i64, template: &str) -> String {
        let show = |bound: Option<i64>| bound.map_or_else(|| "unbounded".to_owned(), |b| b.to_string());
        format!(
            "Idle timeout {minutes} minutes is outside the range [{}, {}] allowed by template '{template}'",
            show(self.min),
            show(self.max)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn idle(enabled: bool, minutes: i64) -> Value {
        json!({"enabled": enabled, "idleTimeoutInMinutes": minutes, "detection": {"httpGet": {"port": 8888}}})
    }

    fn rules(allow: bool, min: Option<i64>, max: Option<i64>) -> Value {
        let mut overrides = json!({"allow": allow});
        if let Some(min) = min {
            overrides["minIdleTimeoutInMinutes"] = json!(min);
        }
        if let Some(max) = max {
            overrides["maxIdleTimeoutInMinutes"] = json!(max);
        }
        json!({"defaultIdleShutdown": idle(true, 60), "idleShutdownOverrides": overrides})
    }

    #[test]
    fn without_overrides_nothing_is_checked() {
        assert_eq!(violation(&idle(true, 9999), &json!({"defaultIdleShutdown": idle(true, 60)}), "t"), None);
    }

    #[test]
    fn an_allowed_override_keeps_to_the_bounds_that_are_set() {
        assert_eq!(violation(&idle(true, 30), &rules(true, None, None), "t"), None);
        assert_eq!(
            violation(&idle(true, 30), &rules(true, Some(60), Some(120)), "t").as_deref(),
            Some("Idle timeout 30 minutes is outside the range [60, 120] allowed by template 't'")
        );
        assert_eq!(
            violation(&idle(false, 30), &rules(true, Some(60), None), "t"),
            None,
            "off has no timeout"
        );
    }

    #[test]
    fn a_locked_policy_is_pinned_to_the_default() {
        assert_eq!(violation(&idle(true, 60), &rules(false, None, None), "t"), None);
        assert!(
            violation(&idle(true, 61), &rules(false, None, Some(90)), "t").is_some(),
            "one bound unset: pinned"
        );
        assert!(
            violation(&Value::Null, &rules(false, None, None), "t").is_some(),
            "leaving it out is an override"
        );
    }

    #[test]
    fn a_locked_policy_with_bounds_lets_only_the_timeout_differ() {
        let rules = rules(false, Some(30), Some(90));
        assert_eq!(violation(&idle(true, 45), &rules, "t"), None);
        assert!(violation(&idle(true, 20), &rules, "t").is_some_and(|m| m.contains("[30, 90]")));
        assert!(
            violation(&idle(false, 45), &rules, "t").is_some_and(|m| m.contains("only idleTimeoutInMinutes"))
        );
    }
}
