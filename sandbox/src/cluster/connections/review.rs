//! Reviews that the access router of a real cluster asks for: may this user connect, whose token is this?

use super::{ConnectionTokens, may_connect};
use crate::cluster::fields::text;
use crate::kube::LocalApi;
use serde_json::{Value, json};

/// `ConnectionAccessReview`. Rights to create connections are the API server's to check, when the connection is made.
pub(super) fn access(api: &LocalApi, place: &str, mut request: Value) -> (u16, Value) {
    let (wanted, user) =
        (text(&request["spec"]["workspaceName"]).to_owned(), text(&request["spec"]["user"]).to_owned());
    if wanted.is_empty() || user.is_empty() {
        return (400, json!({"error": "workspaceName and user are required"}));
    }
    request["status"] = match api.get("workspaces", place, &wanted) {
        None => json!({"allowed": false, "notFound": true, "reason": "Workspace not found"}),
        Some(space) => {
            let (allowed, reason) = if space["spec"]["accessType"] != "OwnerOnly" {
                (true, "Valid RBAC and the subject Workspace is public")
            } else if may_connect(&space, &user) {
                (true, "Valid RBAC and user is the owner of the private Workspace")
            } else {
                (false, "User is not the owner of the private Workspace")
            };
            json!({"allowed": allowed, "notFound": false, "reason": reason})
        }
    };
    (200, request)
}

/// `BearerTokenReview`.
pub(super) fn token(tokens: &ConnectionTokens, mut request: Value) -> (u16, Value) {
    let token = text(&request["spec"]["token"]).to_owned();
    request["status"] = if token.is_empty() {
        json!({"authenticated": false, "error": "token is required"})
    } else {
        match tokens.verify(&token, jiff::Timestamp::now()) {
            None => json!({"authenticated": false, "error": "invalid or expired token"}),
            Some(claims) => json!({
                "authenticated": true, "path": claims.path, "domain": claims.domain,
                "user": {
                    "username": claims.user.username, "uid": claims.user.uid, "groups": claims.user.groups,
                    "extra": claims.user.extra,
                },
            }),
        }
    };
    (200, request)
}
