//! One served resource with its subresources, in both forms of discovery.

use crate::kube::kinds::Kind;
use data_encoding::BASE64;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// One served resource or subresource, as discovery speaks of it.
pub(super) struct Resource {
    pub(super) plural: &'static str,
    singular: &'static str,
    kind: &'static str,
    namespaced: bool,
    verbs: Vec<&'static str>,
    short_names: &'static [&'static str],
    categories: &'static [&'static str],
    /// `status` and the like: name, group and version of another kind (empty: the own ones), kind, verbs.
    subresources: Vec<Subresource>,
    storage_hash: Option<String>,
    custom: bool,
}

struct Subresource {
    name: &'static str,
    group: &'static str,
    version: &'static str,
    kind: &'static str,
    verbs: &'static [&'static str],
}

impl Subresource {
    fn own(name: &'static str, kind: &'static str, verbs: &'static [&'static str]) -> Subresource {
        Subresource { name, group: "", version: "", kind, verbs }
    }
}

const STATUS_VERBS: &[&str] = &["get", "patch", "update"];

impl Resource {
    pub(super) fn stored(kind: &'static Kind) -> Resource {
        let mut subresources = Vec::new();
        for extra in kind.extra {
            match *extra {
                "log" => subresources.push(Subresource::own("log", kind.kind, &["get"])),
                "token" => subresources.push(Subresource {
                    name: "token",
                    group: "authentication.k8s.io",
                    version: "v1",
                    kind: "TokenRequest",
                    verbs: &["create"],
                }),
                "finalize" => subresources.push(Subresource::own("finalize", kind.kind, &["update"])),
                _ => {}
            }
        }
        if kind.scale {
            let group = "autoscaling";
            subresources.push(Subresource {
                name: "scale",
                group,
                version: "v1",
                kind: "Scale",
                verbs: STATUS_VERBS,
            });
        }
        if kind.status {
            subresources.push(Subresource::own("status", kind.kind, STATUS_VERBS));
        }
        Resource {
            plural: kind.plural,
            singular: kind.singular,
            kind: kind.kind,
            namespaced: kind.namespaced,
            verbs: verbs(kind),
            short_names: kind.short_names,
            categories: kind.categories,
            subresources,
            storage_hash: Some(storage_hash(kind)),
            custom: kind.custom,
        }
    }

    /// A resource that can only be created and is not kept.
    pub(super) fn create_only(plural: &'static str, kind: &'static str, namespaced: bool) -> Resource {
        Resource {
            plural,
            singular: "",
            kind,
            namespaced,
            verbs: vec!["create"],
            short_names: &[],
            categories: &[],
            subresources: Vec::new(),
            storage_hash: None,
            custom: false,
        }
    }

    fn singular(&self) -> String {
        if self.singular.is_empty() { self.kind.to_lowercase() } else { self.singular.to_owned() }
    }

    /// Entries of an `APIResourceList`.
    pub(super) fn listed(&self) -> Vec<Value> {
        let mut own = json!({
            "name": self.plural, "singularName": self.singular(), "namespaced": self.namespaced, "kind": self.kind,
            "verbs": self.verbs,
        });
        self.add_names(&mut own);
        if let Some(hash) = &self.storage_hash {
            own["storageVersionHash"] = json!(hash);
        }
        let below = self.subresources.iter().map(|sub| {
            let mut entry = json!({
                "name": format!("{}/{}", self.plural, sub.name), "singularName": "", "namespaced": self.namespaced,
                "kind": sub.kind, "verbs": sub.verbs,
            });
            if !sub.group.is_empty() {
                entry["group"] = json!(sub.group);
                entry["version"] = json!(sub.version);
            }
            entry
        });
        std::iter::once(own).chain(below).collect()
    }

    /// One entry of aggregated discovery.
    pub(super) fn aggregated(&self, group: &str, version: &str) -> Value {
        // Built-in kinds of the own group and version leave them out.
        let (own_group, own_version) = if self.custom { (group, version) } else { ("", "") };
        let response = |group: &str, version: &str, kind: &str| json!({"group": group, "version": version, "kind": kind});
        let mut entry = json!({
            "resource": self.plural, "responseKind": response(own_group, own_version, self.kind),
            "scope": if self.namespaced { "Namespaced" } else { "Cluster" },
            "singularResource": self.singular(), "verbs": self.verbs,
        });
        self.add_names(&mut entry);
        let below = self.subresources.iter().map(|sub| {
            let (group, version) =
                if sub.group.is_empty() { (own_group, own_version) } else { (sub.group, sub.version) };
            json!({"subresource": sub.name, "responseKind": response(group, version, sub.kind), "verbs": sub.verbs})
        });
        let below: Vec<Value> = below.collect();
        if !below.is_empty() {
            entry["subresources"] = json!(below);
        }
        entry
    }

    fn add_names(&self, entry: &mut Value) {
        for (key, names) in [("shortNames", self.short_names), ("categories", self.categories)] {
            if !names.is_empty() {
                entry[key] = json!(names);
            }
        }
    }
}

fn verbs(kind: &Kind) -> Vec<&'static str> {
    if kind.custom {
        return vec!["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"];
    }
    let all = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
    all.into_iter().filter(|verb| *verb != "deletecollection" || kind.plural != "namespaces").collect()
}

/// Tells clients when the stored version of a kind changes.
fn storage_hash(kind: &Kind) -> String {
    let name = format!("{}/{}/{}", kind.group, kind.versions[0], kind.kind);
    BASE64.encode(&Sha256::digest(name.as_bytes())[..8])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kube::kinds;

    #[test]
    fn the_hash_is_that_of_the_real_server() {
        let workspaces = kinds::by_plural("workspaces").expect("served");
        assert_eq!(storage_hash(workspaces), "OzsO3TWdRuE=");
    }
}
