//! The `Status` object that every refused request answers with.

use serde_json::{Value, json};

/// A refusal as the API server words it: HTTP code, machine reason, message, details.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    pub code: u16,
    /// Empty where the real server leaves it out (the aggregated connection API does).
    pub reason: String,
    pub message: String,
    pub details: Option<Value>,
    /// Seconds for the Retry-After header.
    pub retry_after: Option<u32>,
    /// `metadata` of the body: a fresh continue token, or empty.
    pub metadata: Value,
    /// For Warning headers.
    pub warnings: Vec<String>,
}

impl Failure {
    pub fn new(code: u16, reason: &str, message: impl Into<String>) -> Failure {
        Failure {
            code,
            reason: reason.to_owned(),
            message: message.into(),
            details: None,
            retry_after: None,
            metadata: json!({}),
            warnings: Vec::new(),
        }
    }

    #[must_use]
    pub fn with_details(mut self, details: Value) -> Failure {
        self.details = Some(details);
        self
    }

    #[must_use]
    pub fn warn(mut self, warnings: Vec<String>) -> Failure {
        self.warnings.splice(0..0, warnings);
        self
    }

    /// The `v1/Status` body.
    pub fn body(&self) -> Value {
        let mut body = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": self.metadata, "status": "Failure",
            "message": self.message, "code": self.code,
        });
        if !self.reason.is_empty() {
            body["reason"] = json!(self.reason);
        }
        if let Some(details) = &self.details {
            body["details"] = details.clone();
        }
        body
    }
}
