//! What is served, for clients that ask first: version, health, groups, resources, in the old form and aggregated.

use super::kinds::{self, Kind, api_version};
use super::reviews::REVIEWS;
use data_encoding::BASE64;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The aggregated API of the Spaces add-on.
pub const CONNECTIONS: &str = "connection.workspace.jupyter.org";
const CONNECTION_KINDS: [(&str, &str); 3] = [
    ("workspaceconnections", "WorkspaceConnection"),
    ("connectionaccessreviews", "ConnectionAccessReview"),
    ("bearertokenreviews", "BearerTokenReview"),
];

/// Groups in the order of the real server, which sorts by priority; CRDs and aggregated APIs come last.
const GROUPS: [&str; 15] = [
    "apiregistration.k8s.io",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "batch",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "kueue.x-k8s.io",
    "workspace.jupyter.org",
    CONNECTIONS,
];

/// The server that this one stands in for.
pub fn version() -> Value {
    json!({
        "major": "1", "minor": "36", "emulationMajor": "1", "emulationMinor": "36", "minCompatibilityMajor": "1",
        "minCompatibilityMinor": "35", "gitVersion": "v1.36.2", "gitCommit": "0000000000000000000000000000000000000000",
        "gitTreeState": "clean", "buildDate": "2026-07-20T00:00:00Z", "goVersion": "go1.27.3", "compiler": "gc",
        "platform": "linux/amd64",
    })
}

/// One served resource or subresource, as discovery speaks of it.
struct Resource {
    plural: &'static str,
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
    fn stored(kind: &'static Kind) -> Resource {
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
    fn create_only(plural: &'static str, kind: &'static str, namespaced: bool) -> Resource {
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
    fn listed(&self) -> Vec<Value> {
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
    fn aggregated(&self, group: &str, version: &str) -> Value {
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

/// The versions of a group, the preferred one first; empty when the group is not served.
fn versions(group: &str) -> Vec<&'static str> {
    if group == CONNECTIONS {
        return vec!["v1alpha1"];
    }
    if REVIEWS.iter().any(|review| review.group == group) {
        return vec!["v1"];
    }
    let mut found: Vec<&'static str> = Vec::new();
    for kind in kinds::all() {
        let alias = kind.alias.filter(|alias| alias.group == group).map(|alias| alias.version);
        let own: &[&'static str] = if kind.group == group { kind.versions } else { &[] };
        for version in own.iter().copied().chain(alias) {
            if !found.contains(&version) {
                found.push(version);
            }
        }
    }
    found
}

fn resources(group: &str, version: &str) -> Vec<Resource> {
    let stored = kinds::all().iter().filter(|kind| kind.served_as(group, version)).map(Resource::stored);
    let reviews = REVIEWS.iter().filter(|review| review.group == group && version == "v1");
    let reviews = reviews.map(|review| Resource::create_only(review.plural, review.kind, review.namespaced));
    let connections = CONNECTION_KINDS.iter().filter(|_| group == CONNECTIONS && version == "v1alpha1");
    let connections = connections.map(|(plural, kind)| Resource::create_only(plural, kind, true));
    let mut found: Vec<Resource> = stored.chain(reviews).chain(connections).collect();
    found.sort_by_key(|resource| resource.plural);
    found
}

fn group_json(group: &str) -> Option<Value> {
    let versions = versions(group);
    let preferred = versions.first()?;
    let name = |version: &&str| json!({"groupVersion": api_version(group, version), "version": version});
    Some(json!({
        "kind": "APIGroup", "apiVersion": "v1", "name": group,
        "versions": versions.iter().map(name).collect::<Vec<_>>(),
        "preferredVersion": name(preferred),
    }))
}

/// `/api`
pub fn core_versions(server: &str) -> Value {
    let address = json!({"clientCIDR": "0.0.0.0/0", "serverAddress": server});
    json!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": [address]})
}

/// `/apis`
pub fn groups() -> Value {
    let groups: Vec<Value> = GROUPS
        .iter()
        .filter_map(|group| {
            let mut group = group_json(group)?;
            // In the list they are all of one kind.
            group.as_object_mut()?.retain(|key, _| key != "kind" && key != "apiVersion");
            Some(group)
        })
        .collect();
    json!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

/// `/apis/<group>`
pub fn group(group: &str) -> Option<Value> {
    GROUPS.contains(&group).then(|| group_json(group)).flatten()
}

/// `/api/v1`, `/apis/<group>/<version>`
pub fn resource_list(group: &str, version: &str) -> Option<Value> {
    if !versions(group).contains(&version) {
        return None;
    }
    let listed: Vec<Value> = resources(group, version).iter().flat_map(Resource::listed).collect();
    let mut list =
        json!({"kind": "APIResourceList", "groupVersion": api_version(group, version), "resources": listed});
    // Only later groups say their own version.
    if !group.is_empty() {
        list["apiVersion"] = json!("v1");
    }
    Some(list)
}

/// Aggregated discovery (`apidiscovery.k8s.io/v2`) of the core group or of all others.
pub fn aggregated(core: bool) -> Value {
    let groups: &[&str] = if core { &[""] } else { &GROUPS };
    let items: Vec<Value> = groups.iter().map(|group| aggregated_group(group)).collect();
    json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "metadata": {}, "items": items})
}

fn aggregated_group(group: &str) -> Value {
    let versions: Vec<Value> = versions(group)
        .into_iter()
        .map(|version| {
            let resources: Vec<Value> = resources(group, version)
                .iter()
                .map(|resource| resource.aggregated(group, version))
                .collect();
            json!({"version": version, "resources": resources, "freshness": "Current"})
        })
        .collect();
    let metadata = if group.is_empty() { json!({}) } else { json!({"name": group}) };
    json!({"metadata": metadata, "versions": versions})
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_group_of_the_registry_is_announced() {
        let announced: HashSet<&str> = GROUPS.into_iter().collect();
        for kind in kinds::all().iter().filter(|kind| !kind.group.is_empty()) {
            assert!(announced.contains(kind.group), "{}", kind.group);
        }
        assert!(GROUPS.iter().all(|group| !versions(group).is_empty()));
    }

    #[test]
    fn the_hash_is_that_of_the_real_server() {
        let workspaces = kinds::by_plural("workspaces").expect("served");
        assert_eq!(storage_hash(workspaces), "OzsO3TWdRuE=");
    }

    #[test]
    fn reviews_are_announced_though_they_are_not_stored() {
        let list = resource_list("authorization.k8s.io", "v1").expect("served");
        assert_eq!(list["resources"][1]["name"], "selfsubjectaccessreviews");
        assert!(resource_list("authorization.k8s.io", "v2").is_none());
    }
}
