//! The served resources: names, versions, scope and subresources of every kind, as data.
//!
//! Everything else in `kube/` is driven by this table; it knows no rule of any kind beyond these facts.

mod builtin;
mod custom;

use std::collections::HashMap;
use std::sync::LazyLock;

/// How metadata.name of a kind is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameRule {
    /// RFC 1123 subdomain, up to 253 characters.
    Subdomain,
    /// RFC 1123 label, up to 63 characters (namespaces, services).
    Label,
    /// Any path segment (RBAC objects).
    PathSegment,
}

/// A further group and version under which the same stored objects are served (events.k8s.io).
#[derive(Clone, Copy, Debug)]
pub struct Alias {
    pub group: &'static str,
    pub version: &'static str,
}

/// One served resource. `plural` is unique across all groups.
#[derive(Debug)]
pub struct Kind {
    /// Position in the registry; the store keeps its tables in this order.
    pub id: usize,
    pub group: &'static str,
    /// Preferred version first; it is also the one stored.
    pub versions: &'static [&'static str],
    pub alias: Option<Alias>,
    pub kind: &'static str,
    pub plural: &'static str,
    pub singular: &'static str,
    pub short_names: &'static [&'static str],
    pub categories: &'static [&'static str],
    pub namespaced: bool,
    /// Served through a CustomResourceDefinition, with its stricter rules of updates.
    pub custom: bool,
    /// Has a `status` subresource.
    pub status: bool,
    /// Has a `scale` subresource.
    pub scale: bool,
    /// Subresources besides `status` and `scale` (`log`, `token`).
    pub extra: &'static [&'static str],
    /// metadata.generation is kept for this kind.
    pub generation: bool,
    pub names: NameRule,
}

impl Kind {
    /// `workspaces.workspace.jupyter.org`, or `pods` in the core group.
    pub fn qualified_plural(&self) -> String {
        qualify(self.plural, self.group)
    }

    /// `Workspace.workspace.jupyter.org`, or `Pod` in the core group.
    pub fn qualified_kind(&self) -> String {
        qualify(self.kind, self.group)
    }

    /// The apiVersion objects are stored with.
    pub fn storage_api_version(&self) -> String {
        api_version(self.group, self.versions[0])
    }

    /// What its CRD warns users of an old version with.
    pub fn deprecation(&self, version: &str) -> Option<&'static str> {
        custom::deprecation(self.group, version)
    }

    /// Is it served as this group and version?
    pub fn served_as(&self, group: &str, version: &str) -> bool {
        (self.group == group && self.versions.contains(&version))
            || self.alias.is_some_and(|alias| alias.group == group && alias.version == version)
    }
}

fn qualify(name: &str, group: &str) -> String {
    if group.is_empty() { name.to_owned() } else { format!("{name}.{group}") }
}

/// `group/version`, or the bare version in the core group.
pub fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") }
}

struct Registry {
    kinds: Vec<Kind>,
    by_plural: HashMap<&'static str, usize>,
}

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    let mut kinds = builtin::kinds();
    kinds.extend(custom::kinds());
    for (id, kind) in kinds.iter_mut().enumerate() {
        kind.id = id;
    }
    let by_plural = kinds.iter().map(|kind| (kind.plural, kind.id)).collect();
    Registry { kinds, by_plural }
});

/// Every served kind, in a stable order.
pub fn all() -> &'static [Kind] {
    &REGISTRY.kinds
}

/// The kind of a plural name, whatever its group.
pub fn by_plural(plural: &str) -> Option<&'static Kind> {
    REGISTRY.by_plural.get(plural).map(|id| &REGISTRY.kinds[*id])
}

/// The kind served at a path.
pub fn served(group: &str, version: &str, plural: &str) -> Option<&'static Kind> {
    by_plural(plural).filter(|kind| kind.served_as(group, version))
}

/// The kind an owner reference or an object in a file speaks of.
pub fn by_api_version(api_version: &str, kind: &str) -> Option<&'static Kind> {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    all().iter().find(|k| k.kind == kind && k.served_as(group, version))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn plural_names_are_unique() {
        let names: HashSet<_> = all().iter().map(|kind| kind.plural).collect();
        assert_eq!(names.len(), all().len());
    }

    #[test]
    fn events_are_served_in_both_groups() {
        assert!(served("", "v1", "events").is_some());
        assert!(served("events.k8s.io", "v1", "events").is_some());
        assert!(served("apps", "v1", "events").is_none());
    }
}
