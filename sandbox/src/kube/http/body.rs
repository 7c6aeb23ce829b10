//! Request bodies: from bytes to an object of the right kind, with upstream's words for what is wrong with them.

use super::{Call, scan};
use crate::kube::failure::Failure;
use crate::kube::kinds::api_version;
use crate::kube::refusals::{self, FieldError, bad_request, quote};
use crate::kube::{convert, decode};
use serde_json::{Map, Value, json};

/// How much of an unreadable body is quoted back.
const QUOTED: usize = 30;

/// A decoded object in its stored form, and what is odd about it.
pub(super) struct Decoded {
    pub object: Value,
    pub warnings: Vec<String>,
}

/// The media type of the body, without parameters.
pub(super) fn media_type(call: &Call) -> &str {
    media_type_of(&call.headers)
}

pub(super) fn media_type_of(headers: &http::HeaderMap) -> &str {
    let value = headers.get(http::header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.unwrap_or("application/json").split(';').next().unwrap_or_default().trim()
}

pub(super) fn unsupported_media_type(accepted: &[&str]) -> Failure {
    let message = format!(
        "the body of the request was in an unknown format - accepted media types include: {}",
        accepted.join(", ")
    );
    Failure::new(415, "UnsupportedMediaType", message)
}

/// The text of a JSON error as Go words it.
pub(super) fn json_problem(bytes: &[u8], error: &serde_json::Error) -> String {
    scan::duplicates(bytes).err().unwrap_or_else(|| error.to_string())
}

/// JSON or YAML by content type.
fn parse(call: &Call, bytes: &[u8]) -> Result<Value, String> {
    match media_type(call) {
        "application/yaml" => {
            let text = std::str::from_utf8(bytes).map_err(|_| "yaml: invalid UTF-8".to_owned())?;
            serde_saphyr::from_str(text)
                .map_err(|error| format!("error converting YAML to JSON: yaml: {error}"))
        }
        _ => serde_json::from_slice(bytes).map_err(|error| {
            format!("couldn't get version/kind; json parse error: {}", json_problem(bytes, &error))
        }),
    }
}

/// The object of a create or update.
pub(super) fn object(call: &Call) -> Result<Decoded, Failure> {
    let accepted = ["application/json", "application/yaml"];
    if !accepted.contains(&media_type(call)) && !media_type(call).is_empty() {
        let all = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
        return Err(unsupported_media_type(&all));
    }
    let kind = call.served.kind;
    let unrecognized = |why: &str| {
        let summary = summarize(&call.body);
        bad_request(format!(
            "the object provided is unrecognized (must be of type {}): {why} ({summary})",
            kind.kind
        ))
    };
    let object = parse(call, &call.body).map_err(|why| unrecognized(&why))?;
    if !object.is_object() {
        let type_name = decode::go_type(&object);
        return Err(unrecognized(&format!(
            "couldn't get version/kind; json parse error: json: cannot unmarshal {type_name} into Go value of type \
             struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \
             \"json:\\\"kind,omitempty\\\"\" }}"
        )));
    }
    if kind.custom && object["kind"].as_str().is_none_or(str::is_empty) {
        let text = String::from_utf8_lossy(&call.body);
        return Err(unrecognized(&format!("Object 'Kind' is missing in '{text}'")));
    }
    own_type(call, object)
}

/// Checks kind and apiVersion, decodes strictly or not, and converts to the stored form.
pub(super) fn own_type(call: &Call, mut object: Value) -> Result<Decoded, Failure> {
    let kind = call.served.kind;
    let expected = call.served.api_version();
    let given = object["apiVersion"].as_str().unwrap_or_default().to_owned();
    let given_kind = object["kind"].as_str().unwrap_or_default().to_owned();
    let mut warnings = Vec::new();
    if kind.custom {
        if given != expected {
            if given.starts_with(&format!("{}/", call.served.group)) {
                warnings.extend(unknown_version_warnings(&object));
            }
            let message = format!(
                "the API version in the data ({given}) does not match the expected API version ({expected})"
            );
            return Err(bad_request(message).warn(warnings));
        }
        if given_kind != kind.kind {
            return Err(wrong_kind(call, &object, &given_kind));
        }
    } else {
        check_built_in(call, &given, &given_kind, &expected)?;
        object["apiVersion"] = json!(expected);
        object["kind"] = json!(kind.kind);
    }
    warnings.extend(
        decode::check(kind, &mut object, strictness(call)?, twice(call))
            .map_err(|why| cannot_be_handled(call, &why))?,
    );
    convert::to_storage(kind, &call.served.group, &mut object);
    object["apiVersion"] = json!(kind.storage_api_version());
    Ok(Decoded { object, warnings })
}

/// Keys that a JSON body has twice; the last one counts.
fn twice(call: &Call) -> Vec<String> {
    if media_type(call) == "application/yaml" {
        Vec::new()
    } else {
        scan::duplicates(&call.body).unwrap_or_default()
    }
}

fn cannot_be_handled(call: &Call, why: &str) -> Failure {
    let (kind, version) = (call.served.kind.kind, &call.served.version);
    bad_request(format!("{kind} in version \"{version}\" cannot be handled as a {kind}: {why}"))
}

/// A version without a schema knows no field but metadata.
fn unknown_version_warnings(object: &Value) -> Vec<String> {
    let fields = object.as_object().map(Map::keys).into_iter().flatten();
    fields
        .filter(|key| !matches!(key.as_str(), "apiVersion" | "kind" | "metadata"))
        .map(|key| format!("unknown field \"{key}\""))
        .collect()
}

/// What a merge or JSON patch made of an object, checked as an update's body is.
pub(super) fn own_patched(call: &Call, new: Value) -> Result<(Value, Vec<String>), Failure> {
    let kind = call.served.kind;
    let (given, given_kind) = (new["apiVersion"].as_str(), new["kind"].as_str());
    let stored = kind.storage_api_version();
    if given_kind != Some(kind.kind) {
        return Err(wrong_kind(call, &new, given_kind.unwrap_or_default()));
    }
    if given != Some(stored.as_str()) && given != Some(call.served.api_version().as_str()) {
        let error = FieldError::invalid("apiVersion", &new["apiVersion"], &format!("must be {stored}"));
        let warnings = unknown_version_warnings(&new);
        return Err(refusals::invalid(kind, &call.route.name, &[error]).warn(warnings));
    }
    let text = new.to_string();
    let mut new = new;
    let warnings = decode::check(kind, &mut new, strictness(call)?, Vec::new()).map_err(|why| {
        refusals::invalid_as("", "", "", &[FieldError::invalid("patch", &json!(text), &why)])
    })?;
    new["apiVersion"] = json!(stored);
    Ok((new, warnings))
}

/// An applied configuration, which must say its kind and version.
pub(super) fn own_applied(call: &Call, mut object: Value) -> Result<Value, Failure> {
    let expected = call.served.api_version();
    let given = object["apiVersion"].as_str().unwrap_or_default();
    if given != expected {
        let message = format!(
            "the API version in the data ({given}) does not match the expected API version ({expected})"
        );
        return Err(bad_request(message));
    }
    let kind = call.served.kind;
    if object["kind"] != json!(kind.kind) {
        let given = object["kind"].as_str().unwrap_or_default().to_owned();
        return Err(wrong_kind(call, &object, &given));
    }
    decode::check(kind, &mut object, strictness(call)?, Vec::new())
        .map_err(|why| cannot_be_handled(call, &why))?;
    convert::to_storage(kind, &call.served.group, &mut object);
    object["apiVersion"] = json!(kind.storage_api_version());
    Ok(object)
}

fn wrong_kind(call: &Call, object: &Value, given: &str) -> Failure {
    let why = format!("must be {}", call.served.kind.kind);
    let error = FieldError::invalid("kind", &json!(given), &why);
    let name = object["metadata"]["name"].as_str().unwrap_or_default();
    refusals::invalid_as(given, &call.served.group, name, &[error])
}

fn check_built_in(call: &Call, given: &str, given_kind: &str, expected: &str) -> Result<(), Failure> {
    let kind = call.served.kind;
    if (given.is_empty() || given == expected) && (given_kind.is_empty() || given_kind == kind.kind) {
        return Ok(());
    }
    let (group, version) = given.split_once('/').unwrap_or(("", given));
    let known = crate::kube::kinds::by_api_version(given, given_kind);
    let (from_kind, from_version) =
        (given_kind, if given.is_empty() { call.served.version.as_str() } else { version });
    let why = match known {
        Some(_) if given == expected || given.is_empty() => {
            let package =
                if kind.group.is_empty() { "core" } else { kind.group.split('.').next().unwrap_or_default() };
            format!("converting ({version}.{from_kind}) to ({package}.{}): unknown conversion", kind.kind)
        }
        Some(_) => {
            return Err(bad_request(format!(
                "the API version in the data ({given}) does not match the expected API version ({expected})"
            )));
        }
        None => {
            let registered = if group.is_empty() { version.to_owned() } else { api_version(group, version) };
            format!(
                "no kind {} is registered for version {} in scheme \"pkg/api/legacyscheme/scheme.go:30\"",
                quote(from_kind),
                quote(&registered)
            )
        }
    };
    let message =
        format!("{from_kind} in version \"{from_version}\" cannot be handled as a {}: {why}", kind.kind);
    Err(bad_request(message))
}

/// What `fieldValidation` asks for. Upstream's default is Warn.
pub(super) fn strictness(call: &Call) -> Result<decode::Strictness, Failure> {
    match call.query.text("fieldValidation") {
        "Strict" => Ok(decode::Strictness::Strict),
        "Ignore" => Ok(decode::Strictness::Ignore),
        "" | "Warn" => Ok(decode::Strictness::Warn),
        other => {
            let supported = ["", "Ignore", "Strict", "Warn"];
            let error = FieldError::unsupported("fieldValidation", &json!(other), &supported);
            Err(refusals::invalid_as(options_kind(call), "meta.k8s.io", "", &[error]))
        }
    }
}

/// The kind whose validation complains about the query.
pub(super) fn options_kind(call: &Call) -> &'static str {
    match call.route.verb.as_str() {
        "create" => "CreateOptions",
        "update" => "UpdateOptions",
        "patch" => "PatchOptions",
        _ => "DeleteOptions",
    }
}

fn summarize(bytes: &[u8]) -> String {
    let cut = &bytes[..bytes.len().min(QUOTED)];
    let text = match bytes.first() {
        None => return "<empty>".to_owned(),
        Some(b'{') => String::from_utf8_lossy(cut).into_owned(),
        Some(_) => data_encoding::HEXLOWER.encode(cut),
    };
    if bytes.len() > QUOTED { format!("{text} ...") } else { text }
}

/// An optional body that is read on its own terms (`DeleteOptions`).
pub(super) fn options(call: &Call) -> Result<Value, Failure> {
    if call.body.is_empty() {
        return Ok(json!({}));
    }
    parse(call, &call.body).map_err(bad_request)
}
