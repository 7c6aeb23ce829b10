//! Field selectors: comparisons of the few fields that each kind offers.

use crate::kube::failure::Failure;
use crate::kube::kinds::Kind;
use crate::kube::refusals::bad_request;
use serde_json::Value;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Requirement {
    field: String,
    value: String,
    equal: bool,
}

impl Requirement {
    pub(super) fn matches(&self, object: &Value) -> bool {
        (value_of(object, &self.field) == self.value) == self.equal
    }
}

/// The fields of a kind besides metadata.name and metadata.namespace.
fn extra_fields(plural: &str) -> &'static [&'static str] {
    match plural {
        "pods" => &[
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "spec.hostNetwork",
            "status.phase",
            "status.podIP",
            "status.podIPs",
            "status.nominatedNodeName",
        ],
        "events" => &[
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "source",
            "type",
        ],
        "namespaces" => &["status.phase"],
        "nodes" => &["spec.unschedulable"],
        "secrets" => &["type"],
        "services" => &["spec.clusterIP", "spec.type"],
        "replicasets" => &["status.replicas"],
        "jobs" => &["status.successful"],
        _ => &[],
    }
}

fn value_of(object: &Value, field: &str) -> String {
    if field == "source" {
        let component = object["source"]["component"].as_str().unwrap_or_default();
        let reporter = object["reportingComponent"].as_str().unwrap_or_default();
        return if component.is_empty() { reporter } else { component }.to_owned();
    }
    let found = field.split('.').fold(object, |value, part| &value[part]);
    match found {
        Value::String(text) => text.clone(),
        Value::Null if matches!(field, "spec.unschedulable" | "spec.hostNetwork") => "false".to_owned(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

pub(super) fn parse(kind: &Kind, text: &str) -> Result<Vec<Requirement>, Failure> {
    let mut requirements = Vec::new();
    for part in split(text) {
        if part.is_empty() {
            continue;
        }
        let requirement = parse_one(text, &part)?;
        check_field(kind, &requirement.field)?;
        requirements.push(requirement);
    }
    Ok(requirements)
}

fn check_field(kind: &Kind, field: &str) -> Result<(), Failure> {
    let common = field == "metadata.name" || field == "metadata.namespace";
    let aliases: &[&str] = if kind.plural == "events" {
        &["regarding.kind", "regarding.namespace", "regarding.name", "regarding.uid"]
    } else {
        &[]
    };
    if common || extra_fields(kind.plural).contains(&field) || aliases.contains(&field) {
        return Ok(());
    }
    let message = match kind.group {
        "" if matches!(
            kind.plural,
            "nodes" | "secrets" | "persistentvolumes" | "services" | "replicationcontrollers"
        ) =>
        {
            format!("field label not supported: {field}")
        }
        _ if !kind.custom && extra_fields(kind.plural).is_empty() => {
            format!(
                "\"{field}\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\""
            )
        }
        _ => format!("field label not supported: {field}"),
    };
    Err(bad_request(message))
}

/// Splits at commas that are not escaped.
fn split(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut escaped = false;
    for letter in text.chars() {
        if letter == ',' && !escaped {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            last.push(letter);
        }
        escaped = letter == '\\' && !escaped;
    }
    parts
}

fn parse_one(whole: &str, part: &str) -> Result<Requirement, Failure> {
    let mut escaped = false;
    for (at, letter) in part.char_indices() {
        if !escaped {
            for (operator, equal) in [("!=", false), ("==", true), ("=", true)] {
                if part[at..].starts_with(operator) {
                    let value = unescape(&part[at + operator.len()..])?;
                    let field = part[..at].replace("regarding.", "involvedObject.");
                    return Ok(Requirement { field, value, equal });
                }
            }
        }
        escaped = letter == '\\' && !escaped;
    }
    Err(bad_request(format!("invalid selector: '{whole}'; can't understand '{part}'")))
}

fn unescape(text: &str) -> Result<String, Failure> {
    let mut value = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some(next @ ('\\' | ',' | '=')) => value.push(next),
                Some(other) => {
                    return Err(bad_request(format!(
                        "invalid field selector: invalid escape sequence: \\{other}"
                    )));
                }
                None => return Err(bad_request("invalid field selector: invalid escape sequence: \\")),
            },
            ',' | '=' => {
                return Err(bad_request(format!(
                    "invalid field selector: unescaped character in value: {}",
                    u32::from(letter)
                )));
            }
            other => value.push(other),
        }
    }
    Ok(value)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use serde_json::json;

    fn pods(text: &str) -> Result<Vec<Requirement>, Failure> {
        parse(crate::kube::kinds::by_plural("pods").unwrap(), text)
    }

    #[test]
    fn both_comparisons_work() {
        let pod = json!({"metadata": {"name": "p"}, "spec": {"nodeName": "n"}});
        let matches = |text: &str| pods(text).unwrap().iter().all(|r| r.matches(&pod));
        assert!(matches("spec.nodeName=n,metadata.name!=q"));
        assert!(matches("status.phase="));
        assert!(!matches("spec.nodeName!=n"));
    }

    #[test]
    fn an_unknown_field_is_refused() {
        assert_eq!(pods("spec.image=x").unwrap_err().message, "field label not supported: spec.image");
    }
}
