//! What is served, for clients that ask first: version, health, groups, resources, in the old form and aggregated.

mod resource;

use super::kinds::{self, api_version};
use super::reviews::REVIEWS;
use resource::Resource;
use serde_json::{Value, json};

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
    fn reviews_are_announced_though_they_are_not_stored() {
        let list = resource_list("authorization.k8s.io", "v1").expect("served");
        assert_eq!(list["resources"][1]["name"], "selfsubjectaccessreviews");
        assert!(resource_list("authorization.k8s.io", "v2").is_none());
    }
}
