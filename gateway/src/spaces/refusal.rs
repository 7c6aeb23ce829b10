//! The add-on's refusals, told beside the field that caused them.
//!
//! Its webhooks answer with text alone; the texts are those of jupyter-k8s (`internal/webhook`). A text that nobody
//! taught us stays a whole-form error with the add-on's own words.

use crate::error::ApiError;
use spaceport_shared::error::{FieldCode, FieldError, Layer};

/// Finds the fields of a refusal.
pub fn locate(error: ApiError) -> ApiError {
    let ApiError::Invalid(fields) = error else { return error };
    if let Some(rule) = fields.iter().find_map(|f| ownership(&f.message)) {
        return ApiError::Forbidden { layer: Layer::Workload, rule: rule.to_owned() };
    }
    ApiError::Invalid(fields.into_iter().flat_map(spread).collect())
}

/// Refusals that are about who asks, not about what.
fn ownership(message: &str) -> Option<&'static str> {
    if message.contains("only workspace owner can") {
        return Some("ownershipType OwnerOnly");
    }
    message.contains("does not have access to service account").then_some("service account users")
}

/// One error for each violation in a text that lists several.
fn spread(field: FieldError) -> Vec<FieldError> {
    if !field.path.is_empty() {
        return vec![FieldError { path: wire_path(&field.path), ..field }];
    }
    let message = &field.message;
    let list = message.split_once(" constraints: ").map_or(message.as_str(), |(_, rest)| rest);
    let list = list.split_once(" violations: ").map_or(list, |(_, rest)| rest);
    list.split("; ").map(|one| place(one.trim())).collect()
}

/// Field paths of the object as the request names them.
fn wire_path(path: &str) -> String {
    match path {
        "metadata.name" => "name".to_owned(),
        "metadata.namespace" => "namespace".to_owned(),
        "spec.storage.size" => "storage.sizeBytes".to_owned(),
        "spec.templateRef" | "spec.templateRef.name" => "template".to_owned(),
        _ if path.starts_with("spec.resources") => resource_path(path).to_owned(),
        _ => path.strip_prefix("spec.").unwrap_or(path).to_owned(),
    }
}

fn resource_path(text: &str) -> &'static str {
    let lower = text.to_ascii_lowercase();
    match () {
        () if lower.contains("memory") => "resources.memoryBytes",
        () if lower.contains("cpu") => "resources.cpuMillis",
        () => "resources.accelerator.count",
    }
}

fn place(message: &str) -> FieldError {
    let of = |path: &str, code| FieldError::new(path, code, message).with("reason", message);
    bounded(message)
        .or_else(|| idle(message))
        .or_else(|| named(message))
        .unwrap_or_else(|| of("", FieldCode::Rejected))
}

/// `cpu request 100m is below minimum 500m required by template 't'`
fn bounded(message: &str) -> Option<FieldError> {
    let (code, name, rest) = if let Some((_, rest)) = message.split_once(" is below minimum ") {
        (FieldCode::BelowMinimum, "min", rest)
    } else if let Some((_, rest)) = message.split_once(" exceeds maximum ") {
        (FieldCode::AboveMaximum, "max", rest)
    } else if message.contains("minimum 8GB memory") {
        return Some(
            FieldError::new("resources.memoryBytes", FieldCode::BelowMinimum, message).with("min", "8Gi"),
        );
    } else {
        return None;
    };
    let path = if message.starts_with("Storage size") { "storage.sizeBytes" } else { resource_path(message) };
    let bound = rest.split_whitespace().next().unwrap_or_default();
    Some(FieldError::new(path, code, message).with(name, bound))
}

fn idle(message: &str) -> Option<FieldError> {
    if let Some((_, rest)) = message.split_once("outside the range [") {
        let (min, max) = rest.split_once(']')?.0.split_once(", ")?;
        let error = FieldError::new("idle.timeoutMinutes", FieldCode::NotAllowed, message);
        return Some(error.with("allowed", format!("{min}-{max}")));
    }
    let is_locked = message.contains("idle shutdown") || message.contains("idleTimeoutInMinutes");
    is_locked.then(|| FieldError::new("idle.enabled", FieldCode::Immutable, message))
}

fn named(message: &str) -> Option<FieldError> {
    let quoted = || message.split('\'').nth(1).unwrap_or_default();
    let of = |path: &str, code| Some(FieldError::new(path, code, message));
    match () {
        () if message.starts_with("Image '") => {
            let allowed = message.split_once("Allowed images: [").map_or("", |(_, rest)| rest);
            let allowed = allowed.trim_end_matches(']').split_whitespace().collect::<Vec<_>>().join(", ");
            of("image", FieldCode::NotAllowed).map(|e| e.with("allowed", allowed))
        }
        () if message.contains("cannot be decreased") => of("storage.sizeBytes", FieldCode::CannotShrink),
        () if message.contains("secondary storage volumes")
            || message.contains("owned by another workspace") =>
        {
            of("volumes", FieldCode::NotAllowed)
        }
        () if message.starts_with("Environment variable '") && message.contains("is required") => {
            of("env", FieldCode::Required).map(|e| e.with("name", quoted()))
        }
        () if message.starts_with("Environment variable '") => {
            of("env", FieldCode::PatternMismatch).map(|e| e.with("name", quoted()))
        }
        () if message.contains("CPU limit must") || message.contains("Memory limit must") => {
            of(resource_path(message), FieldCode::Rejected)
        }
        () if message.contains("failed to get template") => of("template", FieldCode::NotFound),
        () if message.contains("templateRef.namespace") || message.contains("app type must") => {
            of("template", FieldCode::NotAllowed)
        }
        () if message.contains("uses reserved prefix") => of("", FieldCode::Reserved),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn located(message: &str) -> Vec<(String, FieldCode)> {
        let error = ApiError::field(FieldError::new("", FieldCode::Rejected, message));
        match locate(error) {
            ApiError::Invalid(fields) => fields.into_iter().map(|f| (f.path, f.code)).collect(),
            other => panic!("expected fields, got {other:?}"),
        }
    }

    #[test]
    fn each_refusal_of_the_add_on_has_its_field() {
        use FieldCode::*;
        let wrapped = |m: &str| format!("workspace violates template 't' constraints: {m}");
        for (message, path, code) in [
            ("Image 'x' is not allowed by template 't'. Allowed images: [a b]", "image", NotAllowed),
            ("cpu request 9 exceeds maximum 8 allowed by template 't'", "resources.cpuMillis", AboveMaximum),
            (
                "memory limit 1Gi is below minimum 2Gi required by template 't'",
                "resources.memoryBytes",
                BelowMinimum,
            ),
            (
                "nvidia.com/gpu request 5 exceeds maximum 4 allowed by template 't'",
                "resources.accelerator.count",
                AboveMaximum,
            ),
            (
                "Storage size 200Gi exceeds maximum 100Gi allowed by template 't'",
                "storage.sizeBytes",
                AboveMaximum,
            ),
            (
                "Template 't' does not allow secondary storage volumes, but workspace specifies 1 volume(s)",
                "volumes",
                NotAllowed,
            ),
            ("Environment variable 'A' is required by template", "env", Required),
            ("Environment variable 'A' value does not match required pattern", "env", PatternMismatch),
            (
                "Idle timeout 5 minutes is outside the range [10, 60] allowed by template 't'",
                "idle.timeoutMinutes",
                NotAllowed,
            ),
            ("Template 't' does not allow overriding idle shutdown", "idle.enabled", Immutable),
        ] {
            assert_eq!(located(&wrapped(message)), [(path.to_owned(), code)], "{message}");
        }
        assert_eq!(
            located("HyperPod workspace requires minimum 8GB memory for remote access functionality"),
            [("resources.memoryBytes".to_owned(), BelowMinimum)]
        );
        assert_eq!(
            located(
                "failed to apply template defaults: failed to get template X from namespace A or fallback namespace B: not found"
            ),
            [("template".to_owned(), NotFound)]
        );
    }

    #[test]
    fn several_violations_are_several_errors() {
        let both = located(
            "workspace violates template 't' constraints: 2 violations: cpu request 9 exceeds maximum 8 allowed by template 't'; Storage size 1 is below minimum 1Gi required by template 't'",
        );
        assert_eq!(both.len(), 2);
        assert_eq!(both[1].0, "storage.sizeBytes");
    }

    #[test]
    fn an_owners_rule_is_a_denial_and_not_a_field() {
        let error = ApiError::field(FieldError::new(
            "",
            FieldCode::Rejected,
            "access denied: only workspace owner can modify OwnerOnly workspaces",
        ));
        assert!(matches!(locate(error), ApiError::Forbidden { layer: Layer::Workload, .. }));
    }

    #[test]
    fn unknown_words_are_kept_for_the_whole_form() {
        assert_eq!(located("something new"), [(String::new(), FieldCode::Rejected)]);
    }

    #[test]
    fn paths_of_the_object_become_paths_of_the_request() {
        let error = ApiError::field(FieldError::new("spec.storage.size", FieldCode::Rejected, "odd"));
        let ApiError::Invalid(fields) = locate(error) else { panic!("fields stay fields") };
        assert_eq!(fields[0].path, "storage.sizeBytes");
    }
}
