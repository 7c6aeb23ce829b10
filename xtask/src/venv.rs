//! Python packages in environments of their own, in the tool cache.

use crate::command::{perform, program};
use crate::{paths, tools};
use anyhow::{Context, Result};
use std::path::PathBuf;

/// The environment's folder of programs; installs `package` at `version` the first time.
pub fn with_package(package: &str, version: &str, size: &str) -> Result<PathBuf> {
    let python = paths::find("python3").context("Python 3 is needed: no python3 on PATH")?;
    let dir = tools::cached(package, version, size, |dir| {
        perform(program(python).args(["-m", "venv", "--clear"]).arg(dir))?;
        let mut pip = program(dir.join("bin/python"));
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]);
        perform(pip.arg(format!("{package}=={version}")))
    })?;
    Ok(dir.join("bin"))
}
