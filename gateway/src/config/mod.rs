//! Typed configuration: serde defaults, then the file, then `SPACEPORT__SECTION__KEY`, then flags. One file a section.
//!
//! Everything is validated before anything starts, and every problem is reported at once, with its place.

mod aws;
mod cluster;
mod http;
mod identity;
mod load;
mod log;
mod session;

pub use self::aws::Aws;
pub use self::cluster::{Cluster, RoleArn, RoleMapping};
pub use self::http::{Http, PublicUrl};
pub use self::identity::{Identity, Persona, Roles};
pub use self::load::{Flags, load};
pub use self::log::{Log, LogFormat};
pub use self::session::Session;

use ::http::Uri;
use serde::Deserialize;
use spaceport_shared::project::Project;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Not `Debug`: the database address may hold a password.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Address in the browser's bar; decides cookie, Origin and HSTS.
    pub public_url: PublicUrl,
    pub listen: SocketAddr,
    /// `/metrics`, `/healthz`, `/readyz`: never exposed to users.
    pub admin_listen: SocketAddr,
    /// `sqlite:///absolute/path.db` or `postgres://…`.
    #[serde(default)]
    pub database_url: Option<String>,
    /// A file that holds the address, where it contains a password.
    #[serde(default)]
    pub database_url_file: Option<PathBuf>,
    /// The built portal; without it the embedded one is served.
    #[serde(default)]
    pub assets_dir: Option<PathBuf>,
    #[serde(default)]
    pub http: Http,
    #[serde(default)]
    pub session: Session,
    #[serde(default)]
    pub log: Log,
    pub identity: Identity,
    #[serde(default)]
    pub roles: Roles,
    /// Without any, each team namespace is its own project.
    #[serde(default)]
    pub projects: Vec<Project>,
    #[serde(default)]
    pub aws: Aws,
    #[serde(default)]
    pub clusters: Vec<Cluster>,
}

/// Problems found so far, each with the place of the value in the file's own notation.
#[derive(Debug, Default)]
pub struct Problems(Vec<String>);

impl Problems {
    pub fn add(&mut self, place: &str, what: impl std::fmt::Display) {
        self.0.push(format!("{place}: {what}"));
    }

    pub fn into_result(self) -> anyhow::Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        anyhow::bail!("the configuration is not usable:\n  {}", self.0.join("\n  "))
    }
}

impl Config {
    /// Checks every section, and the rules that span sections.
    pub fn validate(&self) -> anyhow::Result<()> {
        let mut problems = Problems::default();
        self.public_url.validate(&mut problems);
        self.http.validate(&mut problems);
        self.session.validate(&self.public_url, &mut problems);
        self.identity.validate(&mut problems);
        self.aws.validate(&mut problems);
        cluster::validate(&self.clusters, &mut problems);
        match (&self.database_url, &self.database_url_file) {
            (None, None) => problems.add("database_url", "missing (or give database_url_file)"),
            (Some(_), Some(_)) => problems.add("database_url", "given twice, also as database_url_file"),
            _ => {}
        }
        match self.identity {
            Identity::Personas { .. } => self.require_loopback(&mut problems),
        }
        problems.into_result()
    }

    /// Anybody may sign in as any persona, so nothing may be reachable from, or reach, another machine.
    fn require_loopback(&self, problems: &mut Problems) {
        const WHY: &str = "persona sign-in needs no password and is refused beyond loopback";
        for (place, address) in [("listen", self.listen), ("admin_listen", self.admin_listen)] {
            if !address.ip().is_loopback() {
                problems.add(place, WHY);
            }
        }
        if !is_loopback_host(self.public_url.host()) {
            problems.add("public_url", WHY);
        }
        if !self.clusters.is_empty() && self.aws.access_key_id.is_none() {
            problems.add(
                "aws.access_key_id",
                "missing: this machine's own AWS identity is no matter for a sandbox",
            );
        }
        match &self.aws.endpoint_url {
            None if self.clusters.is_empty() => {}
            None => problems.add("aws.endpoint_url", WHY),
            Some(url) if is_loopback_url(url) => {}
            Some(_) => problems.add("aws.endpoint_url", WHY),
        }
    }

    /// The database address, read from its file if it has one.
    pub fn database_address(&self) -> anyhow::Result<String> {
        match (&self.database_url, &self.database_url_file) {
            (Some(url), _) => Ok(url.clone()),
            (None, Some(file)) => read_secret(file),
            (None, None) => anyhow::bail!("database_url: missing"),
        }
    }
}

/// Host names that only this machine answers to.
pub fn is_loopback_host(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

pub fn is_loopback_url(url: &str) -> bool {
    url.parse::<Uri>().ok().and_then(|uri| uri.host().map(is_loopback_host)).unwrap_or(false)
}

/// A secret's file without the line end that editors add.
pub fn read_secret(file: &std::path::Path) -> anyhow::Result<String> {
    let text =
        std::fs::read_to_string(file).map_err(|error| anyhow::anyhow!("{}: {error}", file.display()))?;
    Ok(text.trim_end_matches(['\r', '\n']).to_owned())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub const MINIMAL: &str = r#"
        public_url = "http://127.0.0.1:8080"
        listen = "127.0.0.1:0"
        admin_listen = "127.0.0.1:0"
        database_url = "sqlite::memory:"
        [identity]
        kind = "personas"
        issuer = "test"
        [[identity.personas]]
        name = "ds-a1"
        groups = ["team-a"]
        [[identity.personas]]
        name = "lead-a"
        groups = ["team-a-leads", "team-a"]
        [[projects]]
        id = "team-a"
        namespaces = ["hyperpod-ns-team-a"]
        leads = ["team-a-leads"]
        members = ["team-a"]
    "#;

    pub fn parse(text: &str) -> anyhow::Result<Config> {
        load::from_text(text)
    }

    #[test]
    fn a_minimal_file_is_enough() {
        assert!(parse(MINIMAL).is_ok_and(|config| config.session.idle_minutes == 30));
    }

    #[test]
    fn persona_sign_in_is_refused_when_anything_leaves_loopback() {
        let open = MINIMAL
            .replace("listen = \"127.0.0.1:0\"\n        admin", "listen = \"0.0.0.0:0\"\n        admin")
            .replace("http://127.0.0.1:8080", "http://portal.example");
        let error = parse(&open).map(|_| ()).expect_err("must be refused").to_string();
        assert!(error.contains("listen: persona") && error.contains("public_url: persona"), "{error}");
        let aws = format!("{MINIMAL}\n[aws]\nendpoint_url = \"http://10.0.0.1\"\n");
        let error = parse(&aws).map(|_| ()).expect_err("must be refused").to_string();
        assert!(error.contains("aws.endpoint_url"), "{error}");
    }

    #[test]
    fn a_misspelt_key_is_named() {
        let text = format!("{MINIMAL}\n[http]\nallowed_host = []\n");
        let error = parse(&text).map(|_| ()).expect_err("must be refused").to_string();
        assert!(error.contains("allowed_host"), "{error}");
    }

    #[test]
    fn every_problem_is_reported_at_once() {
        let text = format!("{MINIMAL}\n[session]\nidle_minutes = 0\nabsolute_hours = 0\n");
        let error = parse(&text).map(|_| ()).expect_err("must be refused").to_string();
        assert!(
            error.contains("session.idle_minutes") && error.contains("session.absolute_hours"),
            "{error}"
        );
    }

    #[test]
    fn loopback_is_an_address_not_a_prefix() {
        assert!(is_loopback_host("127.0.0.1") && is_loopback_host("[::1]") && is_loopback_host("localhost"));
        assert!(!is_loopback_host("127.0.0.1.example.com") && !is_loopback_host("localhost.example"));
    }
}
