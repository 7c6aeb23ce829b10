//! `[aws]`: how the gateway itself reaches AWS. In production the default credential chain is used and this is empty.

use super::{Problems, read_secret};
use secrecy::SecretString;
use serde::Deserialize;
use std::path::PathBuf;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Aws {
    /// Overrides the SDKs' endpoints. Never used for EKS tokens, whose URL must name the real STS host.
    pub endpoint_url: Option<String>,
    pub access_key_id: Option<String>,
    pub secret_access_key_file: Option<PathBuf>,
}

impl Aws {
    pub(super) fn validate(&self, problems: &mut Problems) {
        if let Some(url) = &self.endpoint_url
            && url::Url::parse(url).is_err()
        {
            problems.add("aws.endpoint_url", format!("\"{url}\" is not a URL"));
        }
        match (&self.access_key_id, &self.secret_access_key_file) {
            (Some(_), None) => problems.add("aws.secret_access_key_file", "missing beside access_key_id"),
            (None, Some(_)) => problems.add("aws.access_key_id", "missing beside secret_access_key_file"),
            (Some(_), Some(file)) => {
                if let Err(error) = read_secret(file) {
                    problems.add("aws.secret_access_key_file", error);
                }
            }
            (None, None) => {}
        }
    }

    /// Key id and secret, if they are configured.
    pub fn keys(&self) -> anyhow::Result<Option<(String, SecretString)>> {
        match (&self.access_key_id, &self.secret_access_key_file) {
            (Some(id), Some(file)) => Ok(Some((id.clone(), read_secret(file)?.into()))),
            _ => Ok(None),
        }
    }
}
