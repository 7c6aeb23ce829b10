//! Packages of a Debian-like system, installed only by root, which build machines are; elsewhere nothing is changed.

use crate::command::{announced, perform, program};
use crate::paths;
use anyhow::Result;
use std::os::unix::fs::MetadataExt;
use std::process::Stdio;

/// Installs `packages` where that is possible, else does nothing: the caller looks for what it wanted and says how to
/// get it.
pub fn install(packages: &[&str], size: &str) -> Result<()> {
    let root = std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
    if !root || paths::find("apt-get").is_none() {
        return Ok(());
    }
    announced(&format!("installing {} from the system's packages ({size})", packages.join(", ")), || {
        perform(program("apt-get").args(["-qq", "update"]))?;
        let mut install = program("apt-get");
        install.args(["-qq", "install", "--yes", "--no-install-recommends"]).args(packages);
        perform(install.env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null()))
    })
}
