//! What happens to a request at a Space's address: which Space, may they, and then the proxy or a notice.

use super::super::spaces::{Phase, stand_in_answer};
use super::super::{Runtime, host};
use super::cookie::{Cookies, NAME, Session};
use super::pages::{Language, Notice};
use super::{Refusal, Verify, headers, proxy};
use anyhow::Result;
use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, Method, StatusCode, header};
use jiff::Timestamp;
use std::sync::Arc;

struct Door {
    runtime: Runtime,
    verify: Verify,
    cookies: Cookies,
}

/// The whole HTTP surface of the Spaces' port.
///
/// # Errors
/// When the cookie's key cannot be kept in the runtime's state folder.
pub fn router(runtime: Runtime, verify: Verify) -> Result<Router> {
    let cookies = Cookies::with_key_file(&runtime.0.options.state_dir.join("access.key"))?;
    let door = Arc::new(Door { runtime, verify, cookies });
    Ok(Router::new().fallback(enter).with_state(door))
}

async fn enter(State(door): State<Arc<Door>>, request: Request) -> Response {
    let language = Language::of(request.headers());
    match door.answer(request).await {
        Ok(response) => response,
        Err(notice) => notice.respond(language),
    }
}

impl Door {
    async fn answer(&self, request: Request) -> Result<Response, Notice> {
        let authority = authority(&request).ok_or(Notice::UnknownHost)?;
        let host = host::of_header(&authority).ok_or(Notice::UnknownHost)?;
        if !self.runtime.spaces().has_host(&host) {
            return Err(Notice::UnknownHost);
        }
        if !headers::from_own_origin(&request, &authority) {
            return Err(Notice::ForeignOrigin);
        }
        if request.uri().path() == "/bearer-auth" {
            return self.open(&request, &host);
        }
        let now = Timestamp::now();
        let session = self.session(&request, &host, now).ok_or(Notice::NotOpened)?;
        let mut response = self.serve(&session, &host, request).await?;
        let renewed = self.cookies.renew(&session, now).and_then(|cookie| HeaderValue::try_from(cookie).ok());
        if let Some(cookie) = renewed {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
        Ok(response)
    }

    /// Trades a connection's token for the cookie. The token leaves the address bar by the redirect.
    fn open(&self, request: &Request, host: &str) -> Result<Response, Notice> {
        let query = request.uri().query().unwrap_or_default();
        let token = url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "token");
        let (_, token) = token.ok_or(Notice::BadToken)?;
        let claims = (self.verify)(&token, host).map_err(|refusal| match refusal {
            Refusal::Invalid => Notice::BadToken,
            Refusal::WrongHost => Notice::WrongHost,
        })?;
        if self.runtime.spaces().get(&claims.space_uid).is_none_or(|space| space.host != host) {
            return Err(Notice::WrongHost);
        }
        let headers = [
            (header::SET_COOKIE, self.cookies.open(claims, host, Timestamp::now())),
            (header::LOCATION, "/".to_owned()),
            (header::CACHE_CONTROL, "no-store".to_owned()),
            (header::REFERRER_POLICY, "no-referrer".to_owned()),
        ];
        Ok((StatusCode::SEE_OTHER, headers).into_response())
    }

    fn session(&self, request: &Request, host: &str, now: Timestamp) -> Option<Session> {
        let ours = headers::cookies(request.headers()).filter(|(name, _)| *name == NAME);
        ours.filter_map(|(_, value)| self.cookies.check(value, host, now)).next()
    }

    async fn serve(&self, session: &Session, host: &str, request: Request) -> Result<Response, Notice> {
        let uid = &session.uid;
        let phase = {
            let mut spaces = self.runtime.spaces();
            spaces.touch(uid);
            let space = spaces.get(uid).filter(|space| space.host == host).ok_or(Notice::NotOpened)?;
            space.phase.clone()
        };
        match phase {
            Phase::Running(endpoint) => {
                let answer = proxy::forward(&self.runtime.0.upstream, &endpoint, request).await;
                answer.map_err(|why| {
                    tracing::debug!(uid, why, "a Space's server cannot be reached");
                    Notice::Unreachable
                })
            }
            Phase::Asleep => {
                self.runtime.start(uid);
                Err(self.starting())
            }
            Phase::Starting => Err(self.starting()),
            Phase::Simulated(reason) => Ok(self.stand_in(uid, reason, &request)),
            Phase::Exited(code) => Err(Notice::Ended { code, log: self.runtime.log(uid).tail(10) }),
            Phase::Stopped => Err(Notice::Stopped),
        }
    }

    fn starting(&self) -> Notice {
        Notice::Starting { progress: self.runtime.0.environment.progress.tail(1).pop() }
    }

    fn stand_in(&self, uid: &str, reason: String, request: &Request) -> Response {
        let path = request.uri().path();
        if path.starts_with("/api/") || request.method() != Method::GET {
            let (status, body) = stand_in_answer(path, Timestamp::now());
            let status = StatusCode::from_u16(status).unwrap_or(StatusCode::NOT_FOUND);
            return (status, [(header::CONTENT_TYPE, "application/json")], body).into_response();
        }
        let name = self.runtime.spaces().get(uid).map(|space| space.process.name.clone()).unwrap_or_default();
        Notice::Simulated { name, reason }.respond(Language::of(request.headers()))
    }
}

/// The host with its port, as the browser addressed it.
fn authority(request: &Request) -> Option<String> {
    let header = request.headers().get(header::HOST).and_then(|value| value.to_str().ok());
    header.or_else(|| request.uri().authority().map(|authority| authority.as_str())).map(str::to_owned)
}
