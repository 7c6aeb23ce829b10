//! Objects as rows: what `kubectl get` shows of each kind (`meta.k8s.io` Table).

mod age;
mod cells;
mod columns;
mod events;
mod nodes;
mod pods;

use super::kinds::Kind;
use jiff::Timestamp;
use serde_json::{Value, json};

/// One column and how its cells come about.
pub struct Column {
    name: &'static str,
    /// `string`, `integer`, `boolean` or `date`.
    kind: &'static str,
    /// 0 is shown always, 1 with `-o wide`.
    priority: u8,
    description: &'static str,
    cell: Cell,
}

/// Where a cell comes from.
pub enum Cell {
    Name,
    Age,
    /// The creation time itself, for clients to turn into an age.
    Created,
    /// A pointer into the object; null when there is nothing.
    Path(&'static str),
    /// The status of a condition.
    Condition(&'static str),
    /// Worked out.
    Of(fn(&Value) -> Value),
}

impl Cell {
    fn of(&self, object: &Value, now: Timestamp) -> Value {
        let created = object["metadata"]["creationTimestamp"].as_str();
        match self {
            Cell::Name => object["metadata"]["name"].clone(),
            Cell::Age => json!(age::since(created, now)),
            Cell::Created => json!(created),
            Cell::Path(pointer) => object.pointer(pointer).cloned().unwrap_or_default(),
            Cell::Condition(wanted) => {
                let conditions = object["status"]["conditions"].as_array();
                let found = conditions.into_iter().flatten().find(|condition| condition["type"] == **wanted);
                found.map(|condition| condition["status"].clone()).unwrap_or_default()
            }
            Cell::Of(work_out) => work_out(object),
        }
    }
}

/// What `includeObject` asks to put beside the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Include {
    Metadata,
    Object,
    Nothing,
}

impl Include {
    /// Reads the query parameter; `None` when it is none of the known words.
    pub fn parse(text: &str) -> Option<Include> {
        match text {
            "" | "Metadata" => Some(Include::Metadata),
            "Object" => Some(Include::Object),
            "None" => Some(Include::Nothing),
            _ => None,
        }
    }
}

/// The definitions of the columns of a kind.
pub fn definitions(kind: &Kind) -> Value {
    let define = |column: &Column| {
        let format = if matches!(column.cell, Cell::Name) { "name" } else { "" };
        json!({
            "name": column.name, "type": column.kind, "format": format, "description": column.description,
            "priority": column.priority,
        })
    };
    columns::of(kind).iter().map(define).collect()
}

/// The row of one object. `version` is the group version of the metadata beside the cells.
pub fn row(kind: &Kind, object: &Value, include: Include, version: &str, now: Timestamp) -> Value {
    let cells: Vec<Value> = columns::of(kind).iter().map(|column| column.cell.of(object, now)).collect();
    let beside = match include {
        Include::Metadata => metadata_alone(object, version),
        Include::Object => object.clone(),
        Include::Nothing => Value::Null,
    };
    json!({"cells": cells, "object": beside})
}

/// An object reduced to its metadata.
pub fn metadata_alone(object: &Value, version: &str) -> Value {
    json!({"kind": "PartialObjectMetadata", "apiVersion": version, "metadata": object["metadata"]})
}

/// A table of rows.
pub fn table(version: &str, metadata: &Value, definitions: Value, rows: Vec<Value>) -> Value {
    json!({
        "kind": "Table", "apiVersion": version, "metadata": metadata, "columnDefinitions": definitions, "rows": rows,
    })
}
