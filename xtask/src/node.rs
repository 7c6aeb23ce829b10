//! Node and the npm packages of the browser tests.

use crate::command::{announced, capture, perform, program};
use crate::paths;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;

const OLDEST: u32 = 20;

/// Checks that Node is there and new enough.
pub fn check() -> Result<()> {
    let version =
        capture(program("node").arg("--version")).context("Node 20 or newer is needed, with npm")?;
    if major(&version).is_none_or(|major| major < OLDEST) {
        bail!("Node {OLDEST} or newer is needed; `node --version` says {}", version.trim());
    }
    Ok(())
}

fn major(version: &str) -> Option<u32> {
    version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// The folder of the browser tests, with the packages of its lock file installed.
pub fn browser_test_packages() -> Result<PathBuf> {
    let dir = paths::root().join("tests/e2e");
    let (wanted, installed) = (dir.join("package-lock.json"), dir.join("node_modules/.lock-of-install"));
    let lock = std::fs::read(&wanted).with_context(|| format!("cannot read {}", wanted.display()))?;
    if std::fs::read(&installed).is_ok_and(|last| last == lock) {
        return Ok(dir);
    }
    announced("fetching the npm packages of the browser tests", || {
        perform(
            program("npm").args(["ci", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(&dir),
        )?;
        Ok(std::fs::write(&installed, lock)?)
    })?;
    Ok(dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_node_prints_them() {
        assert_eq!(major("v20.20.2\n"), Some(20));
        assert_eq!(major("20"), None);
        assert_eq!(major(""), None);
    }
}
