//! Where things are: the checkout, the tool cache, and the environment variables that move them.

use anyhow::{Context, Result};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Root of the checkout.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies below the root")
}

/// Tools are kept outside the checkout, one folder per version: ten minutes saved in every fresh clone.
/// `SPACEPORT_TOOLS`, else `$XDG_CACHE_HOME/spaceport/tools`, else `~/.cache/spaceport/tools`; the sandbox looks in
/// the same place for JupyterLab.
pub fn tools() -> Result<PathBuf> {
    let set = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(dir) = set("SPACEPORT_TOOLS") {
        return Ok(dir);
    }
    let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    Ok(cache.context("neither SPACEPORT_TOOLS nor XDG_CACHE_HOME nor HOME is set")?.join("spaceport/tools"))
}

/// The one place where xtask reads its environment.
#[expect(clippy::disallowed_methods, reason = "a command line tool is configured by its environment")]
pub fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// The first file called `name` on PATH.
pub fn find(name: &str) -> Option<PathBuf> {
    std::env::split_paths(&variable("PATH")?).map(|dir| dir.join(name)).find(|file| file.is_file())
}

/// PATH with `first` in front.
pub fn search_path(first: &[PathBuf]) -> Result<OsString> {
    let rest = variable("PATH").unwrap_or_default();
    let all = first.iter().cloned().chain(std::env::split_paths(&rest));
    std::env::join_paths(all).context("a folder on PATH has a separator in its name")
}

/// Cargo's output folder, wherever this machine puts it.
pub fn target() -> PathBuf {
    variable("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), |dir| root().join(dir))
}

/// The browser target has a folder of its own, so that its build neither waits for nor invalidates the host's.
pub fn frontend_target() -> PathBuf {
    target().join("frontend")
}
