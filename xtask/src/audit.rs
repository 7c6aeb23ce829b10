//! `cargo xtask audit`: what the dependencies are, where they come from and what is known against them (deny.toml).

use crate::command::{perform, program};
use crate::{paths, tools};
use anyhow::{Result, bail};
use std::path::Path;

pub fn audit() -> Result<()> {
    let bin = tools::cargo_deny()?;
    policy(&bin)?;
    println!("bans, licences and sources: fine");
    // Advisories need a database from the network; without it the rest of the audit still counts.
    let fetched = perform(deny(&bin)?.args(["fetch", "db"]));
    if let Err(error) = fetched {
        println!("advisories: NOT checked, the database cannot be fetched ({error:#})");
        return Ok(());
    }
    if perform(deny(&bin)?.args(["check", "--disable-fetch", "advisories"])).is_err() {
        bail!("advisories: there are some, see above");
    }
    println!("advisories: none");
    Ok(())
}

/// The part that needs no network. `bin` is the folder with cargo-deny.
pub fn policy(bin: &Path) -> Result<()> {
    perform(deny(bin)?.args(["check", "bans", "licenses", "sources"]))
}

fn deny(bin: &Path) -> Result<std::process::Command> {
    let mut command = program(bin.join("cargo-deny"));
    command.env("PATH", paths::search_path(&[bin.to_owned()])?).arg("--workspace");
    Ok(command)
}
