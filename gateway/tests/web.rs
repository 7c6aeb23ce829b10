//! The whole stack over real sockets, without any cluster: what an outsider, a browser and a script meet first.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use reqwest::header::{CONTENT_TYPE, COOKIE, HOST, ORIGIN, SET_COOKIE};
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::{Value, json};
use spaceport_gateway::config::{self, Flags};
use spaceport_gateway::middleware::authenticate::PUBLIC;
use spaceport_gateway::{Gateway, build, router};
use std::io::Write;

const CONFIG: &str = r#"
public_url = "http://127.0.0.1:8080"
listen = "127.0.0.1:0"
admin_listen = "127.0.0.1:0"
database_url = "sqlite::memory:"
[identity]
kind = "personas"
issuer = "test"
[[identity.personas]]
name = "ds-a1"
groups = ["team-a"]
[[identity.personas]]
name = "admin"
groups = ["platform-admins"]
[roles]
admins = ["platform-admins"]
[[projects]]
id = "team-a"
namespaces = ["hyperpod-ns-team-a"]
members = ["team-a"]
"#;

struct Portal {
    gateway: Gateway,
    client: Client,
    _folder: tempfile::TempDir,
}

impl Portal {
    async fn start() -> Portal {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("spaceport.toml");
        write!(std::fs::File::create(&file).unwrap(), "assets_dir = {:?}\n{CONFIG}", folder.path()).unwrap();
        let config = config::load(&Flags { config: Some(file), ..Flags::default() }).unwrap();
        let gateway = build(config).await.unwrap();
        Portal { gateway, client: Client::new(), _folder: folder }
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("http://{}{path}", self.gateway.address))
    }

    fn change(&self, method: Method, path: &str) -> RequestBuilder {
        self.request(method, path).header("X-Spaceport-CSRF", "1").header(CONTENT_TYPE, "application/json")
    }

    async fn sign_in(&self, persona: &str) -> String {
        let body = json!({ "persona": persona }).to_string();
        let answer = self.change(Method::POST, "/api/v1/session").body(body).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        let cookie = answer.headers()[SET_COOKIE].to_str().unwrap();
        cookie.split(';').next().unwrap().to_owned()
    }
}

/// Status and code of an error, after checking that it has the one shape.
async fn refusal(answer: Response) -> (u16, String) {
    let status = answer.status().as_u16();
    let id = answer.headers()["x-request-id"].to_str().unwrap().to_owned();
    let body: Value = answer.json().await.expect("every error is JSON");
    assert_eq!(body["error"]["requestId"], id);
    (status, body["error"]["code"].as_str().unwrap().to_owned())
}

fn code(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

#[tokio::test]
async fn every_operation_but_the_public_ones_wants_a_sign_in() {
    let portal = Portal::start().await;
    let mut public = Vec::new();
    for (method, path, _) in router::table() {
        let target = path.replace(['{', '}'], "");
        let answer = portal.request(method.parse().unwrap(), &target).send().await.unwrap();
        if answer.status() == 401 {
            assert_eq!(refusal(answer).await, code(401, "unauthenticated"), "{method} {path}");
        } else {
            public.push(format!("{method} {path}"));
        }
    }
    let mut listed: Vec<String> = PUBLIC.iter().map(|(method, path)| format!("{method} {path}")).collect();
    listed.sort();
    public.sort();
    assert_eq!(public, listed);
}

#[tokio::test]
async fn a_sign_in_is_a_cookie_that_scripts_in_the_page_cannot_read() {
    let portal = Portal::start().await;
    let body = json!({ "persona": "ds-a1" }).to_string();
    let answer = portal.change(Method::POST, "/api/v1/session").body(body).send().await.unwrap();
    let cookie = answer.headers()[SET_COOKIE].to_str().unwrap().to_owned();
    assert!(cookie.starts_with("__Host-spaceport="), "{cookie}");
    for attribute in ["HttpOnly", "SameSite=Lax", "Secure", "Path=/"] {
        assert!(cookie.contains(attribute), "{attribute} in {cookie}");
    }
    let me: Value = answer.json().await.unwrap();
    assert_eq!((&me["sessionName"], &me["roles"]), (&json!("ds-a1"), &json!(["engineer"])));
}

#[tokio::test]
async fn a_sign_out_ends_the_session_for_good() {
    let portal = Portal::start().await;
    let cookie = portal.sign_in("ds-a1").await;
    let me = portal.request(Method::GET, "/api/v1/me").header(COOKIE, &cookie).send().await.unwrap();
    assert_eq!(me.status(), 200);
    let out = portal.change(Method::DELETE, "/api/v1/session").header(COOKIE, &cookie).send().await.unwrap();
    assert_eq!(out.status(), 204);
    let removal = out.headers()[SET_COOKIE].to_str().unwrap();
    assert!(removal.contains("Max-Age=0") && removal.contains("; Secure"), "browsers ignore it: {removal}");
    let me = portal.request(Method::GET, "/api/v1/me").header(COOKIE, &cookie).send().await.unwrap();
    assert_eq!(refusal(me).await, code(401, "unauthenticated"));
}

#[tokio::test]
async fn a_second_sign_in_takes_a_new_session_and_ends_the_first() {
    let portal = Portal::start().await;
    let first = portal.sign_in("ds-a1").await;
    let body = json!({ "persona": "admin" }).to_string();
    let request = portal.change(Method::POST, "/api/v1/session").header(COOKIE, &first).body(body);
    let answer = request.send().await.unwrap();
    assert!(!answer.headers()[SET_COOKIE].to_str().unwrap().starts_with(&first));
    let me = portal.request(Method::GET, "/api/v1/me").header(COOKIE, &first).send().await.unwrap();
    assert_eq!(me.status(), 401);
}

#[tokio::test]
async fn a_made_up_session_id_signs_nobody_in() {
    let portal = Portal::start().await;
    for cookie in ["__Host-spaceport=AAAAAAAAAAAAAAAAAAAAAA", "__Host-spaceport=%00", "__Host-spaceport="] {
        let me = portal.request(Method::GET, "/api/v1/me").header(COOKIE, cookie).send().await.unwrap();
        assert_eq!(refusal(me).await, code(401, "unauthenticated"), "{cookie}");
    }
}

#[tokio::test]
async fn changes_from_elsewhere_are_refused() {
    let portal = Portal::start().await;
    let body = json!({ "persona": "ds-a1" }).to_string();
    let post = |headers: &[(&str, &str)]| {
        let request = portal.request(Method::POST, "/api/v1/session").body(body.clone());
        headers.iter().fold(request, |request, (name, value)| request.header(*name, *value)).send()
    };
    let json = (CONTENT_TYPE.as_str(), "application/json");
    let csrf = ("x-spaceport-csrf", "1");
    let refused = code(403, "csrf_rejected");
    assert_eq!(refusal(post(&[json]).await.unwrap()).await, refused);
    assert_eq!(
        refusal(post(&[json, csrf, (ORIGIN.as_str(), "http://evil.example")]).await.unwrap()).await,
        refused
    );
    assert_eq!(refusal(post(&[json, csrf, ("sec-fetch-site", "same-site")]).await.unwrap()).await, refused);
    let text = (CONTENT_TYPE.as_str(), "text/plain");
    assert_eq!(refusal(post(&[text, csrf]).await.unwrap()).await, code(415, "unsupported_media_type"));
    let own = (ORIGIN.as_str(), "http://127.0.0.1:8080");
    assert_eq!(post(&[json, csrf, own, ("sec-fetch-site", "same-origin")]).await.unwrap().status(), 200);
}

#[tokio::test]
async fn an_unknown_host_gets_421_and_no_page() {
    let portal = Portal::start().await;
    let answer = portal.request(Method::GET, "/").header(HOST, "evil.example").send().await.unwrap();
    assert_eq!(refusal(answer).await, code(421, "unknown_host"));
}

#[tokio::test]
async fn bad_bodies_are_coded() {
    let portal = Portal::start().await;
    let send = |body: Vec<u8>| portal.change(Method::POST, "/api/v1/session").body(body).send();
    assert_eq!(refusal(send(b"{\"persona\":".to_vec()).await.unwrap()).await, code(400, "malformed"));
    assert_eq!(refusal(send(b"{}".to_vec()).await.unwrap()).await, code(422, "invalid"));
    assert_eq!(
        refusal(send(b"{\"persona\":\"nobody\"}".to_vec()).await.unwrap()).await,
        code(422, "invalid")
    );
    assert_eq!(refusal(send(vec![b' '; 10_000_000]).await.unwrap()).await, code(413, "too_large"));
}

#[tokio::test]
async fn a_body_that_hides_its_length_is_cut_too() {
    let portal = Portal::start().await;
    let chunks = (0..20).map(|_| Ok::<_, std::io::Error>(vec![b' '; 100_000]));
    let body = reqwest::Body::wrap_stream(futures::stream::iter(chunks));
    let answer = portal.change(Method::POST, "/api/v1/session").body(body).send().await.unwrap();
    assert_eq!(refusal(answer).await, code(413, "too_large"));
}

#[tokio::test]
async fn unknown_addresses_and_methods_are_coded() {
    let portal = Portal::start().await;
    let cookie = portal.sign_in("ds-a1").await;
    for path in ["/api/v1/nothing", "/api/v2/me", "/api", "/missing.js", "/api/v1/clusters/foreign"] {
        let answer = portal.request(Method::GET, path).header(COOKIE, &cookie).send().await.unwrap();
        assert_eq!(refusal(answer).await, code(404, "not_found"), "{path}");
    }
    let answer = portal.change(Method::PUT, "/api/v1/me").header(COOKIE, &cookie).send().await.unwrap();
    assert_eq!(refusal(answer).await, code(405, "method_not_allowed"));
    let answer = portal.request(Method::POST, "/spaces").send().await.unwrap();
    assert_eq!(refusal(answer).await, code(405, "method_not_allowed"));
}

#[tokio::test]
async fn every_answer_carries_the_security_headers() {
    let portal = Portal::start().await;
    for path in ["/", "/missing.js", "/api/v1/me", "/api/v1/docs", "/api/v1/session", "/healthz"] {
        let answer = portal.request(Method::GET, path).send().await.unwrap();
        let headers = answer.headers();
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{path}");
        assert!(!policy.contains("unsafe-inline"), "{path}");
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("x-frame-options", "DENY"),
            ("cross-origin-opener-policy", "same-origin"),
            ("cross-origin-resource-policy", "same-origin"),
        ] {
            assert_eq!(headers[name], value, "{path}");
        }
        assert!(
            headers.contains_key("permissions-policy") && !headers.contains_key("strict-transport-security")
        );
    }
}

#[tokio::test]
async fn metrics_stay_on_the_admin_listener() {
    let portal = Portal::start().await;
    let answer = portal.request(Method::GET, "/healthz").send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let outside = portal.request(Method::GET, "/metrics").send().await.unwrap().text().await.unwrap();
    assert!(!outside.contains("http_requests_total"));
    let inside = format!("http://{}/metrics", portal.gateway.admin_address);
    let text = portal.client.get(inside).send().await.unwrap().text().await.unwrap();
    assert!(text.contains("http_requests_total") && text.contains("route=\"/healthz\""), "{text}");
}

#[tokio::test]
async fn the_end_lets_nobody_wait() {
    let portal = Portal::start().await;
    let address = portal.gateway.address;
    drop(portal.client);
    portal.gateway.stop().await;
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}
