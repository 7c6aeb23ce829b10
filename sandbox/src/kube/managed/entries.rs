//! The list of owners in `metadata.managedFields`.

use super::set::Set;
use crate::kube::object;
use serde_json::{Value, json};

/// One owner: who, by what kind of write, in which version, through which subresource.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entry {
    pub manager: String,
    pub applied: bool,
    pub api_version: String,
    pub subresource: String,
    pub time: Option<String>,
    pub fields: Set,
}

impl Entry {
    pub(super) fn same_owner(&self, other: &Entry) -> bool {
        self.manager == other.manager
            && self.applied == other.applied
            && self.subresource == other.subresource
            && self.api_version == other.api_version
    }

    /// As a conflict names it.
    pub(super) fn describe(&self) -> String {
        let mut text = format!("\"{}\"", self.manager);
        if !self.subresource.is_empty() {
            text.push_str(&format!(" with subresource \"{}\"", self.subresource));
        }
        if !self.applied {
            text.push_str(&format!(" using {}", self.api_version));
        }
        text
    }

    fn decode(entry: &Value) -> Option<Entry> {
        let text = |field: &str| entry[field].as_str().unwrap_or_default().to_owned();
        let applied = match entry["operation"].as_str()? {
            "Apply" => true,
            "Update" => false,
            _ => return None,
        };
        Some(Entry {
            manager: text("manager"),
            applied,
            api_version: text("apiVersion"),
            subresource: text("subresource"),
            time: entry["time"].as_str().map(str::to_owned),
            fields: Set::decode(&entry["fieldsV1"]),
        })
    }

    fn encode(&self) -> Value {
        let mut entry = json!({
            "manager": self.manager,
            "operation": if self.applied { "Apply" } else { "Update" },
            "apiVersion": self.api_version,
            "fieldsType": "FieldsV1",
            "fieldsV1": self.fields.encode(),
        });
        if let Some(time) = &self.time {
            entry["time"] = json!(time);
        }
        if !self.subresource.is_empty() {
            entry["subresource"] = json!(self.subresource);
        }
        entry
    }
}

pub(super) fn read(object: &Value) -> Vec<Entry> {
    object["metadata"]["managedFields"].as_array().into_iter().flatten().filter_map(Entry::decode).collect()
}

/// Writes the owners in upstream's order, or nothing when there are none.
pub(super) fn write(object: &mut Value, mut entries: Vec<Entry>) {
    entries.retain(|entry| !entry.fields.is_empty());
    entries.sort_by(|a, b| {
        let key = |e: &Entry| {
            (!e.applied, e.time.clone(), e.manager.clone(), e.api_version.clone(), e.subresource.clone())
        };
        key(a).cmp(&key(b))
    });
    if entries.is_empty() {
        object::meta_mut(object).remove("managedFields");
    } else {
        let list: Vec<Value> = entries.iter().map(Entry::encode).collect();
        object::set_meta(object, "managedFields", list);
    }
}
