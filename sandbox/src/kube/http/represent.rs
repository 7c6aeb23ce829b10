//! Stored objects as clients see them: in the version and form they asked for, single, in lists, in watch events.
//!
//! Lists are written straight from the shared bodies: nothing is copied but bytes.

use super::{Call, answer};
use crate::kube::failure::Failure;
use crate::kube::kinds::{self, Kind};
use crate::kube::store::Page;
use axum::body::Body;
use axum::response::Response;
use serde_json::{Value, json};
use std::sync::Arc;

/// The kind as served at one path.
#[derive(Clone, Debug)]
pub struct Served {
    pub kind: &'static Kind,
    pub group: String,
    pub version: String,
}

impl Served {
    pub fn api_version(&self) -> String {
        kinds::api_version(&self.group, &self.version)
    }

    /// The object in the served version.
    pub fn show(&self, object: &Arc<Value>) -> Arc<Value> {
        let api_version = self.api_version();
        if object["apiVersion"] == json!(api_version) {
            return object.clone();
        }
        let mut shown = Value::clone(object);
        crate::kube::convert::from_storage(self.kind, &self.group, &mut shown);
        shown["apiVersion"] = json!(api_version);
        Arc::new(shown)
    }
}

/// How the events of one watch are written.
#[derive(Clone, Debug)]
pub(super) struct Form {
    served: Served,
}

impl Form {
    /// # Errors
    /// 406 when the client accepts nothing that can be streamed.
    pub(super) fn of(call: &Call) -> Result<Form, Failure> {
        Ok(Form { served: call.served.clone() })
    }

    pub(super) fn kind(&self) -> &'static Kind {
        self.served.kind
    }

    /// One line of the stream.
    pub(super) fn event(&self, event: &str, object: &Arc<Value>) -> Vec<u8> {
        self.plain_event(event, &self.served.show(object))
    }

    /// One line with an object that is not of the kind (a `Status`).
    pub(super) fn plain_event(&self, event: &str, object: &Arc<Value>) -> Vec<u8> {
        let mut line = format!("{{\"type\":\"{event}\",\"object\":").into_bytes();
        // Writing JSON into memory does not fail.
        let _ = serde_json::to_writer(&mut line, &**object);
        line.extend_from_slice(b"}\n");
        line
    }

    /// What says how far a watch has come: kind and version, nothing else.
    pub(super) fn bookmark(&self, version: u64) -> Value {
        json!({
            "apiVersion": self.served.kind.storage_api_version(),
            "kind": self.served.kind.kind,
            "metadata": {"resourceVersion": version.to_string()},
        })
    }
}

/// Content type of a watch.
pub(super) fn watch_type(_call: &Call) -> &'static str {
    "application/json"
}

/// One object.
pub(super) fn object(call: &Call, code: u16, object: &Arc<Value>, warnings: &[String]) -> Response {
    let mut response = answer::json(code, &call.served.show(object));
    answer::warn(&mut response, warnings);
    response
}

/// `metadata` of a list.
pub(super) fn list_metadata(custom: bool, page: &Page, token: Option<String>, count_left: bool) -> Value {
    let mut metadata = json!({"resourceVersion": page.version.to_string()});
    match token {
        Some(token) => {
            metadata["continue"] = json!(token);
            if count_left {
                metadata["remainingItemCount"] = json!(page.remaining);
            }
        }
        None if custom => metadata["continue"] = json!(""),
        None => {}
    }
    metadata
}

/// A list.
pub(super) fn list(call: &Call, metadata: &Value, items: &[Arc<Value>]) -> Response {
    answer::with_type(200, "application/json", Body::from(list_json(&call.served, metadata, items)))
}

/// Items of built-in kinds come without apiVersion and kind, as upstream encodes them.
fn list_json(served: &Served, metadata: &Value, items: &[Arc<Value>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(256 + items.len() * 1024);
    let kind = format!("{}List", served.kind.kind);
    let head = json!({"apiVersion": served.api_version(), "kind": kind, "metadata": metadata}).to_string();
    out.extend_from_slice(&head.as_bytes()[..head.len() - 1]);
    out.extend_from_slice(b",\"items\":[");
    for (position, item) in items.iter().enumerate() {
        if position > 0 {
            out.push(b',');
        }
        write_item(served, item, &mut out);
    }
    out.extend_from_slice(b"]}\n");
    out
}

fn write_item(served: &Served, item: &Arc<Value>, out: &mut Vec<u8>) {
    let shown = served.show(item);
    if served.kind.custom {
        let _ = serde_json::to_writer(out, &*shown);
        return;
    }
    out.push(b'{');
    let fields = shown.as_object().into_iter().flatten();
    for (position, (key, value)) in
        fields.filter(|(key, _)| *key != "kind" && *key != "apiVersion").enumerate()
    {
        if position > 0 {
            out.push(b',');
        }
        out.extend_from_slice(Value::from(key.as_str()).to_string().as_bytes());
        out.push(b':');
        let _ = serde_json::to_writer(&mut *out, value);
    }
    out.push(b'}');
}
