//! Who calls the API. The kind of caller is a type, so that a test cannot mistake one for another.

use crate::stack::Stack;
use anyhow::{Context, Result, bail};
use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::{Value, json};
use std::future::Future;

/// What every caller can do.
pub trait Caller {
    fn client(&self) -> &Client;
    fn url(&self) -> &str;

    /// Any request; `path` begins with `/`.
    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client().request(method, format!("{}{path}", self.url())).header("X-Spaceport-CSRF", "1")
    }

    fn get(&self, path: &str) -> impl Future<Output = Result<Answer>> {
        answer(self.request(Method::GET, path))
    }

    fn post(&self, path: &str, body: Value) -> impl Future<Output = Result<Answer>> {
        answer(self.request(Method::POST, path).json(&body))
    }
}

/// Status and JSON body of an answer.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub etag: Option<String>,
    /// Null where the answer has no JSON body.
    pub body: Value,
}

impl Answer {
    /// The stable code of an error answer; empty otherwise.
    pub fn code(&self) -> &str {
        self.body["error"]["code"].as_str().unwrap_or_default()
    }

    /// The body of a success.
    ///
    /// # Errors
    /// With the whole answer when it is none.
    pub fn success(self) -> Result<Value> {
        if (200..300).contains(&self.status) { Ok(self.body) } else { bail!("{} {}", self.status, self.body) }
    }
}

/// Sends a request and reads its answer.
pub async fn answer(request: RequestBuilder) -> Result<Answer> {
    let response: Response = request.send().await?;
    let status = response.status().as_u16();
    let etag = response.headers().get("etag").and_then(|v| v.to_str().ok()).map(str::to_owned);
    let body = response.json().await.unwrap_or(Value::Null);
    Ok(Answer { status, etag, body })
}

/// Not signed in.
pub struct Anonymous {
    client: Client,
    url: String,
}

impl Anonymous {
    pub fn new(url: &str) -> Anonymous {
        Anonymous { client: Client::new(), url: url.to_owned() }
    }
}

impl Caller for Anonymous {
    fn client(&self) -> &Client {
        &self.client
    }

    fn url(&self) -> &str {
        &self.url
    }
}

/// A signed-in persona; the type says which kind.
pub trait Persona: Caller + Sized {
    fn with(client: Client, url: String, name: &'static str) -> Self;

    /// Signs in through the API, as the sign-in page does.
    fn sign_in(stack: &Stack, name: &'static str) -> impl Future<Output = Result<Self>> {
        async move {
            let client = Client::builder().cookie_store(true).build()?;
            let persona = Self::with(client, stack.url.clone(), name);
            let signed = persona.post("/api/v1/session", json!({ "persona": name })).await?;
            signed.success().with_context(|| format!("{name} signs in"))?;
            Ok(persona)
        }
    }
}

macro_rules! personas {
    ($($(#[$doc:meta])* $kind:ident { $($function:ident = $name:literal),+ })+) => {$(
        $(#[$doc])*
        pub struct $kind {
            client: Client,
            url: String,
            pub name: &'static str,
        }

        impl Caller for $kind {
            fn client(&self) -> &Client {
                &self.client
            }

            fn url(&self) -> &str {
                &self.url
            }
        }

        impl Persona for $kind {
            fn with(client: Client, url: String, name: &'static str) -> Self {
                $kind { client, url, name }
            }
        }

        impl $kind {
            $(pub async fn $function(stack: &Stack) -> Result<$kind> {
                $kind::sign_in(stack, $name).await
            })+
        }
    )+};
}

personas! {
    /// A data scientist: of team-a (two of them) or of team-b.
    Engineer { a1 = "ds-a1", a2 = "ds-a2", b1 = "ds-b1" }
    /// The lead of team-a's project.
    Lead { a = "lead-a" }
    Admin { new = "admin" }
    Auditor { new = "auditor" }
}
