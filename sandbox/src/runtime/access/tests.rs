//! The router before a small upstream of our own, over real sockets.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::super::server::Endpoint;
use super::super::spaces::Phase;
use super::super::tests::{bare, space};
use super::super::{Runtime, RuntimeChoice, RuntimeState, SpaceProcess};
use super::*;
use axum::extract::ws::{Message, WebSocketUpgrade};
use axum::response::IntoResponse;
use axum::routing::{any, get};
use futures::{SinkExt, StreamExt};
use http::{HeaderMap, Request, StatusCode, header};
use http_body_util::BodyExt;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

pub(super) const HOST: &str = "lab-nzzq.spaces.localhost";

/// The router with one Space `u` behind the name `HOST`; the token `good` opens it.
pub(super) struct Bench {
    pub(super) _dir: tempfile::TempDir,
    pub(super) runtime: Runtime,
    pub(super) address: SocketAddr,
}

pub(super) async fn listen(app: axum::Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, app).await });
    address
}

pub(super) fn verify(token: &str, host: &str) -> Result<TokenClaims, Refusal> {
    match (token, host) {
        ("good", HOST) => Ok(TokenClaims { user: "ds-a1".into(), space_uid: "u".into() }),
        ("good", _) => Err(Refusal::WrongHost),
        _ => Err(Refusal::Invalid),
    }
}

async fn bench(choice: RuntimeChoice) -> Bench {
    let (dir, runtime) = bare(choice);
    let address = listen(router(runtime.clone(), Arc::new(verify)).unwrap()).await;
    Bench { _dir: dir, runtime, address }
}

/// With a server that runs already.
async fn bench_with_upstream() -> Bench {
    let bench = bench(RuntimeChoice::Simulated).await;
    let app = axum::Router::new()
        .route(
            "/headers",
            any(|headers: HeaderMap| async move {
                let seen: Vec<String> = headers
                    .iter()
                    .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
                    .collect();
                ([(header::SET_COOKIE, "workspace_auth=stolen")], seen.join("\n"))
            }),
        )
        .route("/echo", any(|body: axum::body::Body| async move { body }))
        .route(
            "/ws",
            get(|upgrade: WebSocketUpgrade| async move {
                upgrade
                    .on_upgrade(|mut socket| async move {
                        while let Some(Ok(Message::Text(text))) = socket.recv().await {
                            socket.send(Message::Text(text)).await.unwrap();
                        }
                    })
                    .into_response()
            }),
        );
    let endpoint =
        Endpoint { address: listen(app).await, authorization: Some("token secret".parse().unwrap()) };
    bench.set_running(endpoint);
    bench
}

impl Bench {
    fn set_running(&self, endpoint: Endpoint) {
        let mut spaces = self.runtime.spaces();
        spaces.insert(SpaceProcess { lazy: true, ..space("u") });
        let (_, _, run) = spaces.begin_run("u").unwrap();
        spaces.set_phase("u", run.number, Phase::Running(endpoint));
    }

    pub(super) async fn send(
        &self,
        host: &str,
        request: http::request::Builder,
        body: &'static str,
    ) -> (StatusCode, HeaderMap, String) {
        let target = request.uri_ref().unwrap().to_string();
        let request = request.uri(format!("http://{}{target}", self.address)).header(header::HOST, host);
        let response = upstream().request(request.body(body.into()).unwrap()).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        (parts.status, parts.headers, String::from_utf8_lossy(&body).into_owned())
    }

    pub(super) async fn get(&self, path: &str, cookie: &str) -> (StatusCode, HeaderMap, String) {
        self.send(HOST, Request::get(path).header(header::COOKIE, cookie), "").await
    }

    /// The cookie that the token `good` buys.
    pub(super) async fn cookie(&self) -> String {
        let (status, headers, _) = self.get("/bearer-auth?token=good", "").await;
        assert_eq!(status, StatusCode::SEE_OTHER);
        headers[header::SET_COOKIE].to_str().unwrap().split(';').next().unwrap().to_owned()
    }
}

#[tokio::test]
async fn a_token_buys_a_cookie_and_the_cookie_opens_the_space() {
    let bench = bench_with_upstream().await;
    let (status, headers, _) = bench.get("/bearer-auth?token=good", "").await;
    assert_eq!((status, headers[header::LOCATION].to_str().unwrap()), (StatusCode::SEE_OTHER, "/"));
    let cookie = bench.cookie().await;
    assert_eq!(bench.get("/headers", &cookie).await.0, StatusCode::OK);
}

#[tokio::test]
async fn a_bad_token_is_401_and_one_of_another_space_403() {
    let bench = bench_with_upstream().await;
    assert_eq!(bench.get("/bearer-auth?token=bad", "").await.0, StatusCode::UNAUTHORIZED);
    assert_eq!(bench.get("/bearer-auth", "").await.0, StatusCode::UNAUTHORIZED);
    let other = SpaceProcess { name: "other".into(), ..space("v") };
    bench.runtime.spaces().insert_stopped(other);
    let request = Request::get("/bearer-auth?token=good");
    assert_eq!(bench.send("other-nzzq.spaces.localhost", request, "").await.0, StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn without_a_cookie_nothing_reaches_the_server() {
    let bench = bench_with_upstream().await;
    let (status, _, page) = bench.get("/headers", "workspace_auth=forged.forged").await;
    assert_eq!(status, StatusCode::UNAUTHORIZED);
    assert!(page.contains("Open this Space from the portal"));
}

#[tokio::test]
async fn an_unknown_host_is_404() {
    let bench = bench_with_upstream().await;
    for host in ["nobody-nzzq.spaces.localhost", "127.0.0.1"] {
        assert_eq!(bench.send(host, Request::get("/"), "").await.0, StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn the_server_gets_the_routers_token_and_neither_cookie_nor_identity_of_the_browser() {
    let bench = bench_with_upstream().await;
    let cookies = format!("mine=1; {}; __Host-spaceport=portal", bench.cookie().await);
    let request = Request::get("/headers")
        .header(header::COOKIE, cookies)
        .header(header::AUTHORIZATION, "Bearer browser")
        .header("x-forwarded-user", "admin");
    let (_, headers, seen) = bench.send(HOST, request, "").await;
    assert!(seen.contains("cookie: mine=1\n") || seen.ends_with("cookie: mine=1"), "{seen}");
    assert!(seen.contains("authorization: token secret"), "{seen}");
    assert!(seen.contains(&format!("host: {HOST}")), "{seen}");
    assert!(!seen.contains("portal") && !seen.contains("browser") && !seen.contains("admin"), "{seen}");
    assert!(!headers.contains_key(header::SET_COOKIE), "a Space cannot replace the router's cookie");
}

#[tokio::test]
async fn bodies_pass_both_ways() {
    let bench = bench_with_upstream().await;
    let request = Request::put("/echo").header(header::COOKIE, bench.cookie().await);
    assert_eq!(bench.send(HOST, request, "notebook").await.2, "notebook");
}

#[tokio::test]
async fn another_spaces_page_cannot_write_here_although_the_browser_sends_the_cookie() {
    let bench = bench_with_upstream().await;
    let request = Request::put("/echo")
        .header(header::COOKIE, bench.cookie().await)
        .header(header::ORIGIN, "http://evil-nzzq.spaces.localhost:18888");
    assert_eq!(bench.send(HOST, request, "x").await.0, StatusCode::FORBIDDEN);
}

async fn websocket(bench: &Bench, cookie: &str) -> Result<String, tokio_tungstenite::tungstenite::Error> {
    let mut request = format!("ws://{}/ws", bench.address).into_client_request()?;
    request.headers_mut().insert(header::HOST, HOST.parse().unwrap());
    request.headers_mut().insert(header::COOKIE, cookie.parse().unwrap());
    let (mut socket, _) = tokio_tungstenite::connect_async(request).await?;
    socket.send("ping".into()).await?;
    Ok(socket.next().await.unwrap()?.into_text()?.to_string())
}

#[tokio::test]
async fn a_websocket_passes_with_the_cookie_and_not_without() {
    let bench = bench_with_upstream().await;
    assert_eq!(websocket(&bench, &bench.cookie().await).await.unwrap(), "ping");
    let refused = websocket(&bench, "workspace_auth=x").await.unwrap_err().to_string();
    assert!(refused.contains("401"), "{refused}");
}

#[tokio::test]
async fn a_lazy_space_starts_at_the_first_connection() {
    let bench = bench(RuntimeChoice::Simulated).await;
    bench.runtime.register(SpaceProcess { lazy: true, ..space("u") });
    assert!(matches!(bench.runtime.state("u"), RuntimeState::Ready { .. }));
    let cookie = bench.cookie().await;
    let (status, _, page) = bench.get("/lab", &cookie).await;
    assert_eq!(status, StatusCode::ACCEPTED);
    assert!(page.contains("http-equiv=\"refresh\""));
    let simulated = |state: &RuntimeState| matches!(state, RuntimeState::Simulated { .. });
    super::super::tests::reach(&bench.runtime, "u", simulated).await;
    let (status, _, page) = bench.get("/lab", &cookie).await;
    assert_eq!(status, StatusCode::OK);
    assert!(page.contains("A simulated Space"));
}

#[tokio::test]
async fn a_stopped_space_says_so_and_a_deleted_one_is_unknown() {
    let bench = bench_with_upstream().await;
    let cookie = bench.cookie().await;
    let run = bench.runtime.spaces().stop("u");
    assert!(run.is_some());
    let (status, _, page) = bench.get("/lab", &cookie).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(page.contains("This Space is stopped"));
    bench.runtime.forget("u").await;
    assert_eq!(bench.get("/lab", &cookie).await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn the_cookie_of_a_deleted_space_does_not_open_its_successor() {
    let bench = bench_with_upstream().await;
    let cookie = bench.cookie().await;
    bench.runtime.spaces().remove("u");
    bench.runtime.spaces().insert_stopped(space("successor"));
    assert_eq!(bench.get("/lab", &cookie).await.0, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_server_that_went_away_is_a_page_that_tries_again() {
    let bench = bench_with_upstream().await;
    let cookie = bench.cookie().await;
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    bench.set_running(Endpoint { address: closed, authorization: None });
    let (status, _, page) = bench.get("/lab", &cookie).await;
    assert_eq!(status, StatusCode::BAD_GATEWAY);
    assert!(page.contains("http-equiv=\"refresh\""));
}
