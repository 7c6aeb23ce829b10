//! The basics of the web: headers on every answer, one error shape, hosts, origins, sizes.

use reqwest::{Client, Method};
use serde_json::{Value, json};
use spaceport_tests::callers::{Caller, Engineer, answer};
use spaceport_tests::stack::{Stack, test};

#[test]
fn every_answer_carries_the_security_headers_errors_and_pages_included() {
    test(async {
        let stack = Stack::shared().await;
        for path in ["/", "/api/v1/me", "/api/v1/nowhere", "/nowhere.js", "/healthz"] {
            let response = Client::new().get(format!("{}{path}", stack.url)).send().await?;
            let headers = response.headers();
            let policy =
                headers.get("content-security-policy").and_then(|v| v.to_str().ok()).unwrap_or_default();
            assert!(policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
            assert_eq!(
                headers.get("x-content-type-options").map(|v| v.as_bytes()),
                Some(&b"nosniff"[..]),
                "{path}"
            );
            assert_eq!(
                headers.get("referrer-policy").map(|v| v.as_bytes()),
                Some(&b"no-referrer"[..]),
                "{path}"
            );
        }
        Ok(())
    });
}

#[test]
fn no_path_answers_an_error_in_plain_text() {
    test(async {
        let stack = Stack::shared().await;
        let engineer = Engineer::a1(stack).await?;
        for (method, path) in [
            (Method::GET, "/api/v1/nowhere"),
            (Method::PUT, "/api/v1/me"),
            (Method::GET, "/api/v1/clusters/nowhere"),
            (Method::POST, "/api/v1/session"),
        ] {
            let found = answer(engineer.request(method.clone(), path)).await?;
            assert!(found.status >= 400, "{method} {path}: {found:?}");
            assert!(!found.code().is_empty(), "{method} {path}: {found:?}");
            assert!(found.body["error"]["requestId"].as_str().is_some_and(|id| !id.is_empty()), "{path}");
        }
        Ok(())
    });
}

#[test]
fn a_browser_on_another_page_cannot_change_anything() {
    test(async {
        let stack = Stack::shared().await;
        let engineer = Engineer::a1(stack).await?;
        let send = |name: &'static str, value: &'static str| {
            let request = engineer.client().delete(format!("{}/api/v1/session", stack.url)).json(&json!({}));
            answer(request.header(name, value))
        };
        assert_eq!(send("Accept", "*/*").await?.code(), "csrf_rejected");
        let with_header = |name: &'static str, value: &'static str| {
            answer(engineer.request(Method::DELETE, "/api/v1/session").json(&json!({})).header(name, value))
        };
        assert_eq!(with_header("Origin", "http://evil.example").await?.code(), "csrf_rejected");
        assert_eq!(with_header("Sec-Fetch-Site", "same-site").await?.code(), "csrf_rejected");
        assert_eq!(engineer.get("/api/v1/me").await?.status, 200);
        Ok(())
    });
}

#[test]
fn a_foreign_host_name_is_misdirected() {
    test(async {
        let stack = Stack::shared().await;
        let request =
            Client::new().get(format!("{}/api/v1/me", stack.url)).header("Host", "portal.evil.example");
        let found = answer(request).await?;
        assert_eq!((found.status, found.code()), (421, "unknown_host"));
        Ok(())
    });
}

#[test]
fn bodies_that_are_too_large_broken_or_of_the_wrong_type_have_their_codes() {
    test(async {
        let stack = Stack::shared().await;
        let anonymous = stack.anonymous();
        let post = |body: Vec<u8>, kind: &'static str| {
            answer(anonymous.request(Method::POST, "/api/v1/session").header("Content-Type", kind).body(body))
        };
        let huge = serde_json::to_vec(&json!({ "persona": "x".repeat(10 << 20) }))?;
        assert_eq!(post(huge, "application/json").await?.code(), "too_large");
        assert_eq!(post(b"{\"persona\":".to_vec(), "application/json").await?.code(), "malformed");
        assert_eq!(post(b"persona=ds-a1".to_vec(), "text/plain").await?.code(), "unsupported_media_type");
        let unknown: Value = json!({ "persona": "ds-a1", "role": "admin" });
        let found = post(serde_json::to_vec(&unknown)?, "application/json").await?;
        assert!(found.status == 400 || found.status == 422, "{found:?}");
        Ok(())
    });
}
