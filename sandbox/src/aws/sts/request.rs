//! The parameters of AssumeRole and their limits (STS API reference).

use crate::aws::failure::AwsFailure;
use regex::Regex;
use std::collections::BTreeMap;
use std::sync::LazyLock;

pub struct AssumeRole {
    pub role_arn: String,
    pub session_name: String,
    pub source_identity: Option<String>,
    pub seconds: i64,
    /// Of the packed tags, in percent of what STS accepts.
    pub packed_percent: usize,
}

const LEAST_SECONDS: i64 = 900;
const MOST_SECONDS: i64 = 43_200;
const DEFAULT_SECONDS: i64 = 3600;
const MOST_TAGS: usize = 50;
/// What STS accepts after packing is not published; this much of plain text is always too much.
const MOST_TAG_BYTES: usize = 2048;

static NAME: LazyLock<Regex> = LazyLock::new(|| regex("^[A-Za-z0-9_+=,.@-]*$"));
static TAG: LazyLock<Regex> = LazyLock::new(|| regex(r"^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$"));

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is constant and tested")
}

impl AssumeRole {
    /// # Errors
    /// ValidationError and its relatives, in the words of STS.
    pub fn read(fields: &BTreeMap<String, String>) -> Result<AssumeRole, AwsFailure> {
        for unsupported in
            ["Policy", "PolicyArns.member.1.arn", "ProvidedContexts.member.1.ProviderArn", "TokenCode"]
        {
            if fields.contains_key(unsupported) {
                return Err(invalid(&format!("The sandbox does not implement {unsupported}")));
            }
        }
        let role_arn = fields.get("RoleArn").ok_or_else(|| null("roleArn"))?.clone();
        let session_name = fields.get("RoleSessionName").ok_or_else(|| null("roleSessionName"))?.clone();
        check_name("roleSessionName", &session_name, 64)?;
        let source_identity = fields.get("SourceIdentity").cloned();
        if let Some(identity) = &source_identity {
            check_name("sourceIdentity", identity, 256)?;
            if identity.to_ascii_lowercase().starts_with("aws:") {
                return Err(invalid("Source identity must not start with aws:"));
            }
        }
        let seconds = match fields.get("DurationSeconds") {
            None => DEFAULT_SECONDS,
            Some(text) => text.parse().map_err(|_| invalid("DurationSeconds is not an integer"))?,
        };
        if !(LEAST_SECONDS..=MOST_SECONDS).contains(&seconds) {
            let bound = if seconds < LEAST_SECONDS {
                "greater than or equal to 900"
            } else {
                "less than or equal to 43200"
            };
            return Err(constraint(&seconds.to_string(), "durationSeconds", &format!("have value {bound}")));
        }
        let packed_percent = check_tags(fields)?;
        Ok(AssumeRole { role_arn, session_name, source_identity, seconds, packed_percent })
    }
}

fn check_name(field: &str, value: &str, most: usize) -> Result<(), AwsFailure> {
    if value.chars().count() < 2 {
        return Err(constraint(value, field, "have length greater than or equal to 2"));
    }
    if value.chars().count() > most {
        return Err(constraint(value, field, &format!("have length less than or equal to {most}")));
    }
    if !NAME.is_match(value) {
        return Err(constraint(value, field, "satisfy regular expression pattern: [\\w+=,.@-]*"));
    }
    Ok(())
}

/// Checks the session tags; they are then forgotten, as they appear in AWS only in the record of this call.
fn check_tags(fields: &BTreeMap<String, String>) -> Result<usize, AwsFailure> {
    let mut keys = Vec::new();
    let mut bytes = 0;
    for index in 1.. {
        let Some(key) = fields.get(&format!("Tags.member.{index}.Key")) else { break };
        let value = fields.get(&format!("Tags.member.{index}.Value")).map_or("", String::as_str);
        let at = format!("tags.{index}.member");
        check_tag(&format!("{at}.key"), key, 1, 128)?;
        check_tag(&format!("{at}.value"), value, 0, 256)?;
        let folded = key.to_lowercase();
        if keys.contains(&folded) {
            return Err(AwsFailure::new(
                400,
                "InvalidParameterValue",
                "Duplicate tag keys found. Please note that Tag keys are case insensitive.",
            ));
        }
        keys.push(folded);
        bytes += key.len() + value.len();
    }
    if keys.len() > MOST_TAGS {
        return Err(constraint("[…]", "tags", &format!("have length less than or equal to {MOST_TAGS}")));
    }
    if bytes > MOST_TAG_BYTES {
        return Err(AwsFailure::new(
            400,
            "PackedPolicyTooLarge",
            format!(
                "Packed policy consumes {}% of allotted space, please use smaller policy.",
                bytes * 100 / MOST_TAG_BYTES
            ),
        ));
    }
    Ok(bytes * 100 / MOST_TAG_BYTES)
}

fn check_tag(field: &str, text: &str, least: usize, most: usize) -> Result<(), AwsFailure> {
    let length = text.chars().count();
    if length < least {
        return Err(constraint(text, field, &format!("have length greater than or equal to {least}")));
    }
    if length > most {
        return Err(constraint(text, field, &format!("have length less than or equal to {most}")));
    }
    if !TAG.is_match(text) {
        return Err(constraint(
            text,
            field,
            "satisfy regular expression pattern: [\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]+",
        ));
    }
    Ok(())
}

fn null(field: &str) -> AwsFailure {
    invalid(&format!(
        "1 validation error detected: Value null at '{field}' failed to satisfy constraint: Member must not be null"
    ))
}

fn constraint(value: &str, field: &str, must: &str) -> AwsFailure {
    invalid(&format!(
        "1 validation error detected: Value '{value}' at '{field}' failed to satisfy constraint: Member must {must}"
    ))
}

pub fn invalid(message: &str) -> AwsFailure {
    AwsFailure::new(400, "ValidationError", message)
}
