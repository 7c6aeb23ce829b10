//! The single checks, each also a command or part of one.

use crate::command::{capture, cargo, perform, program};
use crate::services;
use crate::{browser, node, paths, peers, spa, tools, wasm};
use anyhow::{Context, Result, bail};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

type Step<'a> = (&'static str, Box<dyn FnOnce() -> Result<()> + 'a>);

/// What the set-up found or installed.
pub struct Tools {
    /// PATH with the outside clients in front.
    path: OsString,
    peers: bool,
}

/// Installs all that the checks need; with `peers` also hyp and code-server.
pub fn set_up(heavy: bool) -> Result<Tools> {
    node::check()?;
    wasm::set_up()?;
    tools::frontend()?;
    browser::chromium()?;
    node::browser_test_packages()?;
    let mut dirs = vec![peers::kubectl()?];
    if heavy {
        dirs.push(peers::hyp()?);
        dirs.push(peers::code_server()?);
    }
    Ok(Tools { path: paths::search_path(&dirs)?, peers: heavy })
}

/// Cheap checks first: a misformatted file should not cost twenty minutes. The comparison of `openapi.json` and the
/// recorded answers are among the integration tests.
pub fn all(tools: &Tools) -> Vec<Step<'_>> {
    vec![
        ("format", Box::new(|| perform(cargo().args(["fmt", "--all", "--check"])))),
        ("lints", Box::new(lint)),
        ("lock file", Box::new(lock_file)),
        ("unit and integration tests", Box::new(|| cargo_tests(tools))),
        ("browser application", Box::new(spa::build)),
        ("browser tests", Box::new(|| run_browser_tests(None, tools))),
    ]
}

pub fn lint() -> Result<()> {
    let mut host = cargo();
    host.args([
        "clippy",
        "--workspace",
        "--exclude",
        "spaceport-frontend",
        "--all-targets",
        "--",
        "-Dwarnings",
    ]);
    perform(&mut host)?;
    let mut frontend = cargo();
    frontend.args(["clippy", "--package", "spaceport-frontend", "--target", wasm::TARGET, "--target-dir"]);
    perform(frontend.arg(paths::frontend_target()).args(["--", "-Dwarnings"]))
}

/// The lock file must already say everything. Licences, bans and sources are `cargo xtask audit`.
fn lock_file() -> Result<()> {
    let mut metadata = cargo();
    metadata.args(["metadata", "--locked", "--format-version=1"]);
    perform(metadata.stdout(std::process::Stdio::null()))
}

/// Tests against the heavy peers are marked ignored; with `--peers` they count like the others.
fn cargo_tests(tools: &Tools) -> Result<()> {
    let mut command = cargo();
    command.args(["test", "--workspace", "--no-fail-fast"]).env("PATH", &tools.path);
    if tools.peers {
        command.args(["--", "--include-ignored"]);
    }
    perform(&mut command)
}

fn openapi_from_code() -> Result<String> {
    capture(cargo().args([
        "run",
        "--quiet",
        "--package",
        "spaceport-gateway",
        "--bin",
        "spaceport",
        "--",
        "openapi",
    ]))
}

pub fn write_openapi() -> Result<()> {
    let file = paths::root().join("openapi.json");
    std::fs::write(&file, openapi_from_code()?).with_context(|| format!("cannot write {}", file.display()))
}

pub fn transcripts(dir: &Path) -> Result<()> {
    let mut command = cargo();
    command.args(["run", "--quiet", "--package", "spaceport-tests", "--bin", "transcripts", "--"]);
    perform(command.arg(std::path::absolute(dir)?))
}

pub fn browser_tests(filter: Option<&str>) -> Result<()> {
    spa::build()?;
    // The story is told to kubectl as well.
    let tools = Tools { path: paths::search_path(&[peers::kubectl()?])?, peers: false };
    run_browser_tests(filter, &tools)
}

/// The tests start the sandbox and the gateway themselves, on free ports.
fn run_browser_tests(filter: Option<&str>, tools: &Tools) -> Result<()> {
    services::build()?;
    let dir = node::browser_test_packages()?;
    let mut command = browser_test_command(&dir, filter)?;
    command.env("PATH", &tools.path);
    if tools.peers {
        command.env("SPACEPORT_PEERS", "1");
    }
    perform(&mut command)
}

fn browser_test_command(dir: &Path, filter: Option<&str>) -> Result<Command> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(dir)?.flatten().map(|entry| entry.path()).collect();
    files.retain(|file| file.to_string_lossy().ends_with(".test.mjs"));
    files.sort();
    if files.is_empty() {
        bail!("no browser tests in {}", dir.display());
    }
    let mut command = program("node");
    // One file at a time: each has a sandbox, a gateway and a browser of its own, and two cores are two.
    command.args(["--test", "--test-concurrency=1", "--test-reporter=spec"]);
    if let Some(filter) = filter {
        command.arg(format!("--test-name-pattern={filter}"));
    }
    command.args(files).env("CHROME", browser::chromium()?);
    command.env("SPACEPORT_BIN", paths::target().join("debug")).env("SPACEPORT_DIST", spa::dist());
    Ok(command)
}
