//! Claims and storage classes.

use crate::cluster::reading::{self, annotation, at, list, owned, quantity, text};
use serde_json::Value;
use spaceport_shared::space::facts::ClaimFacts;
use spaceport_shared::template::{ClaimOption, StorageClassOption};

/// The scheduler writes the node for which a claim was provisioned; the volume lies in that node's zone.
pub const SELECTED_NODE: &str = "volume.kubernetes.io/selected-node";

#[derive(Clone, Debug, PartialEq)]
pub struct ClaimObject {
    pub facts: ClaimFacts,
    pub selected_node: Option<String>,
}

pub fn project_claim(object: &Value) -> ClaimObject {
    ClaimObject {
        facts: ClaimFacts {
            name: reading::name(object).to_owned(),
            phase: text(object, &["status", "phase"]).to_owned(),
            zone: None,
            created_at: reading::created_at(object),
        },
        selected_node: annotation(object, SELECTED_NODE).map(str::to_owned),
    }
}

/// A claim as the create form offers it.
pub fn claim_option(object: &Value, zone: Option<String>) -> ClaimOption {
    let size = quantity(at(object, &["status", "capacity", "storage"]))
        .or_else(|| quantity(at(object, &["spec", "resources", "requests", "storage"])));
    let owner = list(object, &["metadata", "ownerReferences"])
        .iter()
        .find(|o| text(o, &["kind"]) == "Workspace")
        .and_then(|o| owned(o, &["name"]));
    ClaimOption {
        name: reading::name(object).to_owned(),
        size_bytes: size.map(|q| q.units()),
        zone,
        access_modes: list(object, &["spec", "accessModes"])
            .iter()
            .filter_map(|m| m.as_str().map(str::to_owned))
            .collect(),
        owned_by: owner,
    }
}

pub fn storage_class(object: &Value) -> StorageClassOption {
    StorageClassOption {
        name: reading::name(object).to_owned(),
        is_default: annotation(object, "storageclass.kubernetes.io/is-default-class") == Some("true"),
        can_expand: at(object, &["allowVolumeExpansion"]).as_bool().unwrap_or(false),
    }
}
