//! Reviews of identity: who am I, whose token is this.

use super::super::Core;
use super::super::authn;
use super::super::failure::Failure;
use super::super::identity::UserInfo;
use super::super::refusals::bad_request;
use super::{text, tidy};
use serde_json::{Value, json};

/// The audience of tokens for this server.
const AUDIENCE: &str = "https://kubernetes.default.svc";

fn user_json(user: &UserInfo) -> Value {
    let mut shown = json!({"username": user.username, "uid": user.uid, "groups": user.groups});
    if !user.extra.is_empty() {
        shown["extra"] = json!(user.extra);
    }
    tidy(&shown)
}

pub(super) fn who_am_i(_: &Core, user: &UserInfo, _: &str, _: &Value) -> Result<Value, Failure> {
    Ok(json!({"userInfo": user_json(user)}))
}

pub(super) fn token(core: &Core, _: &UserInfo, _: &str, asked: &Value) -> Result<Value, Failure> {
    let token = text(&asked["spec"], "token");
    if token.is_empty() {
        return Err(bad_request("token is required for TokenReview in authentication"));
    }
    let audiences = asked["spec"]["audiences"].as_array();
    if audiences.is_some_and(|audiences| !audiences.iter().any(|audience| audience == AUDIENCE)) {
        return Ok(json!({"user": {}}));
    }
    Ok(match authn::verify(core, &token) {
        Some(Ok(user)) => {
            json!({"authenticated": true, "user": user_json(&user), "audiences": [AUDIENCE]})
        }
        _ => json!({"user": {}, "error": "invalid bearer token"}),
    })
}
