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

/// A call as it goes out. One shape for all, so that the code that sends it exists once.
struct Call {
    method: Method,
    path: String,
    body: Option<String>,
    /// Beside those that every call has.
    header: Option<(&'static str, String)>,
}

impl Call {
    fn new(method: Method, path: String) -> Call {
        Call { method, path, body: None, header: None }
    }

    fn get(path: String) -> Call {
        Call::new(Method::GET, path)
    }

    fn header(mut self, name: &'static str, value: String) -> Call {
        self.header = Some((name, value));
        self
    }

    /// What cannot be written as JSON (there is nothing of the kind) goes out empty and is refused in words.
    fn json(mut self, body: &impl Serialize) -> Call {
        self.body = serde_json::to_string(body).ok();
        self
    }

    async fn send(self, signal: Option<&AbortSignal>) -> Answer<Response> {
        let unsafe_call = self.method != Method::GET;
        let mut builder = RequestBuilder::new(&self.path)
            .method(self.method)
            .abort_signal(signal)
            .header("Accept", "application/json")
            .header("X-Spaceport-CSRF", "1");
        if unsafe_call {
            builder = builder.header("Content-Type", "application/json");
        }
        if let Some((name, value)) = &self.header {
            builder = builder.header(name, value);
        }
        let sent = match self.body {
            Some(body) => builder.body(body).map_err(|_| Failure::Unreachable)?.send().await,
            None => builder.send().await,
        };
        check(sent.map_err(|_| Failure::Unreachable)?).await
    }

    async fn text(self) -> Answer<String> {
        self.send(None).await?.text().await.map_err(|_| Failure::Unreachable)
    }

    async fn done(self) -> Answer<()> {
        self.send(None).await.map(drop)
    }

    async fn read<T: DeserializeOwned>(self) -> Answer<T> {
        let text = self.text().await?;
        serde_json::from_str(&text).map_err(|_| Failure::Unreachable)
    }

    async fn items<T: DeserializeOwned>(self) -> Answer<Vec<T>> {
        self.read::<Page<T>>().await.map(|page| page.items)
    }
}

/// Turns every status but success into the portal's own error; anything unreadable is `Unreachable`.
async fn check(response: Response) -> Answer<Response> {
    if response.ok() {
        return Ok(response);
    }
    let text = response.text().await.unwrap_or_default();
    match serde_json::from_str::<ErrorBody>(&text) {
        Ok(body) => Err(Failure::Refused(Box::new(body.error))),
        Err(_) => Err(Failure::Unreachable),
    }
}

pub async fn sign_in_options() -> Answer<SignInOptions> {
    Call::get(path::session()).read().await
}

pub async fn sign_in(persona: &str) -> Answer<Me> {
    let body = SignIn { persona: persona.to_owned() };
    Call::new(Method::POST, path::session()).json(&body).done().await?;
    me().await
}

pub async fn sign_out() -> Answer<()> {
    Call::new(Method::DELETE, path::session()).done().await
}

pub async fn me() -> Answer<Me> {
    Call::get(path::me()).read().await
}

pub async fn cluster(name: &str) -> Answer<Cluster> {
    Call::get(path::cluster(name)).read().await
}

/// Rows only: what may be done with them is worked out here as it is there.
pub async fn list_spaces(cluster: &str, cursor: Option<&str>) -> Answer<Page<SpaceRow>> {
    let cursor = cursor.map_or(String::new(), |c| format!("&cursor={}", path::encode(c)));
    Call::get(format!("{}?limit=500{cursor}", path::spaces(cluster))).read().await
}

pub async fn namespaces(cluster: &str) -> Answer<Vec<NamespaceChoice>> {
    Call::get(path::namespaces(cluster)).items().await
}

pub async fn options(cluster: &str, namespace: &str) -> Answer<NamespaceOptions> {
    Call::get(path::namespace_options(cluster, namespace)).read().await
}

pub async fn templates(cluster: &str) -> Answer<Vec<Template>> {
    Call::get(path::templates(cluster)).items().await
}

pub async fn template(cluster: &str, namespace: &str, name: &str) -> Answer<Template> {
    Call::get(path::template(cluster, namespace, name)).read().await
}

pub async fn try_create(cluster: &str, request: &CreateSpace) -> Answer<DryRun> {
    let path = format!("{}?dryRun=true", path::spaces(cluster));
    Call::new(Method::POST, path).json(request).read().await
}

/// `key` makes a repeated send safe: the same key answers the first one's success.
pub async fn create(cluster: &str, request: &CreateSpace, key: &str) -> Answer<SpaceRow> {
    let call = Call::new(Method::POST, path::spaces(cluster)).header("Idempotency-Key", key.to_owned());
    call.json(request).read().await
}

fn part(row: &SpaceRow, part: &str) -> String {
    path::space_part(&row.cluster, &row.namespace, &row.name, part)
}

/// `verb`: `start` or `stop`. The uid says which object is meant.
pub async fn switch(row: &SpaceRow, verb: &str) -> Answer<()> {
    Call::new(Method::POST, part(row, verb)).json(&LifecycleRequest { uid: row.id.clone() }).done().await
}

/// A call on the object itself, pinned to the version that was seen.
fn on_object(method: Method, row: &SpaceRow) -> Call {
    let version = format!("\"{}:{}\"", row.id, row.resource_version);
    Call::new(method, path::space(&row.cluster, &row.namespace, &row.name)).header("If-Match", version)
}

pub async fn delete(row: &SpaceRow) -> Answer<()> {
    on_object(Method::DELETE, row).done().await
}

pub async fn edit(row: &SpaceRow, edit: &SpaceEdit) -> Answer<SpaceRow> {
    on_object(Method::PATCH, row).json(edit).read().await
}

pub async fn connect(cluster: &str, namespace: &str, name: &str, kind: &str) -> Answer<Connection> {
    let path = path::space_part(cluster, namespace, name, "connections");
    Call::new(Method::POST, path).json(&ConnectionRequest { r#type: kind.to_owned() }).read().await
}

pub async fn explanation(row: &SpaceRow) -> Answer<Explanation> {
    Call::get(part(row, "explanation")).read().await
}

pub async fn events(row: &SpaceRow) -> Answer<Vec<SpaceEvent>> {
    Call::get(part(row, "events")).items().await
}

pub async fn yaml(row: &SpaceRow) -> Answer<SpaceYaml> {
    Call::get(part(row, "yaml")).read().await
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
    let response = Call::get(path).send(Some(signal)).await?;
    stream::read_text(response, take).await.ok_or(Failure::Unreachable)
}
