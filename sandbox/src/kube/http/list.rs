//! Lists: selectors, pages, and which version is asked for.

use super::Call;
use super::represent;
use super::token::Token;
use crate::kube::failure::Failure;
use crate::kube::refusals::{self, FieldError, bad_request};
use crate::kube::select::Selector;
use crate::kube::store::{Page, Range};
use axum::response::Response;
use serde_json::json;

pub(super) fn list(call: &Call) -> Result<Response, Failure> {
    check_options(call, false)?;
    let selector = selector(call)?;
    let namespace = namespace(call);
    let (page, token) = fetch(call, &selector, namespace)?;
    let metadata = represent::list_metadata(call.served.kind.custom, &page, token, selector.is_empty());
    Ok(represent::list(call, &metadata, &page.items))
}

/// The one namespace that is listed, if it is one.
pub(super) fn namespace(call: &Call) -> Option<&str> {
    let one = call.served.kind.namespaced && !call.route.namespace.is_empty();
    one.then_some(call.route.namespace.as_str())
}

pub(super) fn selector(call: &Call) -> Result<Selector, Failure> {
    let fields = call.query.text("fieldSelector");
    Selector::parse(call.served.kind, call.query.text("labelSelector"), fields)
}

fn fetch(
    call: &Call,
    selector: &Selector,
    namespace: Option<&str>,
) -> Result<(Page, Option<String>), Failure> {
    let limit = limit(call)?;
    let matches = |object: &serde_json::Value| selector.matches(object);
    let continued = match call.query.text("continue") {
        "" => None,
        text => Some(Token::decode(text, namespace)?),
    };
    let wanted = wanted_version(call, limit, continued.as_ref())?;
    let limit = if call.query.text("resourceVersion") == "0" && continued.is_none() { 0 } else { limit };
    let after = continued.as_ref().map(|token| &token.after);
    let range = Range { namespace, after, limit, matches: &matches };
    let page = call.core.store.page(call.served.kind, wanted, &range).map_err(|_| match &continued {
        Some(token) => expired_token(token, namespace.is_some()),
        None => refusals::expired("The resourceVersion for the provided list is too old."),
    })?;
    let token = page
        .next
        .clone()
        .map(|after| Token { version: Some(page.version), after }.encode(namespace.is_some()));
    Ok((page, token))
}

fn limit(call: &Call) -> Result<usize, Failure> {
    match call.query.text("limit") {
        "" => Ok(0),
        text => text.parse::<i64>().map(|limit| usize::try_from(limit).unwrap_or(0)).map_err(|_| {
            bad_request(format!("strconv.ParseInt: parsing {}: invalid syntax", refusals::quote(text)))
        }),
    }
}

/// The version a list must be of; `None` for the newest.
fn wanted_version(call: &Call, limit: usize, token: Option<&Token>) -> Result<Option<u64>, Failure> {
    let asked = version(call)?;
    if let Some(token) = token {
        if asked.is_some_and(|asked| asked > 0) {
            return Err(bad_request("specifying resource version is not allowed when using continue"));
        }
        return Ok(token.version);
    }
    let Some(asked) = asked.filter(|asked| *asked > 0) else { return Ok(None) };
    reached(call, asked)?;
    let exact = match call.query.text("resourceVersionMatch") {
        "Exact" => true,
        "NotOlderThan" => false,
        _ => limit > 0,
    };
    Ok(exact.then_some(asked))
}

/// The `resourceVersion` of the query as a number.
pub(super) fn version(call: &Call) -> Result<Option<u64>, Failure> {
    match call.query.text("resourceVersion") {
        "" => Ok(None),
        text => text.parse().map(Some).map_err(|_| {
            let quoted = refusals::quote(text);
            let message = format!(
                "resourceVersion: Invalid value: {quoted}: strconv.ParseUint: parsing {quoted}: invalid syntax"
            );
            Failure::new(500, "", message)
        }),
    }
}

/// Refuses versions that do not exist yet. Upstream waits three seconds for them first; nothing here lags behind.
pub(super) fn reached(call: &Call, asked: u64) -> Result<(), Failure> {
    let current = call.core.store.version();
    if asked <= current {
        return Ok(());
    }
    let message = format!("Timeout: Too large resource version: {asked}, current: {current}");
    let cause = json!({"reason": "ResourceVersionTooLarge", "message": "Too large resource version"});
    let mut failure = Failure::new(504, "Timeout", message)
        .with_details(json!({"causes": [cause], "retryAfterSeconds": 1}));
    failure.retry_after = Some(1);
    Err(failure)
}

fn expired_token(token: &Token, namespaced: bool) -> Failure {
    let message = "The provided continue parameter is too old to display a consistent list result. You can start a new \
                   list without the continue parameter, or use the continue token in this response to retrieve the \
                   remainder of the results. Continuing with the provided token results in an inconsistent list - \
                   objects that were created, modified, or deleted between the time the first chunk was returned and \
                   now may show up in the list.";
    let fresh = Token { version: None, after: token.after.clone() }.encode(namespaced);
    refusals::expired(message).with_continue_token(fresh)
}

/// Combinations of list options that upstream refuses.
pub(super) fn check_options(call: &Call, watch: bool) -> Result<(), Failure> {
    let query = &call.query;
    let (version, matching) = (query.text("resourceVersion"), query.text("resourceVersionMatch"));
    let initial = query.get("sendInitialEvents").is_some();
    let forbid = |field: &str, why: &str| Some(FieldError::forbidden(field, why));
    let matching_field = "resourceVersionMatch";
    let error = if watch && initial {
        match matching {
            "NotOlderThan" => None,
            "" => forbid(
                matching_field,
                "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
            ),
            _ => Some(FieldError::unsupported(matching_field, &json!(matching), &["NotOlderThan"])),
        }
    } else if initial {
        forbid("sendInitialEvents", "sendInitialEvents is forbidden for list")
    } else if matching.is_empty() {
        None
    } else if watch {
        forbid(
            matching_field,
            "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
        )
    } else if version.is_empty() {
        forbid(matching_field, "resourceVersionMatch is forbidden unless resourceVersion is provided")
    } else if !query.text("continue").is_empty() {
        forbid(matching_field, "resourceVersionMatch is forbidden when continue is provided")
    } else if matching != "Exact" && matching != "NotOlderThan" {
        let known = ["Exact", "NotOlderThan", ""];
        Some(FieldError::unsupported(matching_field, &json!(matching), &known))
    } else if matching == "Exact" && version == "0" {
        forbid(matching_field, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"")
    } else {
        None
    };
    match error {
        Some(error) => Err(refusals::invalid_as("ListOptions", "meta.k8s.io", "", &[error])),
        None => Ok(()),
    }
}
