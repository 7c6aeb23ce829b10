//! `[identity]` and `[roles]`: who vouches for people, and which of their groups mean what.

use super::Problems;
use serde::Deserialize;
use spaceport_shared::session::is_readable_session_name;
use std::collections::HashSet;

#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Identity {
    /// The sandbox's people: chosen by name, without a password, on loopback only.
    Personas {
        issuer: String,
        #[serde(default)]
        personas: Vec<Persona>,
    },
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Persona {
    /// Subject and, being immutable, session name too.
    pub name: String,
    #[serde(default)]
    pub display_name: Option<String>,
    #[serde(default)]
    pub groups: Vec<String>,
}

/// Groups that hold a role everywhere. Leads and members of projects are named in `[[projects]]`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Roles {
    pub admins: Vec<String>,
    pub auditors: Vec<String>,
}

impl Identity {
    pub(super) fn validate(&self, problems: &mut Problems) {
        let Identity::Personas { issuer, personas } = self;
        if issuer.is_empty() {
            problems.add("identity.issuer", "must not be empty");
        }
        let mut seen = HashSet::new();
        for (index, persona) in personas.iter().enumerate() {
            let place = format!("identity.personas[{index}].name");
            if !is_readable_session_name(&persona.name) {
                problems.add(&place, format!("\"{}\" cannot be a session name", persona.name));
            }
            if !seen.insert(persona.name.to_ascii_lowercase()) {
                problems.add(&place, format!("\"{}\" is there twice (case is ignored)", persona.name));
            }
        }
    }
}
