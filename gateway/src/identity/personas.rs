//! The sandbox's people. They sign in by name alone, which is why the configuration confines them to loopback.

use super::{User, memberships, roles};
use crate::config::{Config, Identity, Persona};
use spaceport_shared::policy::matrix::Role;
use spaceport_shared::session::{PersonaOption, SignInOptions};

#[derive(Debug)]
pub struct Personas {
    issuer: String,
    users: Vec<User>,
}

impl Personas {
    pub fn from_config(config: &Config) -> Personas {
        let Identity::Personas { issuer, personas } = &config.identity;
        let users = personas.iter().map(|persona| user(issuer, persona, config)).collect();
        Personas { issuer: issuer.clone(), users }
    }

    /// The person of a session or a sign-in; `None` if the configuration does not have them (any more).
    pub fn find(&self, issuer: &str, subject: &str) -> Option<&User> {
        self.users.iter().find(|user| user.issuer == issuer && user.subject == subject)
    }

    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    pub fn options(&self, sandbox: bool, signed_in: bool) -> SignInOptions {
        let personas = self
            .users
            .iter()
            .map(|user| PersonaOption {
                name: user.subject.clone(),
                role: user.roles.first().copied().unwrap_or(Role::Engineer),
                projects: user.projects.iter().map(|membership| membership.project.id.clone()).collect(),
            })
            .collect();
        SignInOptions { personas, sandbox, signed_in }
    }
}

fn user(issuer: &str, persona: &Persona, config: &Config) -> User {
    let projects = memberships(&persona.groups, &config.projects);
    User {
        issuer: issuer.to_owned(),
        subject: persona.name.clone(),
        display_name: persona.display_name.clone().unwrap_or_else(|| persona.name.clone()),
        session_name: persona.name.clone(),
        groups: persona.groups.clone(),
        roles: roles(&persona.groups, &config.roles, &projects),
        projects,
    }
}
