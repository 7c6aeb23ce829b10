//! One answer against its recording: status, headers, body.

use super::compare::Comparison;
use super::load::{Answer, Transcript};
use super::placeholders::{Bindings, expand, shorten};
use super::send::Received;
use data_encoding::BASE64;
use serde_json::Value;

/// The headers that clients act on.
const HEADERS: [&str; 4] = ["Content-Type", "Retry-After", "Warning", "Location"];

/// Every difference between an answer and its recording.
pub fn differences(
    transcript: &Transcript,
    expected: &Answer,
    received: &Received,
    bindings: &mut Bindings,
) -> Vec<String> {
    let mut comparison = Comparison {
        bindings,
        unstable: &transcript.unstable,
        reduced: transcript.is_reduced(),
        differences: Vec::new(),
    };
    if expected.status != received.status {
        if comparison.is_unstable("/response/status") {
            return Vec::new();
        }
        let text = super::placeholders::shorten(&String::from_utf8_lossy(&received.body));
        comparison
            .report("/status", format_args!("expected {}, got {}: {text}", expected.status, received.status));
        return comparison.differences;
    }
    for name in HEADERS {
        compare_header(&mut comparison, name, expected, received);
    }
    compare_body(&mut comparison, transcript, expected, received);
    comparison.differences
}

/// The message of a `Status`, or the beginning of the body.
fn said(received: &Received) -> String {
    let body: Value = serde_json::from_slice(&received.body).unwrap_or_default();
    let text = String::from_utf8_lossy(&received.body);
    shorten(body["message"].as_str().unwrap_or(&text))
}

fn compare_header(comparison: &mut Comparison<'_>, name: &str, expected: &Answer, received: &Received) {
    let at = format!("/response/headers/{name}");
    let wanted = expected.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    let wanted: Vec<&str> = match wanted.map(|(_, value)| value) {
        Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).collect(),
        Some(value) => value.as_str().into_iter().collect(),
        None => Vec::new(),
    };
    let found = received.header(name);
    if wanted.len() == found.len() {
        for (wanted, found) in wanted.iter().zip(&found) {
            comparison.text(&at, wanted, found);
        }
    } else if !comparison.is_unstable(&at) {
        comparison.report(&at, format_args!("expected {wanted:?}, got {found:?}"));
    }
}

fn compare_body(
    comparison: &mut Comparison<'_>,
    transcript: &Transcript,
    expected: &Answer,
    received: &Received,
) {
    let head = transcript.request.as_ref().is_some_and(|request| request.method == "HEAD");
    if let Some(lines) = &expected.lines {
        match received.events() {
            Ok(events) => comparison.events("/response/lines", lines, &events),
            Err(error) => comparison.report("/response/lines", format_args!("{error:#}")),
        }
    } else if let Some(body) = &expected.body {
        compare_json(comparison, body, expected, received);
    } else if let Some(text) = &expected.body_text {
        comparison.text("/response/body_text", &expand(text), &String::from_utf8_lossy(&received.body));
    } else if let Some(binary) = &expected.body_binary {
        let start = binary["head_base64"].as_str().and_then(|text| BASE64.decode(text.as_bytes()).ok());
        if !received.body.starts_with(&start.unwrap_or_default()) {
            comparison.report("/response/body_binary", "does not start as recorded");
        }
    } else if !head && !received.body.is_empty() {
        comparison.report("/response/body", "expected none");
    }
}

fn compare_json(comparison: &mut Comparison<'_>, body: &Value, expected: &Answer, received: &Received) {
    let actual: Value = match serde_json::from_slice(&received.body) {
        Ok(actual) => actual,
        Err(error) => {
            let text = said(received);
            return comparison.report("/response/body", format_args!("not JSON ({error}): {text}"));
        }
    };
    comparison.json("/response/body", body, &actual);
    let pretty = received.body.windows(2).any(|pair| pair == b"\n ");
    if pretty != expected.pretty {
        comparison.report("/response/pretty", format_args!("expected {}, got {pretty}", expected.pretty));
    }
    let newline = received.body.last() == Some(&b'\n');
    if expected.ends_with_newline.is_some_and(|wanted| wanted != newline)
        && !comparison.is_unstable("/response/ends_with_newline")
    {
        comparison.report("/response/ends_with_newline", format_args!("got {newline}"));
    }
}
