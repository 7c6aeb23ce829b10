//! Names of Spaces: what Kubernetes accepts and what still fits into host names (docs/API.md, Names).

use crate::error::{FieldCode, FieldError};
use data_encoding::BASE32_NOPAD;

/// Longest name for which the Service `workspace-<name>-service` is still a DNS label (63 characters).
pub const SERVICE_LIMIT: usize = 45;
/// Longest DNS label.
pub const LABEL_LIMIT: usize = 63;

/// Lower-case base32 without padding: the namespace's part of a Space's host name.
pub fn encode_namespace(namespace: &str) -> String {
    BASE32_NOPAD.encode(namespace.as_bytes()).to_ascii_lowercase()
}

/// `<name>-<b32(namespace)>`: the first label of a Space's web address.
pub fn host_label(name: &str, namespace: &str) -> String {
    format!("{name}-{}", encode_namespace(namespace))
}

/// How many characters a name may have in this namespace. With web access the host label binds as well; zero means
/// that no Space of this namespace can be opened in a browser.
pub fn name_budget(namespace: &str, web_access: bool) -> usize {
    if !web_access {
        return SERVICE_LIMIT;
    }
    let encoded = (8 * namespace.len()).div_ceil(5);
    SERVICE_LIMIT.min(LABEL_LIMIT.saturating_sub(1 + encoded))
}

/// Checks a name as it is typed. `path` of the error is `name`.
pub fn check_name(name: &str, namespace: &str, web_access: bool) -> Result<(), FieldError> {
    let fail = |code, message: &str| Err(FieldError::new("name", code, message));
    if name.is_empty() {
        return fail(FieldCode::Required, "a name is required");
    }
    if let Some(bad) = name.chars().find(|c| !(c.is_ascii_lowercase() || c.is_ascii_digit() || *c == '-')) {
        return Err(FieldError::new(
            "name",
            FieldCode::InvalidCharacter,
            "only lower-case letters, digits and hyphens",
        )
        .with("character", bad));
    }
    if name.starts_with('-') || name.ends_with('-') {
        return Err(FieldError::new(
            "name",
            FieldCode::InvalidFormat,
            "begins and ends with a letter or digit",
        )
        .with("form", "[a-z0-9]([-a-z0-9]*[a-z0-9])?"));
    }
    let budget = name_budget(namespace, web_access);
    if name.len() > budget {
        let code = if budget < SERVICE_LIMIT { FieldCode::NameBudget } else { FieldCode::TooLong };
        return Err(FieldError::new("name", code, "too long for the addresses made from it")
            .with("max", budget)
            .with("length", name.len()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_counts_the_namespace_twice_encoded() {
        assert_eq!(name_budget("hyperpod-ns-team-a", true), 33);
        assert_eq!(name_budget("hyperpod-ns-team-a", false), 45);
        assert_eq!(name_budget(&"n".repeat(38), true), 1);
        assert_eq!(name_budget(&"n".repeat(39), true), 0);
        let longest = "a".repeat(33);
        assert_eq!(host_label(&longest, "hyperpod-ns-team-a").len(), 63);
    }

    #[test]
    fn each_kind_of_bad_name_has_its_code() {
        let code = |name: &str| check_name(name, "hyperpod-ns-team-a", true).map_err(|e| e.code);
        assert_eq!(code("lab-1"), Ok(()));
        assert_eq!(code(""), Err(FieldCode::Required));
        assert_eq!(code("Lab"), Err(FieldCode::InvalidCharacter));
        assert_eq!(code("a.b"), Err(FieldCode::InvalidCharacter));
        assert_eq!(code("实验室"), Err(FieldCode::InvalidCharacter));
        assert_eq!(code("-a"), Err(FieldCode::InvalidFormat));
        assert_eq!(code(&"a".repeat(34)), Err(FieldCode::NameBudget));
    }
}
