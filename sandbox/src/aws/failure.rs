//! Errors of the AWS endpoint in the three protocols it speaks.

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde_json::{Map, Value, json};

/// How a service words requests and errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// STS: form in, XML out.
    Query,
    /// EKS.
    RestJson,
    /// SageMaker: JSON 1.1.
    Json,
}

impl Protocol {
    pub fn of_service(service: &str) -> Option<Protocol> {
        match service {
            "sts" => Some(Protocol::Query),
            "eks" => Some(Protocol::RestJson),
            "sagemaker" => Some(Protocol::Json),
            _ => None,
        }
    }
}

/// A refusal as AWS words it.
#[derive(Clone, Debug, PartialEq)]
pub struct AwsFailure {
    pub status: u16,
    pub code: &'static str,
    pub message: String,
    /// Modelled members beside the message (`clusterName`).
    pub members: Map<String, Value>,
}

impl AwsFailure {
    pub fn new(status: u16, code: &'static str, message: impl Into<String>) -> AwsFailure {
        AwsFailure { status, code, message: message.into(), members: Map::new() }
    }

    /// The caller may not do this (an identity policy is missing).
    pub fn denied(protocol: Protocol, caller: &str, action: &str, resource: &str) -> AwsFailure {
        let (status, code) = match protocol {
            Protocol::Query => (403, "AccessDenied"),
            Protocol::RestJson => (403, "AccessDeniedException"),
            Protocol::Json => (400, "AccessDeniedException"),
        };
        let on = if resource.is_empty() { String::new() } else { format!(" on resource: {resource}") };
        let because = match protocol {
            Protocol::Query => String::new(),
            _ => format!(" because no identity-based policy allows the {action} action"),
        };
        AwsFailure::new(
            status,
            code,
            format!("User: {caller} is not authorized to perform: {action}{on}{because}"),
        )
    }

    pub fn respond(&self, protocol: Protocol, request_id: &str) -> Response {
        respond(protocol, request_id, self.status, self.code, &self.message, &self.members)
    }
}

/// An error in the protocol's form.
pub fn respond(
    protocol: Protocol,
    request_id: &str,
    status: u16,
    code: &str,
    message: &str,
    members: &Map<String, Value>,
) -> Response {
    let (content_type, body) = match protocol {
        Protocol::Query => {
            let kind = if status < 500 { "Sender" } else { "Receiver" };
            let body = format!(
                "<ErrorResponse xmlns=\"{STS_NAMESPACE}\"><Error><Type>{kind}</Type><Code>{}</Code>\
                 <Message>{}</Message></Error><RequestId>{request_id}</RequestId></ErrorResponse>",
                escape_xml(code),
                escape_xml(message)
            );
            ("text/xml", body)
        }
        Protocol::RestJson => {
            let mut body = members.clone();
            body.insert("message".to_owned(), json!(message));
            ("application/json", Value::Object(body).to_string())
        }
        Protocol::Json => {
            // Errors of the service's model write `Message`, those of the common front end `message`.
            let key = if MODELLED.contains(&code) { "Message" } else { "message" };
            ("application/x-amz-json-1.1", json!({"__type": code, key: message}).to_string())
        }
    };
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, [(header::CONTENT_TYPE, content_type)], body).into_response();
    if let Ok(code) = HeaderValue::from_str(code) {
        response.headers_mut().insert("x-amzn-errortype", code);
    }
    response
}

pub const STS_NAMESPACE: &str = "https://sts.amazonaws.com/doc/2011-06-15/";
const MODELLED: [&str; 4] =
    ["ConflictException", "ResourceNotFound", "ResourceLimitExceeded", "ResourceInUse"];

pub fn escape_xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&apos;"),
            // XML 1.0 has no way to write these.
            c if c.is_control() && !matches!(c, '\n' | '\r' | '\t') => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_a_message_stays_text() {
        assert_eq!(escape_xml("<a b='c'>&\u{1}"), "&lt;a b=&apos;c&apos;&gt;&amp;\u{fffd}");
    }
}
