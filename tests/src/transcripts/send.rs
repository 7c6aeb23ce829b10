//! Sends a recorded request to a server and reads the answer, whole or as a stream of events.

use super::load::{Request, Transcript};
use super::placeholders::Bindings;
use anyhow::{Context, Result, anyhow};
use data_encoding::BASE64;
use futures::StreamExt;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{Formatter, Serializer};
use std::io::{self, Write};
use std::time::Duration;

/// No answer may take longer; recorded watches end after at most nine seconds.
const PATIENCE: Duration = Duration::from_secs(30);
/// The events of a watch that the recorder closed come within this time of each other.
const EVENTS_PATIENCE: Duration = Duration::from_secs(5);
/// A watch that the recorder closed is read until this long after its last event.
const QUIET: Duration = Duration::from_millis(400);

/// What came back.
#[derive(Debug)]
pub struct Received {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Received {
    /// All values of a header.
    pub fn header(&self, name: &str) -> Vec<&str> {
        self.headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).collect()
    }

    /// The lines of a watch.
    ///
    /// # Errors
    /// When one is not JSON.
    pub fn events(&self) -> Result<Vec<Value>> {
        let lines = self.body.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| serde_json::from_slice(line).context("an event is not JSON")).collect()
    }
}

/// A client of one server.
#[derive(Clone)]
pub struct Sender {
    client: reqwest::Client,
    url: String,
}

impl Sender {
    /// # Errors
    /// When the HTTP client cannot be set up.
    pub fn new(url: &str) -> Result<Sender> {
        let client =
            reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy().build()?;
        Ok(Sender { client, url: url.to_owned() })
    }

    /// Sends the request and waits for its headers.
    ///
    /// # Errors
    /// When a placeholder has no value, the request cannot be written, or no answer comes.
    pub async fn open(&self, transcript: &Transcript, bindings: &Bindings) -> Result<reqwest::Response> {
        let request = transcript.request.as_ref().context("the transcript has no request")?;
        let fill = |text: &str| bindings.fill(text).map_err(|why| anyhow!(why));
        let query = fill(request.query.as_deref().unwrap_or_default())?;
        let separator = if query.is_empty() { "" } else { "?" };
        let url = format!("{}{}{separator}{query}", self.url, fill(&request.path)?);
        let method = reqwest::Method::from_bytes(request.method.as_bytes())?;
        let mut sent = self.client.request(method, &url).headers(headers(transcript, request, bindings)?);
        if let Some(body) = body(request, bindings)? {
            sent = sent.body(body);
        }
        tokio::time::timeout(PATIENCE, sent.send()).await.context("no answer came")?.context("no answer came")
    }
}

fn headers(transcript: &Transcript, request: &Request, bindings: &Bindings) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    for (name, value) in &request.headers {
        // Compression is no part of the comparison.
        if name.eq_ignore_ascii_case("Accept-Encoding") {
            continue;
        }
        let name = HeaderName::from_bytes(name.as_bytes())?;
        let values = value.as_array().cloned().unwrap_or_else(|| vec![value.clone()]);
        for value in &values {
            let text = value.as_str().with_context(|| format!("header {name} is no text"))?;
            let text = bindings.fill(text).map_err(|why| anyhow!(why))?;
            headers.append(name.clone(), HeaderValue::from_bytes(text.as_bytes())?);
        }
    }
    let user = transcript.user.as_deref().unwrap_or("none");
    if user != "none" && !headers.contains_key("authorization") {
        headers.insert("authorization", HeaderValue::from_str(&format!("Bearer {user}-token"))?);
    }
    Ok(headers)
}

fn body(request: &Request, bindings: &Bindings) -> Result<Option<Vec<u8>>> {
    if let Some(body) = &request.body {
        let filled = bindings.fill_json(body).map_err(|why| anyhow!(why))?;
        return Ok(Some(spaced(&filled)?));
    }
    if let Some(text) = &request.body_text {
        return Ok(Some(bindings.fill(text).map_err(|why| anyhow!(why))?.into_bytes()));
    }
    match &request.body_base64 {
        Some(text) => Ok(Some(BASE64.decode(text.as_bytes())?)),
        None => Ok(None),
    }
}

/// JSON with a blank behind commas and colons, as the recorder wrote it: some messages quote the body.
fn spaced(body: &Value) -> Result<Vec<u8>> {
    struct Spaced;
    impl Formatter for Spaced {
        fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
            out.write_all(if first { b"" } else { b", " })
        }

        fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
            out.write_all(if first { b"" } else { b", " })
        }

        fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
            out.write_all(b": ")
        }
    }
    let mut text = Vec::new();
    body.serialize(&mut Serializer::with_formatter(&mut text, Spaced))?;
    Ok(text)
}

/// Reads an answer to its end.
///
/// # Errors
/// When it does not end.
pub async fn read(response: reqwest::Response) -> Result<Received> {
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let body =
        tokio::time::timeout(PATIENCE, response.bytes()).await.context("the answer does not end")??;
    Ok(Received { status, headers, body: body.to_vec() })
}

/// Reads a stream that the recorder closed: until the number of events that it saw, and a moment longer, so that one
/// too many is seen.
///
/// # Errors
/// When the connection breaks.
pub async fn read_events(response: reqwest::Response, wanted: usize) -> Result<Received> {
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let mut stream = response.bytes_stream();
    let mut body = Vec::new();
    loop {
        let seen = body.iter().filter(|byte| **byte == b'\n').count();
        let patience = if seen >= wanted { QUIET } else { EVENTS_PATIENCE };
        match tokio::time::timeout(patience, stream.next()).await {
            Ok(Some(Ok(chunk))) => body.extend_from_slice(&chunk),
            Ok(Some(Err(error))) => return Err(error.into()),
            Ok(None) => break,
            Err(_) => break,
        }
    }
    Ok(Received { status, headers, body })
}
