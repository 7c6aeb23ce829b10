//! The sandbox's folder: where things are, and the files written for people, clients and the gateway.

use crate::aws::sessions::Sessions;
use crate::gateway_config;
use crate::landscape::{CLUSTERS, ClusterFacts, PERSONAS, PROJECTS, Persona};
use crate::secrets::Secrets;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Paths inside the folder, all absolute.
#[derive(Clone, Debug)]
pub struct Layout {
    pub dir: PathBuf,
}

impl Layout {
    /// Creates the folder with the parts that hold secrets closed to others.
    ///
    /// # Errors
    /// When a folder cannot be created.
    pub fn create(dir: &Path) -> Result<Layout> {
        std::fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
        let dir = dir.canonicalize().with_context(|| format!("cannot open {}", dir.display()))?;
        for private in ["kubeconfig", "aws", "state", "volumes"] {
            let path = dir.join(private);
            std::fs::DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(&path)
                .with_context(|| format!("cannot create {}", path.display()))?;
        }
        Ok(Layout { dir })
    }

    pub fn ca_pem(&self) -> PathBuf {
        self.dir.join("ca.pem")
    }

    pub fn ca_key(&self) -> PathBuf {
        self.dir.join("state/ca.key")
    }

    pub fn secrets(&self) -> PathBuf {
        self.dir.join("state/secrets.json")
    }

    pub fn journal(&self, cluster: &str) -> PathBuf {
        self.dir.join(format!("state/{cluster}.journal"))
    }

    pub fn state(&self) -> PathBuf {
        self.dir.join("state")
    }

    pub fn volumes(&self) -> PathBuf {
        self.dir.join("volumes")
    }

    pub fn kubeconfig(&self, persona: &str) -> PathBuf {
        self.dir.join(format!("kubeconfig/{persona}.yaml"))
    }

    pub fn gateway_secret(&self) -> PathBuf {
        self.dir.join("aws/gateway.secret")
    }

    pub fn gateway_config(&self) -> PathBuf {
        self.dir.join("spaceport.toml")
    }
}

/// What the files speak of besides the landscape.
pub struct Addresses<'a> {
    /// API server of each cluster, in the order of [`CLUSTERS`].
    pub kube: [&'a str; 2],
    pub aws: &'a str,
    pub gateway: &'a str,
    pub gateway_admin_port: u16,
}

/// Writes everything anew; clients pick it up at their next start.
///
/// # Errors
/// When a file cannot be written.
pub fn write_all(
    layout: &Layout,
    addresses: &Addresses<'_>,
    secrets: &Secrets,
    sessions: &Sessions,
    ca_pem: &str,
) -> Result<()> {
    for persona in &PERSONAS {
        let config = kubeconfig(persona, addresses, secrets, ca_pem);
        // JSON is YAML, and kubectl reads both.
        write_private(&layout.kubeconfig(persona.name), &serde_json::to_string_pretty(&config)?)?;
        for cluster in CLUSTERS {
            if let Some(role) = persona.role_in(cluster) {
                let path = layout.dir.join("aws").join(env_name(persona, cluster));
                write_private(&path, &aws_env(persona, cluster, role, addresses.aws, sessions)?)?;
            }
        }
    }
    write_private(&layout.gateway_secret(), &secrets.gateway.secret)?;
    write_public(&layout.gateway_config(), &gateway_config::render(layout, addresses, secrets)?)
}

/// `ds-b1.env`, and `ds-b1.sandbox-east.env` for the second cluster's account.
fn env_name(persona: &Persona, cluster: &ClusterFacts) -> String {
    if cluster == CLUSTERS[0] {
        format!("{}.env", persona.name)
    } else {
        format!("{}.{}.env", persona.name, cluster.name)
    }
}

fn kubeconfig(persona: &Persona, addresses: &Addresses<'_>, secrets: &Secrets, ca_pem: &str) -> Value {
    let mut clusters = Vec::new();
    let mut contexts = Vec::new();
    for (cluster, server) in CLUSTERS.iter().zip(addresses.kube) {
        if persona.role_in(cluster).is_none() {
            continue;
        }
        clusters.push(json!({
            "name": cluster.name,
            "cluster": {
                "server": server,
                "certificate-authority-data": data_encoding::BASE64.encode(ca_pem.as_bytes()),
            },
        }));
        contexts.push(json!({
            "name": cluster.name,
            "context": {
                "cluster": cluster.name, "user": persona.name, "namespace": home_namespace(persona),
            },
        }));
    }
    json!({
        "apiVersion": "v1", "kind": "Config",
        "clusters": clusters,
        "users": [{"name": persona.name, "user": {"token": secrets.kube_tokens.get(persona.name)}}],
        "contexts": contexts,
        "current-context": CLUSTERS[0].name,
    })
}

/// Where the persona's own Spaces are; auditors have none.
fn home_namespace(persona: &Persona) -> &'static str {
    PROJECTS
        .iter()
        .find(|project| project.members.iter().any(|group| persona.groups.contains(group)))
        .map_or("default", |project| project.namespaces[0])
}

fn aws_env(
    persona: &Persona,
    cluster: &ClusterFacts,
    role: &str,
    endpoint: &str,
    sessions: &Sessions,
) -> Result<String> {
    let issued = sessions.issue_for_persona(cluster.account, role, persona.name)?;
    Ok(format!(
        "# Credentials of {} in account {}. `set -a; . <this file>; set +a`\nAWS_ACCESS_KEY_ID={}\n\
         AWS_SECRET_ACCESS_KEY={}\nAWS_SESSION_TOKEN={}\nAWS_REGION={}\nAWS_DEFAULT_REGION={}\n\
         AWS_ENDPOINT_URL={endpoint}\n",
        persona.name,
        cluster.account,
        issued.access_key_id,
        issued.secret_access_key,
        issued.session_token,
        cluster.region,
        cluster.region,
    ))
}

/// Replaces a file that only its owner may read.
///
/// # Errors
/// When it cannot be written.
pub fn write_private(path: &Path, text: &str) -> Result<()> {
    replace(path, text, 0o600)
}

/// Replaces a file that anybody may read.
///
/// # Errors
/// When it cannot be written.
pub fn write_public(path: &Path, text: &str) -> Result<()> {
    replace(path, text, 0o644)
}

/// Through a neighbour and a rename: a reader sees the old file or the new one, and never with wider rights.
fn replace(path: &Path, text: &str, mode: u32) -> Result<()> {
    let why = || format!("cannot write {}", path.display());
    let mut neighbour = path.as_os_str().to_owned();
    neighbour.push(".new");
    let _ = std::fs::remove_file(&neighbour);
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(mode)
        .open(&neighbour)
        .with_context(why)?;
    file.write_all(text.as_bytes()).with_context(why)?;
    std::fs::rename(&neighbour, path).with_context(why)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn written() -> (tempfile::TempDir, Layout) {
        let dir = tempfile::tempdir().unwrap();
        let layout = Layout::create(dir.path()).unwrap();
        let secrets = Secrets::open(&layout.secrets()).unwrap();
        let sessions = Sessions::new(&secrets);
        let addresses = Addresses {
            kube: ["https://127.0.0.1:16443", "https://127.0.0.1:16444"],
            aws: "http://127.0.0.1:14566",
            gateway: "http://127.0.0.1:8080",
            gateway_admin_port: 8081,
        };
        write_all(&layout, &addresses, &secrets, &sessions, "PEM").unwrap();
        (dir, layout)
    }

    #[test]
    fn a_persona_has_a_context_only_where_it_has_a_role() {
        let (_dir, layout) = written();
        let contexts = |persona: &str| {
            let text = std::fs::read_to_string(layout.kubeconfig(persona)).unwrap();
            let config: Value = serde_saphyr::from_str(&text).unwrap();
            assert_eq!(config["current-context"], "sandbox");
            config["contexts"]
                .as_array()
                .unwrap()
                .iter()
                .map(|context| {
                    let text = |value: &Value| value.as_str().unwrap().to_owned();
                    (text(&context["name"]), text(&context["context"]["namespace"]))
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(contexts("ds-a1"), [("sandbox".to_owned(), "hyperpod-ns-team-a".to_owned())]);
        assert_eq!(contexts("ds-b1").len(), 2);
    }

    #[test]
    fn the_gateway_configuration_holds_no_secret() {
        let (_dir, layout) = written();
        let text = std::fs::read_to_string(layout.gateway_config()).unwrap();
        let secret = std::fs::read_to_string(layout.gateway_secret()).unwrap();
        assert!(!text.contains(&secret));
    }

    #[test]
    fn a_persona_has_keys_for_each_account_where_it_has_a_role() {
        let (_dir, layout) = written();
        assert!(layout.dir.join("aws/ds-b1.sandbox-east.env").exists());
        assert!(!layout.dir.join("aws/ds-a1.sandbox-east.env").exists());
        let text = std::fs::read_to_string(layout.dir.join("aws/ds-a1.env")).unwrap();
        assert!(text.contains("AWS_ENDPOINT_URL=http://127.0.0.1:14566\n"));
    }
}
