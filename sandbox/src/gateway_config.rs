//! `spaceport.toml`: the gateway's configuration in the form that production has; only endpoints and keys are the
//! sandbox's.

use crate::files::{Addresses, Layout};
use crate::landscape::{CLUSTERS, ClusterFacts, PARTITION, PERSONAS, PROJECTS};
use crate::secrets::Secrets;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fmt::Write as _;

/// The whole file.
///
/// # Errors
/// A gateway URL that is not on this machine.
pub fn render(layout: &Layout, addresses: &Addresses<'_>, secrets: &Secrets) -> Result<String> {
    let listen = listen_address(addresses.gateway)?;
    let admin_listen = format!("127.0.0.1:{}", addresses.gateway_admin_port);
    let database = format!("sqlite://{}", layout.dir.join("state/spaceport.db").display());
    let mut text = format!(
        "# Written by spaceport-sandbox at each start; edits are lost.\npublic_url = {}\nlisten = {}\n\
         admin_listen = {}\ndatabase_url = {}\n\n[http]\nallowed_hosts = []\ntrusted_proxies = []\n\n",
        quote(addresses.gateway.trim_end_matches('/')),
        quote(&listen),
        quote(&admin_listen),
        quote(&database),
    );
    text.push_str("[identity]\nkind = \"personas\"\nissuer = \"spaceport-sandbox\"\n\n");
    for persona in &PERSONAS {
        let name = quote(persona.name);
        let groups = quote_all(persona.groups);
        write!(text, "[[identity.personas]]\nname = {name}\ndisplay_name = {name}\ngroups = {groups}\n\n")?;
    }
    text.push_str("[roles]\nadmins = [\"platform-admins\"]\nauditors = [\"auditors\"]\n\n");
    for project in &PROJECTS {
        write!(
            text,
            "[[projects]]\nid = {}\nnamespaces = {}\nleads = {}\nmembers = {}\n\n",
            quote(project.id),
            quote_all(project.namespaces),
            quote_all(project.leads),
            quote_all(project.members),
        )?;
    }
    write!(
        text,
        "[aws]\nendpoint_url = {}\naccess_key_id = {}\nsecret_access_key_file = {}\n\n",
        quote(addresses.aws),
        quote(&secrets.gateway.id),
        quote(&layout.gateway_secret().display().to_string()),
    )?;
    for cluster in CLUSTERS {
        write_cluster(&mut text, cluster)?;
    }
    Ok(text)
}

/// Where the gateway listens to be reached under its URL.
fn listen_address(url: &str) -> Result<String> {
    let gateway = url::Url::parse(url).with_context(|| format!("{url} is no URL"))?;
    let host = match gateway.host_str() {
        Some("127.0.0.1" | "localhost") => "127.0.0.1",
        _ => bail!(
            "{url} is beyond this machine; personas have no boundary between them, so the gateway stays on it"
        ),
    };
    let port = gateway.port_or_known_default().with_context(|| format!("{url} has no port"))?;
    Ok(format!("{host}:{port}"))
}

fn write_cluster(text: &mut String, cluster: &ClusterFacts) -> Result<()> {
    write!(
        text,
        "[[clusters]]\nname = {}\neks_cluster = {}\naccount = {}\nregion = {}\npartition = {}\n\
         hub_role_arn = {}\n\n",
        quote(cluster.name),
        quote(cluster.eks_name),
        quote(cluster.account),
        quote(cluster.region),
        quote(PARTITION),
        quote(&cluster.role_arn("SpaceportHub")),
    )?;
    for (group, role) in cluster.role_map {
        let role = cluster.role_arn(role);
        write!(text, "[[clusters.role_map]]\ngroup = {}\nrole_arn = {}\n\n", quote(group), quote(&role))?;
    }
    Ok(())
}

/// A TOML basic string. JSON's escapes are a subset of TOML's.
fn quote(text: &str) -> String {
    Value::from(text).to_string()
}

fn quote_all(texts: &[&str]) -> String {
    format!("[{}]", texts.iter().map(|text| quote(text)).collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn rendered(gateway: &str) -> Result<String> {
        let dir = tempfile::tempdir().unwrap();
        let layout = Layout::create(dir.path()).unwrap();
        let secrets = Secrets::open(&layout.secrets()).unwrap();
        let kube = ["https://127.0.0.1:1", "https://127.0.0.1:2"];
        let addresses = Addresses { kube, aws: "http://127.0.0.1:3", gateway, gateway_admin_port: 4 };
        render(&layout, &addresses, &secrets)
    }

    #[test]
    fn everybody_and_everything_is_in_it() {
        let text = rendered("http://localhost:8080/").unwrap();
        assert!(text.contains("public_url = \"http://localhost:8080\""));
        assert!(text.contains("\nlisten = \"127.0.0.1:8080\""));
        assert_eq!(text.matches("[[clusters]]").count(), CLUSTERS.len());
        assert_eq!(text.matches("[[identity.personas]]").count(), PERSONAS.len());
    }

    #[test]
    fn a_gateway_beyond_this_machine_is_refused() {
        for url in ["http://0.0.0.0:8080", "https://portal.example", "http://192.168.1.2:80", "nonsense"] {
            assert!(rendered(url).is_err(), "{url}");
        }
    }
}
