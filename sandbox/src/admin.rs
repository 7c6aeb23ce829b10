//! The sandbox's own door, on a port of its own: faults, pace, history. For tests and for people at this machine; the
//! product does not know it.

use crate::cluster::Pace;
use crate::faults::{Faults, Rule};
use crate::kube::ApiServer;
use axum::extract::{Path, Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{delete, get, post};
use axum::{Json, Router};
use http::{StatusCode, header};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Clone)]
pub struct Admin {
    pub faults: Faults,
    /// Of each cluster.
    pub paces: Vec<Pace>,
    /// By cluster name.
    pub servers: Vec<(&'static str, ApiServer)>,
}

pub fn router(admin: Admin) -> Router {
    Router::new()
        .route("/", get(describe))
        .route("/faults", post(add_fault).delete(clear_faults))
        .route("/faults/{id}", delete(remove_fault))
        .route("/watches/cut", post(cut_watches))
        .route("/freeze", post(freeze))
        .route("/thaw", post(thaw))
        .route("/pace", post(set_pace))
        .route("/history/forget", post(forget_history))
        .layer(middleware::from_fn(refuse_browsers))
        .with_state(admin)
}

/// A web page must not reach this: neither across origins (browsers then send Origin) nor by a name that was pointed
/// at 127.0.0.1 (the Host is then that name).
async fn refuse_browsers(request: Request, next: Next) -> Response {
    let headers = request.headers();
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or("");
    let host = host.rsplit_once(':').map_or(host, |(name, _)| name);
    if headers.contains_key(header::ORIGIN) || !matches!(host, "127.0.0.1" | "localhost") {
        return (StatusCode::FORBIDDEN, "not from a browser\n").into_response();
    }
    next.run(request).await
}

async fn describe(State(admin): State<Admin>) -> Json<Value> {
    Json(json!({"frozen": admin.faults.is_frozen(), "faults": admin.faults.standing()}))
}

async fn add_fault(State(admin): State<Admin>, Json(rule): Json<Rule>) -> (StatusCode, Json<Value>) {
    (StatusCode::CREATED, Json(json!({"id": admin.faults.add(rule)})))
}

async fn remove_fault(State(admin): State<Admin>, Path(id): Path<u64>) -> StatusCode {
    if admin.faults.remove(id) { StatusCode::NO_CONTENT } else { StatusCode::NOT_FOUND }
}

async fn clear_faults(State(admin): State<Admin>) -> StatusCode {
    admin.faults.clear();
    StatusCode::NO_CONTENT
}

async fn cut_watches(State(admin): State<Admin>) -> StatusCode {
    admin.faults.cut_streams();
    StatusCode::NO_CONTENT
}

async fn freeze(State(admin): State<Admin>) -> StatusCode {
    admin.faults.freeze(true);
    StatusCode::NO_CONTENT
}

async fn thaw(State(admin): State<Admin>) -> StatusCode {
    admin.faults.freeze(false);
    StatusCode::NO_CONTENT
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewPace {
    factor: f64,
}

async fn set_pace(State(admin): State<Admin>, Json(pace): Json<NewPace>) -> StatusCode {
    for one in &admin.paces {
        one.set(pace.factor);
    }
    StatusCode::NO_CONTENT
}

/// Watches and pages from before answer 410, as after a compaction.
async fn forget_history(State(admin): State<Admin>) -> StatusCode {
    for (_, server) in &admin.servers {
        server.forget_history();
    }
    StatusCode::NO_CONTENT
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use axum::body::Body;
    use tower::ServiceExt;

    fn admin() -> Admin {
        Admin { faults: Faults::default(), paces: vec![Pace::instant()], servers: Vec::new() }
    }

    async fn call(
        admin: &Admin,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &'static str,
    ) -> u16 {
        let mut request =
            Request::builder().method(method).uri(path).header("content-type", "application/json");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::from(body)).unwrap();
        router(admin.clone()).oneshot(request).await.unwrap().status().as_u16()
    }

    const HOST: &[(&str, &str)] = &[("host", "127.0.0.1:14567")];

    #[tokio::test]
    async fn faults_are_added_and_removed() {
        let admin = admin();
        let rule = r#"{"endpoint":"kube","path":"/api","times":2,"action":{"delay":{"millis":5}}}"#;
        assert_eq!(call(&admin, "POST", "/faults", HOST, rule).await, 201);
        assert_eq!(admin.faults.standing().len(), 1);
        assert_eq!(call(&admin, "DELETE", "/faults/1", HOST, "").await, 204);
        assert_eq!(call(&admin, "DELETE", "/faults/1", HOST, "").await, 404);
        assert_eq!(call(&admin, "POST", "/faults", HOST, r#"{"endpoint":"moon"}"#).await, 422);
    }

    #[tokio::test]
    async fn web_pages_cannot_reach_it() {
        let admin = admin();
        let foreign = [("host", "127.0.0.1:14567"), ("origin", "http://evil.example")];
        assert_eq!(call(&admin, "POST", "/freeze", &foreign, "").await, 403);
        assert_eq!(call(&admin, "POST", "/freeze", &[("host", "evil.example:14567")], "").await, 403);
        assert!(!admin.faults.is_frozen());
        assert_eq!(call(&admin, "POST", "/freeze", HOST, "").await, 204);
        assert!(admin.faults.is_frozen());
    }
}
