//! The tool cache: one folder per tool and version, filled once, whole or not at all.

use crate::command::{announced, cargo, perform, program};
use crate::{paths, versions};
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Written last, so that a broken-off installation is done again.
const COMPLETE: &str = ".complete";

/// The folder of one tool; `install` fills it the first time.
pub fn cached(
    name: &str,
    version: &str,
    size: &str,
    install: impl FnOnce(&Path) -> Result<()>,
) -> Result<PathBuf> {
    let dir = paths::tools()?.join(format!("{name}-{version}"));
    if dir.join(COMPLETE).exists() {
        return Ok(dir);
    }
    announced(&format!("fetching {name} {version} ({size}) into {}", dir.display()), || {
        std::fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
        install(&dir)?;
        std::fs::write(dir.join(COMPLETE), "").with_context(|| format!("cannot write to {}", dir.display()))
    })?;
    Ok(dir)
}

/// Folders of programs that building the SPA needs, for the front of PATH.
pub fn frontend() -> Result<Vec<PathBuf>> {
    Ok(vec![trunk()?, wasm_bindgen()?, binaryen()?])
}

fn trunk() -> Result<PathBuf> {
    from_crate("trunk", "trunk", versions::TRUNK, &["--no-default-features"])
}

fn wasm_bindgen() -> Result<PathBuf> {
    from_crate("wasm-bindgen", "wasm-bindgen-cli", versions::WASM_BINDGEN, &[])
}

pub fn cargo_deny() -> Result<PathBuf> {
    from_crate("cargo-deny", "cargo-deny", versions::CARGO_DENY, &["--no-default-features"])
}

fn binaryen() -> Result<PathBuf> {
    let dir = cached("binaryen", versions::BINARYEN, "npm, 20 MB", |dir| {
        npm_install(dir, &format!("binaryen@{}", versions::BINARYEN))
    })?;
    Ok(dir.join("node_modules/.bin"))
}

/// One npm package into a folder of its own.
pub fn npm_install(dir: &Path, package: &str) -> Result<()> {
    perform(&mut npm(dir, package))
}

/// The command for that, to be given another Node.
pub fn npm(dir: &Path, package: &str) -> Command {
    let mut npm = program("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]).arg(dir).arg(package);
    npm.stdout(Stdio::null());
    npm
}

/// A program from a crate. Cargo moves the program into place when it is complete, so its presence is the mark.
fn from_crate(name: &str, package: &str, version: &str, features: &[&str]) -> Result<PathBuf> {
    let dir = paths::tools()?.join(format!("{name}-{version}"));
    let bin = dir.join("bin");
    if bin.join(name).exists() {
        return Ok(bin);
    }
    announced(
        &format!("building {package} {version} from source (minutes, once) into {}", dir.display()),
        || {
            let build = dir.join("build");
            let mut install = cargo();
            install.args(["install", "--locked", "--quiet", package, "--version", version]).args(features);
            install.arg("--root").arg(&dir).env("CARGO_TARGET_DIR", &build);
            // Tools need to be built soon more than to run fast.
            install.env("CARGO_PROFILE_RELEASE_LTO", "off").env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16");
            install.env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1").env("CARGO_PROFILE_RELEASE_DEBUG", "0");
            perform(&mut install)?;
            std::fs::remove_dir_all(&build).with_context(|| format!("cannot remove {}", build.display()))
        },
    )?;
    Ok(bin)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    // One test for the whole life of a folder: the cache's place comes from the environment, which tests share.
    #[test]
    fn a_broken_off_installation_is_done_again_and_a_complete_one_is_not() {
        let Ok(tools) = paths::tools() else { panic!("the tests need a HOME") };
        let version = format!("test-{}", std::process::id());
        let dir = tools.join(format!("cache-test-{version}"));
        let _remove = Removed(dir.clone());
        cached("cache-test", &version, "", |_| anyhow::bail!("no network")).unwrap_err();
        let mut calls = 0;
        for _ in 0..2 {
            let found = cached("cache-test", &version, "", |dir| {
                calls += 1;
                Ok(std::fs::write(dir.join("tool"), "")?)
            });
            assert_eq!(found.unwrap(), dir);
        }
        assert_eq!(calls, 1);
    }

    struct Removed(PathBuf);
    impl Drop for Removed {
        fn drop(&mut self) {
            std::fs::remove_dir_all(&self.0).expect("the test made this folder");
        }
    }
}
