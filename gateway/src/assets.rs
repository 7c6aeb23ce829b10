//! The built portal: from a folder, or from inside the binary with feature `embed-assets`.
//!
//! Hash-named files are cached for ever, `index.html` never. `.br` and `.gz` files beside an asset are sent to browsers
//! that accept them; nothing is compressed here.

use crate::error::ApiError;
use crate::middleware::headers;
use axum::body::{Body, Bytes};
use axum::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use axum::response::IntoResponse;
use std::path::PathBuf;

const INDEX: &str = "index.html";
const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const REVALIDATE: HeaderValue = HeaderValue::from_static("no-cache");
const NEVER: HeaderValue = HeaderValue::from_static("no-store");

#[cfg(feature = "embed-assets")]
#[derive(rust_embed::RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../dist"]
struct Embedded;

#[derive(Debug)]
pub struct Assets {
    folder: Option<PathBuf>,
}

impl Assets {
    /// `folder` wins over what is embedded.
    pub fn new(folder: Option<PathBuf>) -> Assets {
        Assets { folder }
    }

    /// Serves one path. A path with an extension is a file or nothing; any other is a page of the portal.
    pub async fn serve(&self, method: &Method, path: &str, headers: &HeaderMap) -> Response<Body> {
        if method != Method::GET && method != Method::HEAD {
            return ApiError::MethodNotAllowed.into_response();
        }
        let name = path.trim_start_matches('/');
        let is_file = name.rsplit('/').next().is_some_and(|last| last.contains('.'));
        if is_file && name != INDEX {
            return self.file(name, headers).await.unwrap_or_else(|| ApiError::NotFound.into_response());
        }
        self.index().await
    }

    async fn index(&self) -> Response<Body> {
        let Some(page) = self.load(INDEX).await else { return missing() };
        let policy = headers::content_security_policy(&String::from_utf8_lossy(&page));
        let mut response = Response::new(Body::from(page));
        let out = response.headers_mut();
        out.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
        out.insert(CACHE_CONTROL, NEVER);
        out.insert(CONTENT_SECURITY_POLICY, policy);
        response
    }

    async fn file(&self, name: &str, headers: &HeaderMap) -> Option<Response<Body>> {
        if !is_plain(name) {
            return None;
        }
        let accepted = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let mut found = None;
        for (suffix, encoding) in [(".br", "br"), (".gz", "gzip")] {
            if found.is_none() && accepts(accepted, encoding) {
                let body = self.load(&format!("{name}{suffix}")).await;
                found = body.map(|body| (body, Some(encoding)));
            }
        }
        let (body, encoding) = match found {
            Some(found) => found,
            None => (self.load(name).await?, None),
        };
        let mut response = Response::new(Body::from(body));
        let out = response.headers_mut();
        out.insert(CONTENT_TYPE, HeaderValue::from_static(content_type(name)));
        out.insert(CACHE_CONTROL, if is_hash_named(name) { FOREVER } else { REVALIDATE });
        out.insert(VARY, HeaderValue::from_static("accept-encoding"));
        if let Some(encoding) = encoding {
            out.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        Some(response)
    }

    async fn load(&self, name: &str) -> Option<Bytes> {
        if let Some(folder) = &self.folder {
            return tokio::fs::read(folder.join(name)).await.ok().map(Bytes::from);
        }
        embedded(name)
    }
}

#[cfg(feature = "embed-assets")]
fn embedded(name: &str) -> Option<Bytes> {
    Embedded::get(name).map(|file| match file.data {
        std::borrow::Cow::Borrowed(data) => Bytes::from_static(data),
        std::borrow::Cow::Owned(data) => Bytes::from(data),
    })
}

#[cfg(not(feature = "embed-assets"))]
fn embedded(_name: &str) -> Option<Bytes> {
    None
}

/// Segments of letters, digits, `.`, `-` and `_`, none of them starting with a dot: no way out of the folder.
fn is_plain(name: &str) -> bool {
    name.split('/').all(|segment| {
        !segment.is_empty()
            && !segment.starts_with('.')
            && segment.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
    })
}

/// Trunk writes `name-<16 hex digits>.ext` and `name-<16 hex digits>_bg.wasm`.
fn is_hash_named(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.split(['-', '.', '_']).any(|part| part.len() >= 15 && part.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Whether an `Accept-Encoding` list names the encoding without forbidding it (`q=0`).
fn accepts(list: &str, encoding: &str) -> bool {
    list.split(',').any(|item| {
        let mut parts = item.split(';').map(str::trim);
        let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(encoding));
        let refused = parts.any(|parameter| {
            parameter.strip_prefix("q=").and_then(|q| q.parse::<f32>().ok()).is_some_and(|q| q <= 0.0)
        });
        named && !refused
    })
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        // The exact type lets the browser compile while it downloads.
        "wasm" => "application/wasm",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// What a developer sees before the first build of the portal.
fn missing() -> Response<Body> {
    const PAGE: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Spaceport</title>\
        <h1>The portal has not been built yet</h1><p>The API works: see <a href=\"/api/v1/docs\">its description</a>. \
        <code>cargo xtask run</code> builds the portal; <code>assets_dir</code> names the folder to serve.</p>";
    let mut response = Response::new(Body::from(PAGE));
    *response.status_mut() = StatusCode::OK;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    response.headers_mut().insert(CACHE_CONTROL, NEVER);
    response
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn built() -> (tempfile::TempDir, Assets) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(INDEX), "<html><script>go()</script>").unwrap();
        std::fs::write(dir.path().join("app-0123456789abcdef.js"), "plain").unwrap();
        std::fs::write(dir.path().join("app-0123456789abcdef.js.br"), "packed").unwrap();
        let assets = Assets::new(Some(dir.path().to_owned()));
        (dir, assets)
    }

    async fn get(assets: &Assets, path: &str, encodings: &'static str) -> Response<Body> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(encodings));
        assets.serve(&Method::GET, path, &headers).await
    }

    #[tokio::test]
    async fn pages_are_never_cached_and_hash_named_files_for_ever() {
        let (_dir, assets) = built();
        let page = get(&assets, "/spaces/sandbox", "").await;
        assert_eq!((page.status(), &page.headers()[CACHE_CONTROL]), (StatusCode::OK, &NEVER));
        assert!(page.headers()[CONTENT_SECURITY_POLICY].to_str().unwrap().contains("'sha256-"));
        let file = get(&assets, "/app-0123456789abcdef.js", "").await;
        assert_eq!(file.headers()[CACHE_CONTROL], FOREVER);
    }

    #[tokio::test]
    async fn a_packed_file_goes_only_to_who_accepts_it() {
        let (_dir, assets) = built();
        let packed = get(&assets, "/app-0123456789abcdef.js", "gzip, br").await;
        assert_eq!(packed.headers()[CONTENT_ENCODING], "br");
        let plain = get(&assets, "/app-0123456789abcdef.js", "br;q=0").await;
        assert!(!plain.headers().contains_key(CONTENT_ENCODING));
    }

    #[tokio::test]
    async fn nothing_outside_the_folder_is_served() {
        let (dir, assets) = built();
        std::fs::write(dir.path().join(".secret.txt"), "x").unwrap();
        for path in ["/../Cargo.toml", "/.secret.txt", "/a//b.js", "/%2e%2e/x.js", "/missing.js"] {
            assert_eq!(get(&assets, path, "").await.status(), StatusCode::NOT_FOUND, "{path}");
        }
    }

    #[tokio::test]
    async fn without_a_build_the_page_says_so() {
        let dir = tempfile::tempdir().unwrap();
        let page = get(&Assets::new(Some(dir.path().to_owned())), "/", "").await;
        assert_eq!(page.status(), StatusCode::OK);
    }
}
