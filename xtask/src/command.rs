//! Running other programs: what failed is said in one line, with the program's own output before it.

use crate::paths;
use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::process::{Command, Stdio};
use std::time::Instant;

/// A program that runs in the root of the checkout.
///
/// What cargo tells about xtask's own package is taken away: build scripts (that of `ring`, below everything) watch
/// those variables, and each change between a plain `cargo` and one started here would rebuild for minutes.
pub fn program(name: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(name);
    command.current_dir(paths::root());
    for (variable, _) in std::env::vars_os().filter(|(variable, _)| about_own_package(variable)) {
        command.env_remove(variable);
    }
    command
}

fn about_own_package(variable: &OsStr) -> bool {
    let name = variable.to_string_lossy();
    ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_", "CARGO_PRIMARY_"]
        .iter()
        .any(|prefix| name.starts_with(prefix))
}

/// The cargo that runs this.
pub fn cargo() -> Command {
    program(paths::variable("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs to the end, output shown.
///
/// # Errors
/// When the program cannot be started or does not answer 0.
pub fn perform(command: &mut Command) -> Result<()> {
    let line = describe(command);
    let status = command.status().with_context(|| format!("cannot start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}

/// Runs to the end and gives back what it printed.
///
/// # Errors
/// As [`perform`]; the program's error output is shown.
pub fn capture(command: &mut Command) -> Result<String> {
    let line = describe(command);
    let output =
        command.stderr(Stdio::inherit()).output().with_context(|| format!("cannot start `{line}`"))?;
    if !output.status.success() {
        bail!("`{line}` failed ({})", output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Announces an installation and says how long it took.
pub fn announced<T>(what: &str, action: impl FnOnce() -> Result<T>) -> Result<T> {
    eprintln!("xtask: {what}");
    let started = Instant::now();
    let done = action().with_context(|| format!("could not finish: {what}"))?;
    eprintln!("xtask: done in {:.1} s", started.elapsed().as_secs_f64());
    Ok(done)
}

fn describe(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_failing_program_is_named_with_its_arguments() {
        let error = perform(program("sh").args(["-c", "exit 3"])).unwrap_err().to_string();
        assert!(error.contains("sh -c exit 3") && error.contains('3'), "{error}");
    }

    #[test]
    fn a_program_is_not_told_about_xtasks_own_package() {
        let seen = capture(&mut program("env")).unwrap();
        assert!(!seen.contains("CARGO_PKG_NAME=") && !seen.contains("CARGO_MANIFEST_DIR="), "{seen}");
        assert!(
            about_own_package(OsStr::new("CARGO_PKG_NAME")) && !about_own_package(OsStr::new("CARGO_HOME"))
        );
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = format!("{:#}", capture(&mut program("no-such-program")).unwrap_err());
        assert!(error.contains("no-such-program"), "{error}");
    }
}
