//! The project map: which project owns which namespaces, and who leads it (docs/ARCHITECTURE.md, Projects).

use serde::{Deserialize, Serialize};

/// Prefix of a team's namespace (task governance names it so).
pub const TEAM_PREFIX: &str = "hyperpod-ns-";

/// A business unit of work: one or more teams, their lead and members (identity-provider groups).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Project {
    pub id: String,
    pub namespaces: Vec<String>,
    #[serde(default)]
    pub leads: Vec<String>,
    #[serde(default)]
    pub members: Vec<String>,
}

/// All configured projects. A team namespace in none of them is its own project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ProjectMap(pub Vec<Project>);

impl ProjectMap {
    /// The project of a namespace: the configured one, else the team's own name, else the namespace itself.
    pub fn project_of<'a>(&'a self, namespace: &'a str) -> &'a str {
        self.0
            .iter()
            .find(|p| p.namespaces.iter().any(|n| n == namespace))
            .map_or_else(|| namespace.strip_prefix(TEAM_PREFIX).unwrap_or(namespace), |p| p.id.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_without_a_project_is_its_own() {
        let map = ProjectMap(vec![Project {
            id: "vision".into(),
            namespaces: vec!["hyperpod-ns-team-a".into(), "hyperpod-ns-team-c".into()],
            leads: vec![],
            members: vec![],
        }]);
        assert_eq!(map.project_of("hyperpod-ns-team-c"), "vision");
        assert_eq!(map.project_of("hyperpod-ns-team-b"), "team-b");
        assert_eq!(map.project_of("default"), "default");
    }
}
