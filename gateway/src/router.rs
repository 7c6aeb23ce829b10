//! The table of addresses. Every operation is documented: the document is built from the same rows as the router.

use crate::api::{clusters, docs, health, live, me, namespaces, session, spaces, templates};
use crate::error::ApiError;
use crate::middleware;
use crate::state::AppState;
use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use spaceport_shared::error::ErrorBody;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::path::{Operation, PathItem};
use utoipa::openapi::{OpenApi as Document, Ref, RefOr, ResponseBuilder};
use utoipa::{OpenApi, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Spaceport",
        description = "Self-service and governance for HyperPod Spaces. \
        Calls that change something need the header X-Spaceport-CSRF: 1 and a JSON content type."
    ),
    components(schemas(ErrorBody))
)]
struct Head;

/// Every operation, one line each.
fn operations() -> OpenApiRouter<AppState> {
    OpenApiRouter::with_openapi(Head::openapi())
        .routes(routes!(session::options, session::sign_in, session::sign_out))
        .routes(routes!(me::get))
        .routes(routes!(clusters::list))
        .routes(routes!(clusters::get))
        .routes(routes!(spaces::collection::list, spaces::collection::create))
        .routes(routes!(spaces::one::get, spaces::one::edit, spaces::one::delete))
        .routes(routes!(spaces::lifecycle::start))
        .routes(routes!(spaces::lifecycle::stop))
        .routes(routes!(spaces::lifecycle::connect))
        .routes(routes!(spaces::evidence::events))
        .routes(routes!(spaces::evidence::logs))
        .routes(routes!(spaces::evidence::yaml))
        .routes(routes!(spaces::evidence::explanation))
        .routes(routes!(namespaces::list))
        .routes(routes!(namespaces::options))
        .routes(routes!(templates::list))
        .routes(routes!(templates::get))
        .routes(routes!(live::open))
        .routes(routes!(docs::openapi))
        .routes(routes!(docs::browse))
        .routes(routes!(health::live))
        .routes(routes!(health::ready))
}

/// What users reach: the API, and the portal's pages for every other address.
pub fn public(state: &AppState) -> Router {
    let api = Router::from(operations()).method_not_allowed_fallback(method_not_allowed);
    let router = middleware::api_stack(api, state).fallback(page);
    middleware::stack(router.with_state(state.clone()), state)
}

/// What operators reach, on a listener of its own.
pub fn admin(state: &AppState) -> Router {
    Router::new()
        .route("/metrics", get(health::metrics))
        .route("/healthz", get(health::live))
        .route("/readyz", get(health::ready))
        .method_not_allowed_fallback(method_not_allowed)
        .fallback(async || ApiError::NotFound)
        .with_state(state.clone())
}

async fn method_not_allowed() -> ApiError {
    ApiError::MethodNotAllowed
}

/// Pages and files of the portal. An unknown address of the API is never answered with a page.
async fn page(State(state): State<AppState>, request: Request) -> Response {
    let path = request.uri().path();
    if path == "/api" || path.starts_with("/api/") {
        return ApiError::NotFound.into_response();
    }
    state.assets.serve(request.method(), path, request.headers()).await
}

/// The OpenAPI document, with the one error shape as every operation's default answer.
pub fn document() -> Document {
    let mut document = operations().into_openapi();
    document.info.version = env!("CARGO_PKG_VERSION").to_owned();
    for item in document.paths.paths.values_mut() {
        for operation in of_item(item).into_iter().flatten() {
            let schema = RefOr::Ref(Ref::from_schema_name(ErrorBody::name()));
            let content = ContentBuilder::new().schema(Some(schema)).build();
            let error = ResponseBuilder::new()
                .description("Any error: see its code")
                .content(CONTENT_TYPE_JSON, content)
                .build();
            operation.responses.responses.insert("default".to_owned(), RefOr::T(error));
        }
    }
    document
}

const CONTENT_TYPE_JSON: &str = "application/json";

fn of_item(item: &mut PathItem) -> [Option<&mut Operation>; 5] {
    [item.get.as_mut(), item.post.as_mut(), item.put.as_mut(), item.patch.as_mut(), item.delete.as_mut()]
}

/// The router's own table: method, path template and operation id of every operation. Tests walk it.
pub fn table() -> Vec<(&'static str, String, String)> {
    const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];
    let mut document = document();
    let mut rows = Vec::new();
    for (path, item) in &mut document.paths.paths {
        for (method, operation) in METHODS.into_iter().zip(of_item(item)) {
            let Some(operation) = operation else { continue };
            rows.push((method, path.clone(), operation.operation_id.clone().unwrap_or_default()));
        }
    }
    rows
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_checked_in_document_is_current() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../openapi.json");
        let checked_in: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        let current = serde_json::to_value(document()).unwrap();
        assert!(
            checked_in == current,
            "the API has changed: run `cargo xtask openapi` and review the difference"
        );
    }

    #[test]
    fn operations_have_a_name_of_their_own() {
        let table = table();
        let names: HashSet<&String> = table.iter().map(|(_, _, name)| name).collect();
        assert!(names.len() == table.len() && table.iter().all(|(_, _, name)| !name.is_empty()), "{table:?}");
    }
}
