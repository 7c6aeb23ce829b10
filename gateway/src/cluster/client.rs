//! A `kube::Client` per person and cluster over one connection pool per cluster. The bearer token is put in for each
//! request, so that a client outlives its token and credentials never sit in a configuration.

use crate::aws::credentials::RoleSessions;
use crate::aws::eks::Endpoint;
use crate::aws::token::sign_token;
use crate::config::{Cluster, RoleArn};
use crate::error::ApiError;
use http::header::AUTHORIZATION;
use http::{HeaderValue, Request, Response};
use hyper::body::Incoming;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use kube::client::{Body, ConfigExt};
use secrecy::{ExposeSecret, SecretString};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};
use tower::util::BoxCloneSyncService;
use tower::{BoxError, Service, ServiceBuilder, ServiceExt};

/// Tokens live 15 minutes; a renewal at 10 leaves room for clocks that disagree.
const TOKEN_LIFE: Duration = Duration::from_secs(600);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The connection pool to one API server, shared by everybody's clients.
#[derive(Clone)]
pub(super) struct Transport {
    config: kube::Config,
    pool: BoxCloneSyncService<Request<Body>, Response<Incoming>, BoxError>,
}

impl Transport {
    pub(super) fn connect(endpoint: &Endpoint) -> Result<Transport, ApiError> {
        let mut config = kube::Config::new(endpoint.url.clone());
        config.root_cert = Some(certificates(&endpoint.ca_pem)?);
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
        tcp.set_nodelay(true);
        let tls = config.rustls_https_connector_with_connector(tcp).map_err(ApiError::internal)?;
        let client = hyper_util::client::legacy::Client::builder(TokioExecutor::new()).build(tls);
        Ok(Transport { config, pool: BoxCloneSyncService::new(client.map_err(BoxError::from)) })
    }

    /// A client that acts as whoever the tokens name.
    pub(super) fn client(&self, tokens: TokenSource) -> kube::Client {
        let service = ServiceBuilder::new()
            .layer(self.config.base_uri_layer())
            .service(Bearer { inner: self.pool.clone(), tokens: Arc::new(tokens) });
        kube::Client::new(service, "default")
    }
}

/// kube wants the certificates of a PEM bundle in DER.
fn certificates(pem: &[u8]) -> Result<Vec<Vec<u8>>, ApiError> {
    use rustls::pki_types::CertificateDer;
    use rustls::pki_types::pem::PemObject;
    CertificateDer::pem_slice_iter(pem)
        .map(|der| der.map(|der| der.to_vec()))
        .collect::<Result<_, _>>()
        .map_err(|error| ApiError::internal(anyhow::anyhow!("the cluster's CA is not PEM: {error}")))
}

/// Mints and holds the bearer token of one role session on one cluster.
pub(super) struct TokenSource {
    pub roles: RoleSessions,
    pub role: RoleArn,
    pub session: String,
    pub cluster: Cluster,
    pub held: Mutex<Option<Held>>,
}

pub(super) struct Held {
    token: SecretString,
    until: SystemTime,
}

impl TokenSource {
    async fn token(&self) -> Result<SecretString, ApiError> {
        let now = crate::clock::system_now();
        if let Some(held) = self.held.lock().unwrap_or_else(PoisonError::into_inner).as_ref()
            && held.until > now
        {
            return Ok(held.token.clone());
        }
        let credentials = self.roles.get(&self.role, &self.session, &self.cluster.region).await?;
        let ends = credentials.expiry().unwrap_or(now + TOKEN_LIFE);
        let token = sign_token(credentials, &self.cluster, now)?;
        let held = Held { token: token.clone(), until: ends.min(now + TOKEN_LIFE) };
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = Some(held);
        Ok(token)
    }
}

#[derive(Clone)]
struct Bearer<S> {
    inner: S,
    tokens: Arc<TokenSource>,
}

impl<S> Service<Request<Body>> for Bearer<S>
where
    S: Service<Request<Body>, Error = BoxError> + Clone + Send + 'static,
    S::Future: Send,
{
    type Response = S::Response;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<S::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        // The instance that was polled ready must serve the call; its clone waits for the next.
        let next = self.inner.clone();
        let mut inner = std::mem::replace(&mut self.inner, next);
        let tokens = Arc::clone(&self.tokens);
        Box::pin(async move {
            let token = tokens.token().await?;
            let mut value = HeaderValue::try_from(format!("Bearer {}", token.expose_secret()))?;
            value.set_sensitive(true);
            request.headers_mut().insert(AUTHORIZATION, value);
            inner.call(request).await
        })
    }
}
