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
    /// What few failures have; boxed, for results pass through many hands.
    pub(crate) extra: Option<Box<Extra>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Extra {
    continue_token: Option<String>,
    warnings: Vec<String>,
}

impl Failure {
    pub fn new(code: u16, reason: &str, message: impl Into<String>) -> Failure {
        Failure {
            code,
            reason: reason.to_owned(),
            message: message.into(),
            details: None,
            retry_after: None,
            extra: None,
        }
    }

    #[must_use]
    pub fn with_details(mut self, details: Value) -> Failure {
        self.details = Some(details);
        self
    }

    /// Adds warnings for the client, before those that are there.
    #[must_use]
    pub fn warn(mut self, warnings: Vec<String>) -> Failure {
        if !warnings.is_empty() {
            self.extra.get_or_insert_default().warnings.splice(0..0, warnings);
        }
        self
    }

    /// Says how an expired list can go on.
    #[must_use]
    pub fn with_continue_token(mut self, token: String) -> Failure {
        self.extra.get_or_insert_default().continue_token = Some(token);
        self
    }

    /// For Warning headers.
    pub fn warnings(&self) -> &[String] {
        self.extra.as_ref().map_or(&[], |extra| extra.warnings.as_slice())
    }

    /// The `v1/Status` body.
    pub fn body(&self) -> Value {
        let mut body = json!({
            "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure",
            "message": self.message, "code": self.code,
        });
        if let Some(token) = self.extra.as_ref().and_then(|extra| extra.continue_token.as_ref()) {
            body["metadata"]["continue"] = json!(token);
        }
        if !self.reason.is_empty() {
            body["reason"] = json!(self.reason);
        }
        if let Some(details) = &self.details {
            body["details"] = details.clone();
        }
        body
    }
}
