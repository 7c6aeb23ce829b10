//! The API server alone, as `--plain` starts it: no operator, no EKS, no seed; users from a file, objects from
//! fixtures, anonymous requests allowed. For comparing it with a real API server.
//!
//! Users file: a YAML list of `{token, username, uid, groups}`; `uid` and `groups` are optional, and everybody is in
//! `system:authenticated` besides. Fixtures: any number of YAML documents, created in order.

use crate::faults::{Endpoint, Faults};
use crate::kube::authn::StaticTokens;
use crate::kube::hooks::Hooks;
use crate::kube::identity::UserInfo;
use crate::kube::{ApiConfig, ApiServer, bootstrap, kinds, object};
use crate::listen::{self, Bound, Surface};
use crate::tls::Authority;
use anyhow::{Context, Result, bail};
use axum::Router;
use axum::extract::State;
use axum::routing::post;
use http::StatusCode;
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// One line of the users file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenUser {
    pub token: String,
    pub username: String,
    #[serde(default)]
    pub uid: String,
    #[serde(default)]
    pub groups: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct PlainOptions {
    pub users: Vec<TokenUser>,
    pub fixtures: Vec<Value>,
    /// Serve TLS, with a certificate authority kept in this folder (`ca.pem`, `ca.key`).
    pub tls: Option<PathBuf>,
    /// 0 takes any free port; both listeners are on loopback.
    pub port: u16,
    pub admin_port: u16,
    pub anonymous: bool,
    /// Run Kubernetes' own controllers.
    pub controllers: bool,
    /// Word refused impersonation as servers before 1.36 did.
    pub classic_impersonation: bool,
    /// Who owns the fields of the fixtures.
    pub field_manager: String,
}

impl Default for PlainOptions {
    fn default() -> PlainOptions {
        PlainOptions {
            users: Vec::new(),
            fixtures: Vec::new(),
            tls: None,
            port: 0,
            admin_port: 0,
            anonymous: true,
            controllers: false,
            classic_impersonation: false,
            field_manager: "spaceport-sandbox".to_owned(),
        }
    }
}

/// A running server and its admin listener.
pub struct Plain {
    pub url: String,
    pub admin_url: String,
    tasks: TaskTracker,
    stopping: CancellationToken,
}

impl Plain {
    /// Loads the fixtures and listens.
    ///
    /// # Errors
    /// When a fixture is refused or a port is taken.
    pub async fn start(options: PlainOptions) -> Result<Plain> {
        let kube = listen::bind("Kubernetes API", options.port)?;
        let door = listen::bind("sandbox admin", options.admin_port)?;
        let tls = options.tls.as_deref().map(acceptor).transpose()?;
        let plain = Plain {
            url: kube.url(if tls.is_some() { "https" } else { "http" }),
            admin_url: door.url("http"),
            tasks: TaskTracker::new(),
            stopping: CancellationToken::new(),
        };
        let server = serve_store(&options, &plain.url)?;
        plain.serve(kube, Endpoint::Kube, server.router(), tls)?;
        plain.serve(door, Endpoint::Admin, admin(server), None)?;
        Ok(plain)
    }

    fn serve(
        &self,
        socket: Bound,
        endpoint: Endpoint,
        router: Router,
        tls: Option<TlsAcceptor>,
    ) -> Result<()> {
        let surface = Surface { endpoint, router, tls, faults: Faults::default() };
        listen::serve(socket.listen()?, surface, &self.tasks, &self.stopping);
        Ok(())
    }

    /// Ends listeners and open watches.
    pub async fn stop(self) {
        self.stopping.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

/// TLS with a CA of the folder's own: clients such as kubectl send no token without it.
fn acceptor(dir: &Path) -> Result<TlsAcceptor> {
    Authority::open(&dir.join("ca.pem"), &dir.join("ca.key"))?.acceptor()
}

fn serve_store(options: &PlainOptions, url: &str) -> Result<ApiServer> {
    let server = ApiServer::new(ApiConfig {
        server_url: url.to_owned(),
        anonymous: options.anonymous,
        controllers: options.controllers,
        classic_impersonation: options.classic_impersonation,
        ..ApiConfig::default()
    })?;
    let user = |user: &TokenUser| {
        let info = UserInfo {
            username: user.username.clone(),
            uid: user.uid.clone(),
            groups: user.groups.clone(),
            ..UserInfo::default()
        };
        (user.token.clone(), info)
    };
    let tokens = StaticTokens::new(options.users.iter().map(user));
    server.install(Hooks { authenticators: vec![Arc::new(tokens)], ..Hooks::default() });
    load(&server, options)?;
    Ok(server)
}

fn load(server: &ApiServer, options: &PlainOptions) -> Result<()> {
    let api = server.local(UserInfo::component("system:apiserver"));
    bootstrap::install(&api.clone().managed_by("kube-apiserver"));
    let api = api.managed_by(&options.field_manager);
    for fixture in &options.fixtures {
        let (api_version, kind) = (text(fixture, "apiVersion"), text(fixture, "kind"));
        let Some(known) = kinds::by_api_version(api_version, kind) else {
            bail!("a fixture is of kind {kind} in {api_version}, which is not served");
        };
        match api.create(known.plural, object::namespace(fixture), fixture.clone()) {
            // A controller was quicker (default service accounts).
            Err(failure) if failure.code != 409 => {
                bail!("fixture {kind} {} is refused: {}", object::name(fixture), failure.message)
            }
            _ => {}
        }
    }
    Ok(())
}

fn text<'o>(object: &'o Value, field: &str) -> &'o str {
    object[field].as_str().unwrap_or_default()
}

/// `POST /forget-history` and `POST /compact`: watches and pages from older versions answer 410 afterwards.
fn admin(server: ApiServer) -> Router {
    async fn forget(State(server): State<ApiServer>) -> StatusCode {
        server.forget_history();
        StatusCode::NO_CONTENT
    }
    Router::new().route("/forget-history", post(forget)).route("/compact", post(forget)).with_state(server)
}

/// Reads a users file.
///
/// # Errors
/// When it is missing or not of the form above.
pub fn read_users(path: &Path) -> Result<Vec<TokenUser>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_saphyr::from_str(&text).with_context(|| format!("{} is no list of users", path.display()))
}

/// Reads the documents of a YAML file.
///
/// # Errors
/// When it is missing or not YAML.
pub fn read_fixtures(path: &Path) -> Result<Vec<Value>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let documents: Vec<Value> =
        serde_saphyr::from_multiple(&text).with_context(|| format!("{} is not YAML", path.display()))?;
    Ok(documents.into_iter().filter(|document| !document.is_null()).collect())
}
