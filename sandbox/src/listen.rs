//! Listeners on loopback, and the serving loop that all of the sandbox's HTTP surfaces share, with provoked faults in
//! front.

use crate::faults::{Dropped, Endpoint, Faults};
use anyhow::{Context, Result};
use axum::Router;
use axum::body::Body;
use http::{Request, Response, Uri};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

/// What a client gets to finish its handshake and send its headers.
const PATIENCE: Duration = Duration::from_secs(10);
/// What open requests get to end once the sandbox stops; watches never end by themselves.
const GRACE: Duration = Duration::from_millis(300);

/// A socket that has its port but does not listen yet: a client that comes early is refused instead of left waiting,
/// and whoever waits for the ports knows that the sandbox is ready.
pub struct Bound {
    socket: TcpSocket,
    pub address: SocketAddr,
}

/// Connections that may wait to be accepted.
const BACKLOG: u32 = 1024;

/// Binds 127.0.0.1 and nothing else: personas have no boundary between them, so nobody beyond this machine may call.
///
/// # Errors
/// When the port is taken.
pub fn bind(what: &str, port: u16) -> Result<Bound> {
    let socket = TcpSocket::new_v4()?;
    // A restart must not wait for the last connections' TIME_WAIT.
    socket.set_reuseaddr(true)?;
    socket
        .bind((Ipv4Addr::LOCALHOST, port).into())
        .with_context(|| format!("cannot listen on 127.0.0.1:{port} ({what})"))?;
    let address = socket.local_addr()?;
    anyhow::ensure!(address.ip().is_loopback(), "{what} would listen beyond loopback, on {address}");
    Ok(Bound { socket, address })
}

impl Bound {
    pub fn url(&self, scheme: &str) -> String {
        format!("{scheme}://{}", self.address)
    }

    /// # Errors
    /// When another socket listens on the port already.
    pub fn listen(self) -> Result<TcpListener> {
        self.socket.listen(BACKLOG).with_context(|| format!("cannot listen on {}", self.address))
    }
}

/// One HTTP surface: who it is towards the faults, what it answers, and whether it speaks TLS.
#[derive(Clone)]
pub struct Surface {
    pub endpoint: Endpoint,
    pub router: Router,
    pub tls: Option<TlsAcceptor>,
    pub faults: Faults,
}

/// Accepts until stopped; every connection is a task of the tracker.
pub fn serve(listener: TcpListener, surface: Surface, tasks: &TaskTracker, stop: &CancellationToken) {
    let (connections, stop) = (tasks.clone(), stop.clone());
    tasks.spawn(async move {
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = stop.cancelled() => return,
            };
            match accepted {
                Ok((stream, _)) => {
                    connections.spawn(connection(stream, surface.clone(), stop.clone()));
                }
                Err(error) => {
                    // Out of file descriptors, most likely: let some close before the next try.
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    });
}

async fn connection(stream: TcpStream, surface: Surface, stop: CancellationToken) {
    let _ = stream.set_nodelay(true);
    match surface.tls.clone() {
        None => converse(stream, surface, stop).await,
        Some(tls) => match tokio::time::timeout(PATIENCE, tls.accept(stream)).await {
            Ok(Ok(stream)) => converse(stream, surface, stop).await,
            Ok(Err(error)) => tracing::debug!(%error, "TLS handshake failed"),
            Err(_) => tracing::debug!("TLS handshake took too long"),
        },
    }
}

async fn converse(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    surface: Surface,
    stop: CancellationToken,
) {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(PATIENCE);
    builder.http2().timer(TokioTimer::new());
    let service = service_fn(move |request| answer(surface.clone(), request));
    let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
    tokio::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            tokio::time::timeout(GRACE, connection).await.unwrap_or(Ok(()))
        }
    };
    if let Err(error) = ended {
        tracing::debug!(error, "connection ended");
    }
}

async fn answer(surface: Surface, request: Request<Incoming>) -> Result<Response<Body>, Dropped> {
    let (parts, body) = request.into_parts();
    if let Some(response) = surface.faults.intercept(surface.endpoint, &parts).await? {
        return Ok(response);
    }
    let follows = follows(&parts.uri);
    let request = Request::from_parts(parts, Body::new(body));
    let response = surface.router.oneshot(request).await.unwrap_or_else(|never| match never {});
    Ok(if follows { response.map(|body| surface.faults.gated(body)) } else { response })
}

/// Watches and followed logs: answers without an end.
fn follows(uri: &Uri) -> bool {
    url::form_urlencoded::parse(uri.query().unwrap_or("").as_bytes())
        .any(|(key, value)| matches!(&*key, "watch" | "follow") && matches!(&*value, "true" | "1" | ""))
}
