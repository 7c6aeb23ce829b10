//! Layering of the sources, and what a person reads when one of them cannot be used.

use super::Config;
use clap::Args;
use figment::Figment;
use figment::providers::{Env, Format, Serialized, Toml};
use std::path::PathBuf;

const PREFIX: &str = "SPACEPORT__";

/// Flags of `spaceport serve`; each overrides the key of the same name.
#[derive(Args, Clone, Debug, Default)]
pub struct Flags {
    /// The configuration file (TOML).
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Address users connect to.
    #[arg(long, value_name = "ADDR:PORT")]
    pub listen: Option<String>,
    /// Address of metrics and probes.
    #[arg(long, value_name = "ADDR:PORT")]
    pub admin_listen: Option<String>,
    /// Address in the browser's bar.
    #[arg(long, value_name = "URL")]
    pub public_url: Option<String>,
    /// Folder with the built portal.
    #[arg(long, value_name = "DIR")]
    pub assets_dir: Option<PathBuf>,
}

/// Reads all sources and validates the result.
///
/// # Errors
/// A missing file, an unknown or ill-typed key (with file and key), or the list of all validation problems.
pub fn load(flags: &Flags) -> anyhow::Result<Config> {
    let mut figment = Figment::new();
    if let Some(file) = &flags.config {
        anyhow::ensure!(file.is_file(), "--config: {} is not a file", file.display());
        figment = figment.merge(Toml::file_exact(file));
    }
    figment = figment.merge(Env::prefixed(PREFIX).split("__"));
    let texts = [
        ("listen", flags.listen.clone()),
        ("admin_listen", flags.admin_listen.clone()),
        ("public_url", flags.public_url.clone()),
        ("assets_dir", flags.assets_dir.as_ref().map(|dir| dir.display().to_string())),
    ];
    for (key, value) in texts.into_iter().filter_map(|(key, value)| value.map(|value| (key, value))) {
        figment = figment.merge(Serialized::default(key, value));
    }
    extract(&figment)
}

fn extract(figment: &Figment) -> anyhow::Result<Config> {
    let config: Config = figment.extract().map_err(|errors| {
        let lines: Vec<String> = errors.into_iter().map(|error| error.to_string()).collect();
        anyhow::anyhow!("the configuration cannot be read:\n  {}", lines.join("\n  "))
    })?;
    config.validate()?;
    Ok(config)
}

#[cfg(test)]
pub(super) fn from_text(text: &str) -> anyhow::Result<Config> {
    extract(&Figment::new().merge(Toml::string(text)))
}
