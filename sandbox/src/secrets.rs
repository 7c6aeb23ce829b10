//! What the sandbox must keep to itself, made once per folder and never part of the tree: kubeconfig tokens, the
//! gateway's access key, and the key that signs issued AWS sessions.

use crate::files;
use crate::landscape::PERSONAS;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

#[derive(Clone, Serialize, Deserialize)]
pub struct Secrets {
    /// Signs session tokens and derives their secret keys. Hex, 32 bytes.
    pub session_key: String,
    pub gateway: AccessKey,
    /// Persona name to the bearer token of the kubeconfig.
    pub kube_tokens: BTreeMap<String, String>,
}

/// A long-term access key of an IAM user.
#[derive(Clone, Serialize, Deserialize)]
pub struct AccessKey {
    pub id: String,
    pub secret: String,
}

impl Secrets {
    /// Those of an earlier start, or new ones. A broken file is an error, not a reason for new secrets: files handed
    /// out earlier would silently stop working.
    ///
    /// # Errors
    /// When the file cannot be read, understood or written.
    pub fn open(path: &Path) -> Result<Secrets> {
        if let Ok(text) = std::fs::read_to_string(path) {
            return serde_json::from_str(&text)
                .with_context(|| format!("{} is damaged; remove the folder to begin anew", path.display()));
        }
        let secrets = Secrets::generate()?;
        files::write_private(path, &serde_json::to_string_pretty(&secrets)?)?;
        Ok(secrets)
    }

    fn generate() -> Result<Secrets> {
        let mut kube_tokens = BTreeMap::new();
        for persona in &PERSONAS {
            let token = data_encoding::BASE32_NOPAD.encode(&random::<20>()?).to_ascii_lowercase();
            kube_tokens.insert(persona.name.to_owned(), format!("sandbox-{token}"));
        }
        Ok(Secrets {
            session_key: data_encoding::HEXLOWER.encode(&random::<32>()?),
            gateway: AccessKey {
                id: format!("AKIA{}", &data_encoding::BASE32_NOPAD.encode(&random::<10>()?)),
                secret: data_encoding::BASE64.encode(&random::<30>()?),
            },
            kube_tokens,
        })
    }
}

fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| anyhow::anyhow!("no randomness: {error}"))?;
    Ok(bytes)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn secrets_survive_a_restart_and_are_readable_by_the_owner_only() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("secrets.json");
        let first = Secrets::open(&path).unwrap();
        let second = Secrets::open(&path).unwrap();
        assert_eq!(first.kube_tokens, second.kube_tokens);
        assert_eq!(first.gateway.id.len(), 20);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_damaged_file_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("secrets.json");
        std::fs::write(&path, "{").unwrap();
        assert!(Secrets::open(&path).is_err());
    }
}
