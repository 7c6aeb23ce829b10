//! A Chromium for the browser tests: the one `CHROME` names, one on PATH, or one from the system's packages.

use crate::command::{announced, perform, program};
use crate::paths;
use anyhow::{Result, bail};
use std::path::PathBuf;

const NAMES: [&str; 5] = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"];
const MAC: &str = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

/// # Errors
/// When there is none and none can be installed: says what to do.
pub fn chromium() -> Result<PathBuf> {
    if let Some(named) = paths::variable("CHROME").map(PathBuf::from) {
        if named.is_file() {
            return Ok(named);
        }
        bail!("CHROME names {}, which is no file", named.display());
    }
    if let Some(found) = found() {
        return Ok(found);
    }
    install()?;
    match found() {
        Some(found) => Ok(found),
        None => bail!("the browser tests need Chromium or Chrome: install one, or set CHROME to its path"),
    }
}

fn found() -> Option<PathBuf> {
    let mac = PathBuf::from(MAC);
    NAMES.iter().find_map(|name| paths::find(name)).or_else(|| mac.is_file().then_some(mac))
}

/// Only as root on a Debian-like system, which build machines are; elsewhere nothing is changed.
fn install() -> Result<()> {
    let root =
        std::fs::metadata("/proc/self").is_ok_and(|meta| std::os::unix::fs::MetadataExt::uid(&meta) == 0);
    if !root || paths::find("apt-get").is_none() {
        return Ok(());
    }
    announced("installing chromium and a CJK font from the system's packages (300 MB)", || {
        perform(program("apt-get").args(["-qq", "update"]))?;
        let mut install = program("apt-get");
        install.args(["-qq", "install", "--yes", "--no-install-recommends", "chromium", "fonts-noto-cjk"]);
        perform(install.env("DEBIAN_FRONTEND", "noninteractive").stdout(std::process::Stdio::null()))
    })
}
