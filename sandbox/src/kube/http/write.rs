//! Create, update, patch and delete over HTTP: options, bodies, answers.

use super::{Call, answer, body, delete_options, list, represent};
use crate::kube::failure::Failure;
use crate::kube::refusals::{self, FieldError, bad_request, details};
use crate::kube::verbs::{self, Deleted, Patch, Request};
use axum::response::Response;
use serde_json::{Value, json};

const JSON_PATCH: &str = "application/json-patch+json";
const MERGE_PATCH: &str = "application/merge-patch+json";
const STRATEGIC_PATCH: &str = "application/strategic-merge-patch+json";
const APPLY_PATCH: &str = "application/apply-patch+yaml";
/// Longest name of a field manager.
const MANAGER_LENGTH: usize = 128;

/// The options that all writes share.
struct Options {
    dry_run: bool,
    manager: String,
}

fn options(call: &Call) -> Result<Options, Failure> {
    let mut errors = Vec::new();
    let runs: Vec<&str> = call.query.all("dryRun").collect();
    if runs.iter().any(|run| *run != "All") {
        errors.push(FieldError::unsupported("dryRun", &json!(runs), &["All"]));
    }
    let manager = call.query.text("fieldManager");
    if manager.len() > MANAGER_LENGTH {
        errors.push(FieldError::too_long("fieldManager", MANAGER_LENGTH));
    }
    if let Some(letter) = manager.chars().find(|letter| letter.is_control()) {
        let why = format!("should only contain printable characters (invalid character {letter:?})");
        errors.push(FieldError::invalid("fieldManager", &json!(manager), &why));
    }
    if !errors.is_empty() {
        return Err(refusals::invalid_as(body::options_kind(call), "meta.k8s.io", "", &errors));
    }
    Ok(Options { dry_run: !runs.is_empty(), manager: manager_name(&call.headers, manager) })
}

/// Without a name, the program that the user agent speaks of.
pub(super) fn manager_name(headers: &http::HeaderMap, given: &str) -> String {
    if !given.is_empty() {
        return given.to_owned();
    }
    let agent = headers.get(http::header::USER_AGENT).and_then(|agent| agent.to_str().ok());
    let program = agent.unwrap_or_default().split('/').next().unwrap_or_default();
    let program: String =
        program.chars().filter(|letter| !letter.is_control()).take(MANAGER_LENGTH).collect();
    if program.is_empty() { "unknown".to_owned() } else { program }
}

fn request<'c>(call: &'c Call, options: &'c Options, name: &'c str) -> Request<'c> {
    let namespace = call.route.namespace.as_str();
    Request {
        api_version: call.served.api_version(),
        subresource: &call.route.subresource,
        dry_run: options.dry_run,
        manager: Some(&options.manager),
        ..Request::new(call.served.kind, namespace, name, &call.user)
    }
}

pub(super) fn create(call: &Call) -> Result<Response, Failure> {
    let options = options(call)?;
    let decoded = body::object(call)?;
    let mut written = verbs::create(&call.core, &request(call, &options, ""), decoded.object)
        .map_err(|failure| failure.warn(decoded.warnings.clone()))?;
    written.warnings.splice(0..0, decoded.warnings);
    Ok(represent::object(call, 201, &written.object, &written.warnings))
}

pub(super) fn update(call: &Call) -> Result<Response, Failure> {
    let options = options(call)?;
    if call.route.subresource == "scale" {
        let request = request(call, &options, &call.route.name);
        let written = verbs::update(&call.core, &request, body::options(call)?)?;
        return Ok(answer::json(200, &crate::kube::scale::of(&written.object)));
    }
    let decoded = body::object(call)?;
    let mut written = verbs::update(&call.core, &request(call, &options, &call.route.name), decoded.object)
        .map_err(|failure| failure.warn(decoded.warnings.clone()))?;
    written.warnings.splice(0..0, decoded.warnings);
    Ok(represent::object(call, 200, &written.object, &written.warnings))
}

pub(super) fn patch(call: &Call) -> Result<Response, Failure> {
    let media_type = body::media_type(call);
    check_patch_options(call, media_type)?;
    let options = options(call)?;
    let request = request(call, &options, &call.route.name);
    let patch = decode_patch(call, media_type)?;
    let existed = call.core.store.get(request.kind, &request.key()).is_some();
    let unknown = std::cell::RefCell::new(Vec::new());
    let check = |new: Value| {
        let (new, warnings) = body::own_patched(call, new)?;
        unknown.replace(warnings);
        Ok(new)
    };
    let written = verbs::patch(&call.core, &request, &patch, &check);
    let unknown = unknown.into_inner();
    let mut written = written.map_err(|failure| failure.warn(unknown.clone()))?;
    written.warnings.splice(0..0, unknown);
    if call.route.subresource == "scale" {
        return Ok(answer::json(200, &crate::kube::scale::of(&written.object)));
    }
    Ok(represent::object(call, if existed { 200 } else { 201 }, &written.object, &written.warnings))
}

fn check_patch_options(call: &Call, media_type: &str) -> Result<(), Failure> {
    let refuse = |error| Err(refusals::invalid_as("PatchOptions", "meta.k8s.io", "", &[error]));
    if media_type == APPLY_PATCH {
        if call.query.text("fieldManager").is_empty() {
            return refuse(FieldError::required("fieldManager", "is required for apply patch"));
        }
    } else if call.query.get("force").is_some() {
        return refuse(FieldError::forbidden("force", "may not be specified for non-apply patch"));
    }
    Ok(())
}

fn decode_patch(call: &Call, media_type: &str) -> Result<Patch, Failure> {
    let built_in = !call.served.kind.custom;
    match media_type {
        MERGE_PATCH => Ok(Patch::Merge(object_patch(call)?)),
        JSON_PATCH => json_patch(call),
        STRATEGIC_PATCH if built_in => Ok(Patch::Strategic(object_patch(call)?)),
        APPLY_PATCH => apply_patch(call),
        _ if built_in => {
            Err(body::unsupported_media_type(&[JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, APPLY_PATCH]))
        }
        _ => Err(body::unsupported_media_type(&[JSON_PATCH, MERGE_PATCH, APPLY_PATCH])),
    }
}

fn decoding(why: &str) -> Failure {
    bad_request(format!("error decoding patch: {why}"))
}

fn object_patch(call: &Call) -> Result<Value, Failure> {
    let patch: Value = serde_json::from_slice(&call.body)
        .map_err(|error| decoding(&body::json_problem(&call.body, &error)))?;
    if patch.is_object() {
        return Ok(patch);
    }
    let found = crate::kube::decode::go_type(&patch);
    Err(decoding(&format!("json: cannot unmarshal {found} into Go value of type map[string]interface {{}}")))
}

fn json_patch(call: &Call) -> Result<Patch, Failure> {
    let steps: Value = serde_json::from_slice(&call.body)
        .map_err(|error| decoding(&body::json_problem(&call.body, &error)))?;
    let Value::Array(steps) = steps else {
        let found = crate::kube::decode::go_type(&steps);
        return Err(decoding(&format!(
            "json: cannot unmarshal {found} into Go value of type []handlers.jsonPatchOp"
        )));
    };
    Ok(Patch::Json(steps))
}

fn apply_patch(call: &Call) -> Result<Patch, Failure> {
    let text =
        std::str::from_utf8(&call.body).map_err(|_| bad_request("error decoding YAML: invalid UTF-8"))?;
    let object: Value =
        serde_saphyr::from_str(text).map_err(|error| bad_request(format!("error decoding YAML: {error}")))?;
    if !object.is_object() {
        return Err(bad_request("error decoding YAML: the body is no object"));
    }
    let decoded = body::own_applied(call, object)?;
    Ok(Patch::Apply { object: decoded, force: call.query.flag("force") })
}

pub(super) fn delete(call: &Call) -> Result<Response, Failure> {
    let mut shared = options(call)?;
    let (options, dry_run) = delete_options::read(call)?;
    shared.dry_run |= dry_run;
    let request = request(call, &shared, &call.route.name);
    let deleted = verbs::delete(&call.core, &request, &options)?;
    Ok(deleted_answer(call, &deleted))
}

/// Kinds whose delete answers the object even when it is gone.
const ANSWER_THE_OBJECT: &[&str] =
    &["pods", "services", "serviceaccounts", "persistentvolumeclaims", "persistentvolumes", "resourcequotas"];

fn deleted_answer(call: &Call, deleted: &Deleted) -> Response {
    let kind = call.served.kind;
    if !deleted.gone || ANSWER_THE_OBJECT.contains(&kind.plural) {
        return represent::object(call, 200, &deleted.object, &deleted.warnings);
    }
    let mut about = details(crate::kube::object::name(&deleted.object), kind.group, kind.plural);
    about["uid"] = deleted.object["metadata"]["uid"].clone();
    let status = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": about,
    });
    let mut response = answer::render(200, &call.wanted, &status);
    answer::warn(&mut response, &deleted.warnings);
    response
}

pub(super) fn delete_collection(call: &Call) -> Result<Response, Failure> {
    let mut shared = options(call)?;
    let (options, dry_run) = delete_options::read(call)?;
    shared.dry_run |= dry_run;
    let selector = list::selector(call)?;
    let request = request(call, &shared, "");
    let found = verbs::delete_collection(&call.core, &request, &options, &|object| selector.matches(object))?;
    let version = call.core.store.version();
    let mut metadata = json!({"resourceVersion": version.to_string()});
    if call.served.kind.custom {
        metadata["continue"] = json!("");
    }
    Ok(represent::list(call, &metadata, &found))
}
