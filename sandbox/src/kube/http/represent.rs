//! Stored objects as clients see them: in the version and form they asked for, single, in lists, in watch events.
//!
//! Lists are written straight from the shared bodies: nothing is copied but bytes.

use super::negotiation::{self, Wanted};
use super::{Call, answer};
use crate::kube::failure::Failure;
use crate::kube::kinds::{self, Kind};
use crate::kube::refusals;
use crate::kube::store::Page;
use crate::kube::table::{self, Include};
use axum::body::Body;
use axum::response::Response;
use jiff::Timestamp;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

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
#[derive(Debug)]
pub(super) struct Form {
    served: Served,
    wanted: Wanted,
    include: Include,
    /// Only the first table of a stream defines its columns.
    defined: AtomicBool,
}

impl Form {
    /// # Errors
    /// 400 for an unknown `includeObject`.
    pub(super) fn of(call: &Call) -> Result<Form, Failure> {
        let include = include(call)?;
        Ok(Form {
            served: call.served.clone(),
            wanted: call.wanted,
            include,
            defined: AtomicBool::new(false),
        })
    }

    pub(super) fn kind(&self) -> &'static Kind {
        self.served.kind
    }

    /// One line of the stream.
    pub(super) fn event(&self, event: &str, object: &Arc<Value>) -> Vec<u8> {
        let shown = self.served.show(object);
        let formed = match self.wanted.form {
            negotiation::Form::Whole => shown,
            negotiation::Form::Metadata(version) | negotiation::Form::MetadataList(version) => {
                Arc::new(table::metadata_alone(&shown, version))
            }
            negotiation::Form::Table(version) => Arc::new(self.table(version, event, &shown)),
        };
        self.plain_event(event, &formed)
    }

    fn table(&self, version: &str, event: &str, object: &Value) -> Value {
        let kind = self.served.kind;
        let first = !self.defined.swap(true, Ordering::Relaxed);
        let definitions = if first { table::definitions(kind) } else { Value::Null };
        // A bookmark is about no object.
        let rows = if event == "BOOKMARK" {
            Vec::new()
        } else {
            vec![table::row(kind, object, self.include, version, Timestamp::now())]
        };
        let metadata = json!({"resourceVersion": object["metadata"]["resourceVersion"]});
        table::table(version, &metadata, definitions, rows)
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

/// What a table holds beside the cells.
fn include(call: &Call) -> Result<Include, Failure> {
    let asked = call.query.text("includeObject");
    Include::parse(asked).ok_or_else(|| {
        let value = refusals::quote(asked);
        refusals::bad_request(format!(
            "Unable to convert to Table as requested: includeObject: Invalid value: {value}: must be 'Metadata', \
             'Object', 'None', or empty"
        ))
    })
}

/// One object, in the form that was negotiated.
pub(super) fn object(call: &Call, code: u16, object: &Arc<Value>, warnings: &[String]) -> Response {
    let shown = call.served.show(object);
    let mut response = match formed(call, &shown) {
        Ok(Some(formed)) => answer::render(code, &call.wanted, &formed),
        Ok(None) => answer::render(code, &call.wanted, &shown),
        Err(failure) => answer::failure(&failure, Some(&call.wanted)),
    };
    answer::warn(&mut response, warnings);
    response
}

/// A table or the metadata alone; `None` for the whole object.
fn formed(call: &Call, object: &Value) -> Result<Option<Value>, Failure> {
    let kind = call.served.kind;
    match call.wanted.form {
        negotiation::Form::Whole => Ok(None),
        negotiation::Form::Metadata(version) => Ok(Some(table::metadata_alone(object, version))),
        negotiation::Form::MetadataList(_) => Err(Failure::new(500, "", "content is not a list")),
        negotiation::Form::Table(version) => {
            let row = table::row(kind, object, include(call)?, version, Timestamp::now());
            let metadata = json!({"resourceVersion": object["metadata"]["resourceVersion"]});
            Ok(Some(table::table(version, &metadata, table::definitions(kind), vec![row])))
        }
    }
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

/// A list, in the form that was negotiated.
pub(super) fn list(call: &Call, metadata: &Value, items: &[Arc<Value>]) -> Response {
    match formed_list(call, metadata, items) {
        Ok(Some(formed)) => answer::render(200, &call.wanted, &formed),
        Ok(None) if call.wanted == Wanted::JSON => {
            answer::with_type(200, "application/json", Body::from(list_json(&call.served, metadata, items)))
        }
        // Only people and old clients ask for other encodings of lists: reading the JSON back costs them alone.
        Ok(None) => {
            let list = serde_json::from_slice(&list_json(&call.served, metadata, items)).unwrap_or_default();
            answer::render(200, &call.wanted, &list)
        }
        Err(failure) => answer::failure(&failure, Some(&call.wanted)),
    }
}

fn formed_list(call: &Call, metadata: &Value, items: &[Arc<Value>]) -> Result<Option<Value>, Failure> {
    let kind = call.served.kind;
    let mut metadata = metadata.clone();
    // Lists of custom resources say so when there is no next page; these forms do not.
    if metadata["continue"] == ""
        && let Some(fields) = metadata.as_object_mut()
    {
        fields.remove("continue");
    }
    let shown = items.iter().map(|item| call.served.show(item));
    match call.wanted.form {
        negotiation::Form::Whole => Ok(None),
        negotiation::Form::Metadata(_) => {
            let list = if kind.custom {
                "*unstructured.UnstructuredList".to_owned()
            } else {
                format!("*{}List", go_name(kind))
            };
            let message =
                format!("you requested PartialObjectMetadata, but the requested object is a list ({list})");
            Err(Failure::new(406, "NotAcceptable", message))
        }
        negotiation::Form::MetadataList(version) => {
            let found: Vec<Value> = shown.map(|item| table::metadata_alone(&item, version)).collect();
            // Go writes a list that was never filled as null.
            let found = if found.is_empty() { Value::Null } else { json!(found) };
            Ok(Some(json!({
                "kind": "PartialObjectMetadataList", "apiVersion": version, "metadata": metadata, "items": found,
            })))
        }
        negotiation::Form::Table(version) => {
            let (include, now) = (include(call)?, Timestamp::now());
            let rows = shown.map(|item| table::row(kind, &item, include, version, now)).collect();
            Ok(Some(table::table(version, &metadata, table::definitions(kind), rows)))
        }
    }
}

/// Go's name of a built-in type: `core.Pod`, `apps.Deployment`.
fn go_name(kind: &Kind) -> String {
    let package =
        if kind.group.is_empty() { "core" } else { kind.group.split('.').next().unwrap_or_default() };
    format!("{package}.{}", kind.kind)
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
