//! The wording of refusals that many verbs share (apimachinery `errors` and `field.Error`).

use super::failure::Failure;
use super::kinds::Kind;
use serde_json::{Value, json};

/// `details` of a failure about one object: name, group and kind, empty parts left out.
pub fn details(name: &str, group: &str, kind: &str) -> Value {
    let mut details = serde_json::Map::new();
    for (key, value) in [("name", name), ("group", group), ("kind", kind)] {
        if !value.is_empty() {
            details.insert(key.to_owned(), json!(value));
        }
    }
    Value::Object(details)
}

pub fn not_found(kind: &Kind, name: &str) -> Failure {
    Failure::new(404, "NotFound", format!("{} \"{name}\" not found", kind.qualified_plural()))
        .with_details(details(name, kind.group, kind.plural))
}

pub fn already_exists(kind: &Kind, name: &str) -> Failure {
    Failure::new(409, "AlreadyExists", format!("{} \"{name}\" already exists", kind.qualified_plural()))
        .with_details(details(name, kind.group, kind.plural))
}

pub fn conflict(kind: &Kind, name: &str, why: &str) -> Failure {
    let message = format!("Operation cannot be fulfilled on {} \"{name}\": {why}", kind.qualified_plural());
    Failure::new(409, "Conflict", message).with_details(details(name, kind.group, kind.plural))
}

/// The object changed since the caller read it.
pub fn modified(kind: &Kind, name: &str) -> Failure {
    conflict(
        kind,
        name,
        "the object has been modified; please apply your changes to the latest version and try again",
    )
}

pub fn forbidden(kind: &Kind, name: &str, why: &str) -> Failure {
    Failure::new(403, "Forbidden", format!("{} \"{name}\" is forbidden: {why}", kind.qualified_plural()))
        .with_details(details(name, kind.group, kind.plural))
}

pub fn bad_request(message: impl Into<String>) -> Failure {
    Failure::new(400, "BadRequest", message)
}

pub fn expired(message: impl Into<String>) -> Failure {
    Failure::new(410, "Expired", message)
}

/// 422 with one cause a field. The same message twice is shown once, its causes stay (as upstream aggregates).
pub fn invalid(kind: &Kind, name: &str, errors: &[FieldError]) -> Failure {
    invalid_as(kind.kind, kind.group, name, errors)
}

/// As [`invalid`], for a kind that is not stored (`DeleteOptions`).
pub fn invalid_as(kind: &str, group: &str, name: &str, errors: &[FieldError]) -> Failure {
    let mut texts: Vec<String> = Vec::new();
    for error in errors {
        let text = format!("{}: {}", error.field, error.message);
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let joined = if texts.len() == 1 { texts.remove(0) } else { format!("[{}]", texts.join(", ")) };
    let qualified = if group.is_empty() { kind.to_owned() } else { format!("{kind}.{group}") };
    let mut about = details(name, group, kind);
    about["causes"] = errors
        .iter()
        .map(|error| json!({"reason": error.reason, "message": error.message, "field": error.field}))
        .collect();
    Failure::new(422, "Invalid", format!("{qualified} \"{name}\" is invalid: {joined}")).with_details(about)
}

/// One cause of a 422.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldError {
    pub field: String,
    pub reason: &'static str,
    pub message: String,
}

impl FieldError {
    fn new(field: impl Into<String>, reason: &'static str, message: String) -> FieldError {
        FieldError { field: field.into(), reason, message }
    }

    pub fn required(field: impl Into<String>, detail: &str) -> FieldError {
        let message =
            if detail.is_empty() { "Required value".to_owned() } else { format!("Required value: {detail}") };
        FieldError::new(field, "FieldValueRequired", message)
    }

    pub fn invalid(field: impl Into<String>, value: &Value, detail: &str) -> FieldError {
        FieldError::new(field, "FieldValueInvalid", format!("Invalid value: {}: {detail}", show(value)))
    }

    /// Where the value is too big to be shown.
    pub fn invalid_without_value(field: impl Into<String>, detail: &str) -> FieldError {
        FieldError::new(field, "FieldValueInvalid", format!("Invalid value: {detail}"))
    }

    /// `shown` is the name of the type found.
    pub fn wrong_type(field: impl Into<String>, shown: &str, detail: &str) -> FieldError {
        FieldError::new(field, "FieldValueTypeInvalid", format!("Invalid value: \"{shown}\": {detail}"))
    }

    pub fn unsupported(field: impl Into<String>, value: &Value, supported: &[&str]) -> FieldError {
        let list: Vec<String> = supported.iter().map(|s| quote(s)).collect();
        let message = format!("Unsupported value: {}: supported values: {}", show(value), list.join(", "));
        FieldError::new(field, "FieldValueNotSupported", message)
    }

    pub fn forbidden(field: impl Into<String>, detail: &str) -> FieldError {
        FieldError::new(field, "FieldValueForbidden", format!("Forbidden: {detail}"))
    }

    pub fn duplicate(field: impl Into<String>, value: &Value) -> FieldError {
        FieldError::new(field, "FieldValueDuplicate", format!("Duplicate value: {}", show(value)))
    }

    pub fn too_long(field: impl Into<String>, limit: usize) -> FieldError {
        let message = format!("Too long: may not be more than {limit} bytes");
        FieldError::new(field, "FieldValueTooLong", message)
    }

    pub fn too_many(field: impl Into<String>, count: usize, limit: usize) -> FieldError {
        let message = format!("Too many: {count}: must have at most {limit} items");
        FieldError::new(field, "FieldValueTooMany", message)
    }

    /// Says that rules were not looked at, because of other errors (apiextensions).
    pub fn rules_skipped() -> FieldError {
        let why = "some validation rules were not checked because the object was invalid; correct the existing \
                   errors to complete validation";
        FieldError::invalid("<nil>", &Value::Null, why)
    }

    /// An error that keeps rules from being evaluated.
    pub fn blocks_rules(&self) -> bool {
        matches!(
            self.reason,
            "FieldValueNotSupported"
                | "FieldValueRequired"
                | "FieldValueTooLong"
                | "FieldValueTooMany"
                | "FieldValueTypeInvalid"
        )
    }

    pub fn not_found(field: impl Into<String>, value: &Value) -> FieldError {
        FieldError::new(field, "FieldValueNotFound", format!("Not found: {}", show(value)))
    }
}

fn show(value: &Value) -> String {
    match value {
        Value::String(text) => quote(text),
        other => other.to_string(),
    }
}

/// Go's `%q`: quotes with escapes; printable letters of any language stay.
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            other if other.is_control() => quoted.push_str(&format!("\\x{:02x}", other as u32)),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}
