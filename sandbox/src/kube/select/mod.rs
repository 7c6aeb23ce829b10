//! Label and field selectors.

mod fields;
mod labels;

use super::failure::Failure;
use super::kinds::Kind;
use serde_json::Value;

/// Both selectors of a request; empty ones match everything.
#[derive(Clone, Debug, Default)]
pub struct Selector {
    labels: Vec<labels::Requirement>,
    fields: Vec<fields::Requirement>,
}

impl Selector {
    /// # Errors
    /// 400 in the wording of upstream's parsers.
    pub fn parse(kind: &Kind, label_text: &str, field_text: &str) -> Result<Selector, Failure> {
        Ok(Selector { labels: labels::parse(label_text)?, fields: fields::parse(kind, field_text)? })
    }

    pub fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    pub fn matches(&self, object: &Value) -> bool {
        self.labels.iter().all(|requirement| requirement.matches(object))
            && self.fields.iter().all(|requirement| requirement.matches(object))
    }
}
