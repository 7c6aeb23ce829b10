//! Who a person is: vouched for by a provider, keyed by (issuer, subject), with roles and projects by groups.
//!
//! Must not know cookies or HTTP.

mod personas;

pub use personas::Personas;

use crate::config::Roles;
use spaceport_shared::policy::matrix::Role;
use spaceport_shared::project::Project;
use spaceport_shared::session::Membership;

/// A signed-in person as of this request: groups, roles and projects follow the configuration at once.
#[derive(Clone, Debug, PartialEq)]
pub struct User {
    pub issuer: String,
    pub subject: String,
    pub display_name: String,
    /// Session name in AWS and Kubernetes; owns the person's private Spaces.
    pub session_name: String,
    pub groups: Vec<String>,
    pub roles: Vec<Role>,
    pub projects: Vec<Membership>,
}

/// Roles by groups: administrators and auditors by name, leads and members by project. Whoever is neither
/// administrator nor auditor is an engineer, if only of no project.
pub fn roles(groups: &[String], named: &Roles, memberships: &[Membership]) -> Vec<Role> {
    let holds = |names: &[String]| names.iter().any(|name| groups.contains(name));
    let mut roles = Vec::new();
    if holds(&named.admins) {
        roles.push(Role::PlatformAdmin);
    }
    if memberships.iter().any(|membership| membership.lead) {
        roles.push(Role::ProjectLead);
    }
    let auditor = holds(&named.auditors);
    if !memberships.is_empty() || (roles.is_empty() && !auditor) {
        roles.push(Role::Engineer);
    }
    if auditor {
        roles.push(Role::Auditor);
    }
    roles
}

/// The projects whose members or leads the groups name.
pub fn memberships(groups: &[String], projects: &[Project]) -> Vec<Membership> {
    projects
        .iter()
        .filter_map(|project| {
            let lead = project.leads.iter().any(|group| groups.contains(group));
            let member = project.members.iter().any(|group| groups.contains(group));
            (lead || member).then(|| Membership { project: project.clone(), lead })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn projects() -> Vec<Project> {
        vec![Project {
            id: "team-a".into(),
            namespaces: vec!["hyperpod-ns-team-a".into()],
            leads: vec!["team-a-leads".into()],
            members: vec!["team-a".into()],
        }]
    }

    fn roles_of(names: &[&str]) -> Vec<Role> {
        let named = Roles { admins: vec!["platform-admins".into()], auditors: vec!["auditors".into()] };
        let groups = groups(names);
        roles(&groups, &named, &memberships(&groups, &projects()))
    }

    #[test]
    fn groups_decide_roles() {
        assert_eq!(roles_of(&["platform-admins"]), [Role::PlatformAdmin]);
        assert_eq!(roles_of(&["team-a-leads", "team-a"]), [Role::ProjectLead, Role::Engineer]);
        assert_eq!(roles_of(&["team-a"]), [Role::Engineer]);
        assert_eq!(roles_of(&["auditors"]), [Role::Auditor]);
        assert_eq!(roles_of(&[]), [Role::Engineer]);
    }

    #[test]
    fn strangers_belong_to_no_project() {
        assert!(memberships(&groups(&["team-b"]), &projects()).is_empty());
    }
}
