//! A Chromium for the browser tests: the one `CHROME` names, one on PATH, or one from the system's packages.

use crate::{apt, paths};
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
    // The font: a Chinese page without one is all boxes, and a picture of it proves nothing.
    apt::install(&["chromium", "fonts-noto-cjk"], "300 MB")?;
    match found() {
        Some(found) => Ok(found),
        None => bail!("the browser tests need Chromium or Chrome: install one, or set CHROME to its path"),
    }
}

fn found() -> Option<PathBuf> {
    let mac = PathBuf::from(MAC);
    NAMES.iter().find_map(|name| paths::find(name)).or_else(|| mac.is_file().then_some(mac))
}
