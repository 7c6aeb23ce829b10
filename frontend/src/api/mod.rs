//! The only fetch of the application: JSON in, typed answers or one `Failure` out.

mod stream;

use gloo_net::http::{Method, RequestBuilder, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use shared::cluster::Cluster;
use shared::error::{ErrorBody, ErrorCode, ErrorDetail};
use shared::page::Page;
use shared::path;
use shared::session::{Me, SignIn, SignInOptions};
use shared::space::create::CreateSpace;
use shared::space::explanation::Explanation;
use shared::space::verdict::DryRun;
use shared::space::{
    Connection, ConnectionRequest, LifecycleRequest, SpaceEdit, SpaceEvent, SpaceRow, SpaceYaml,
};
use shared::template::{NamespaceChoice, NamespaceOptions, Template};
use web_sys::AbortSignal;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The portal refused, in its own words.
    Refused(Box<ErrorDetail>),
    /// No connection, or an answer that is not the portal's.
    Unreachable,
}

impl Failure {
    pub fn code(&self) -> Option<ErrorCode> {
        match self {
            Failure::Refused(detail) => Some(detail.code),
            Failure::Unreachable => None,
        }
    }
}

pub type Answer<T> = Result<T, Failure>;

fn begin(method: Method, path: &str) -> RequestBuilder {
    RequestBuilder::new(path)
        .method(method)
        .header("Accept", "application/json")
        .header("X-Spaceport-CSRF", "1")
}

/// Turns every status but success into the portal's own error; anything unreadable is `Unreachable`.
async fn check(response: Result<Response, gloo_net::Error>) -> Answer<Response> {
    let response = response.map_err(|_| Failure::Unreachable)?;
    if response.ok() {
        return Ok(response);
    }
    match response.json::<ErrorBody>().await {
        Ok(body) => Err(Failure::Refused(Box::new(body.error))),
        Err(_) => Err(Failure::Unreachable),
    }
}

async fn read<T: DeserializeOwned>(response: Response) -> Answer<T> {
    response.json().await.map_err(|_| Failure::Unreachable)
}

async fn get<T: DeserializeOwned>(path: &str) -> Answer<T> {
    read(check(begin(Method::GET, path).send().await).await?).await
}

async fn send<B: Serialize>(builder: RequestBuilder, body: &B) -> Answer<Response> {
    let request = builder.json(body).map_err(|_| Failure::Unreachable)?;
    check(request.send().await).await
}

pub async fn sign_in_options() -> Answer<SignInOptions> {
    get(&path::session()).await
}

pub async fn sign_in(persona: &str) -> Answer<Me> {
    send(begin(Method::POST, &path::session()), &SignIn { persona: persona.to_owned() }).await?;
    me().await
}

pub async fn sign_out() -> Answer<()> {
    let builder = begin(Method::DELETE, &path::session()).header("Content-Type", "application/json");
    check(builder.send().await).await.map(drop)
}

pub async fn me() -> Answer<Me> {
    get(&path::me()).await
}

pub async fn cluster(name: &str) -> Answer<Cluster> {
    get(&path::cluster(name)).await
}

/// Rows only: what may be done with them is worked out here as it is there.
pub async fn list_spaces(cluster: &str, cursor: Option<&str>) -> Answer<Page<SpaceRow>> {
    let cursor = cursor.map_or(String::new(), |c| format!("&cursor={}", path::encode(c)));
    get(&format!("{}?limit=500{cursor}", path::spaces(cluster))).await
}

pub async fn namespaces(cluster: &str) -> Answer<Vec<NamespaceChoice>> {
    get::<Page<NamespaceChoice>>(&path::namespaces(cluster)).await.map(|page| page.items)
}

pub async fn options(cluster: &str, namespace: &str) -> Answer<NamespaceOptions> {
    get(&path::namespace_options(cluster, namespace)).await
}

pub async fn templates(cluster: &str) -> Answer<Vec<Template>> {
    get::<Page<Template>>(&path::templates(cluster)).await.map(|page| page.items)
}

pub async fn template(cluster: &str, namespace: &str, name: &str) -> Answer<Template> {
    get(&path::template(cluster, namespace, name)).await
}

pub async fn try_create(cluster: &str, request: &CreateSpace) -> Answer<DryRun> {
    let path = format!("{}?dryRun=true", path::spaces(cluster));
    read(send(begin(Method::POST, &path), request).await?).await
}

/// `key` makes a repeated send safe: the same key answers the first one's success.
pub async fn create(cluster: &str, request: &CreateSpace, key: &str) -> Answer<SpaceRow> {
    let builder = begin(Method::POST, &path::spaces(cluster)).header("Idempotency-Key", key);
    read(send(builder, request).await?).await
}

fn part(row: &SpaceRow, part: &str) -> String {
    path::space_part(&row.cluster, &row.namespace, &row.name, part)
}

/// `verb`: `start` or `stop`. The uid says which object is meant.
pub async fn switch(row: &SpaceRow, verb: &str) -> Answer<()> {
    send(begin(Method::POST, &part(row, verb)), &LifecycleRequest { uid: row.id.clone() }).await.map(drop)
}

fn version(row: &SpaceRow) -> String {
    format!("\"{}:{}\"", row.id, row.resource_version)
}

pub async fn delete(row: &SpaceRow) -> Answer<()> {
    let builder = begin(Method::DELETE, &path::space(&row.cluster, &row.namespace, &row.name))
        .header("If-Match", &version(row))
        .header("Content-Type", "application/json");
    check(builder.send().await).await.map(drop)
}

pub async fn edit(row: &SpaceRow, edit: &SpaceEdit) -> Answer<SpaceRow> {
    let builder = begin(Method::PATCH, &path::space(&row.cluster, &row.namespace, &row.name))
        .header("If-Match", &version(row));
    read(send(builder, edit).await?).await
}

pub async fn connect(cluster: &str, namespace: &str, name: &str, kind: &str) -> Answer<Connection> {
    let path = path::space_part(cluster, namespace, name, "connections");
    read(send(begin(Method::POST, &path), &ConnectionRequest { r#type: kind.to_owned() }).await?).await
}

pub async fn explanation(row: &SpaceRow) -> Answer<Explanation> {
    get(&part(row, "explanation")).await
}

pub async fn events(row: &SpaceRow) -> Answer<Vec<SpaceEvent>> {
    get::<Page<SpaceEvent>>(&part(row, "events")).await.map(|page| page.items)
}

pub async fn yaml(row: &SpaceRow) -> Answer<SpaceYaml> {
    get(&part(row, "yaml")).await
}

/// A log from its last lines on, as it grows: `take` gets each piece. Ends when the container does, with an error
/// when the connection breaks, or at once when `signal` is raised.
pub async fn follow_logs(
    row: &SpaceRow,
    tail: u32,
    signal: &AbortSignal,
    take: impl FnMut(String),
) -> Answer<()> {
    let path = format!("{}?tail={tail}&follow=true", part(row, "logs"));
    let builder = begin(Method::GET, &path).abort_signal(Some(signal));
    let response = check(builder.send().await).await?;
    stream::read_text(response, take).await.ok_or(Failure::Unreachable)
}
