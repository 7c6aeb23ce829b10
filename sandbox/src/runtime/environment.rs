//! The cached JupyterLab installation that all Spaces share: what an image pull is here.
//!
//! Installed once per version into the tool cache (outside any checkout), under a file lock, because several
//! sandboxes may start at once.

use super::log::Log;
use nix::fcntl::{Flock, FlockArg};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Instant;
use tokio::process::Command;
use tokio::sync::Mutex;

/// The version a Space runs.
pub const JUPYTERLAB: &str = "4.6.6";
/// Without this the first page asks whether to fetch news, and a laptop without a network shows an error later.
const SETTINGS: &str = r#"{ "@jupyterlab/apputils-extension:notification": { "fetchNews": "false" } }"#;

/// Where tools are kept: `SPACEPORT_TOOLS`, else `$XDG_CACHE_HOME/spaceport/tools`, else `~/.cache/spaceport/tools`.
pub fn tools_dir(variable: impl Fn(&str) -> Option<OsString>) -> PathBuf {
    let set = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("SPACEPORT_TOOLS").unwrap_or_else(|| {
        let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
        cache.unwrap_or_else(std::env::temp_dir).join("spaceport/tools")
    })
}

/// The first executable called `name` in a search path of the `PATH` form.
pub fn find(search_path: &OsStr, name: &str) -> Option<PathBuf> {
    std::env::split_paths(search_path).map(|dir| dir.join(name)).find(|file| file.is_file())
}

pub struct Environment {
    dir: PathBuf,
    search_path: OsString,
    /// What the installer prints; the page that waits for it shows the last line.
    pub progress: Log,
    /// Held while installing, so that many Spaces wait for one installation.
    ready: Mutex<bool>,
}

impl Environment {
    pub fn new(tools_dir: &Path, search_path: OsString) -> Environment {
        Environment {
            dir: tools_dir.join(format!("jupyterlab-{JUPYTERLAB}")),
            search_path,
            progress: Log::default(),
            ready: Mutex::new(false),
        }
    }

    /// The folder with the programs, installing first where needed (half a minute, some 250 MB).
    ///
    /// # Errors
    /// A sentence that says what is missing or failed; the next call tries again.
    pub async fn bin(&self) -> Result<PathBuf, String> {
        let mut ready = self.ready.lock().await;
        if !*ready {
            self.install().await?;
            *ready = true;
        }
        Ok(self.dir.join("bin"))
    }

    async fn install(&self) -> Result<(), String> {
        let complete = self.dir.join(".complete");
        if complete.exists() {
            return Ok(());
        }
        let python = find(&self.search_path, "python3").ok_or("no python3 on PATH")?;
        let _lock = self.lock().await?;
        if complete.exists() {
            return Ok(());
        }
        let started = Instant::now();
        tracing::info!(version = JUPYTERLAB, dir = %self.dir.display(), "installing JupyterLab (about 250 MB)");
        let venv = Command::new(python);
        self.run(venv, &[OsStr::new("-m"), OsStr::new("venv"), OsStr::new("--clear"), self.dir.as_os_str()])
            .await?;
        let pip = Command::new(self.dir.join("bin/python"));
        let package = format!("jupyterlab=={JUPYTERLAB}");
        let arguments = ["-m", "pip", "install", "--disable-pip-version-check", "--no-input", &package];
        self.run(pip, &arguments.map(OsStr::new)).await?;
        let settings = self.dir.join("share/jupyter/lab/settings");
        std::fs::create_dir_all(&settings)
            .and_then(|()| std::fs::write(settings.join("overrides.json"), SETTINGS))
            .and_then(|()| std::fs::write(&complete, ""))
            .map_err(|error| format!("cannot write to {}: {error}", self.dir.display()))?;
        tracing::info!(seconds = started.elapsed().as_secs(), "installed JupyterLab");
        Ok(())
    }

    /// Waits for other sandboxes that install the same version.
    async fn lock(&self) -> Result<Flock<std::fs::File>, String> {
        let path = PathBuf::from(format!("{}.lock", self.dir.display()));
        let take = move || {
            std::fs::create_dir_all(path.parent().unwrap_or(&path)).map_err(|error| error.to_string())?;
            let file = std::fs::File::create(&path).map_err(|error| error.to_string())?;
            Flock::lock(file, FlockArg::LockExclusive).map_err(|(_, error)| error.to_string())
        };
        let locked = tokio::task::spawn_blocking(take).await.map_err(|error| error.to_string())?;
        locked.map_err(|error| format!("cannot lock {}: {error}", self.dir.display()))
    }

    /// Runs one step of the installation. The caller's environment is kept: it may name a package mirror or a proxy.
    async fn run(&self, mut command: Command, arguments: &[&OsStr]) -> Result<(), String> {
        let name = arguments.get(1).map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn().map_err(|error| format!("{name}: {error}"))?;
        let copies = (child.stdout.take(), child.stderr.take());
        let (output, errors) = (self.progress.clone(), self.progress.clone());
        let copy = async {
            tokio::join!(
                async {
                    if let Some(pipe) = copies.0 {
                        output.copy(pipe).await
                    }
                },
                async {
                    if let Some(pipe) = copies.1 {
                        errors.copy(pipe).await
                    }
                },
            )
        };
        let (_, status) = tokio::join!(copy, child.wait());
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("{name} failed ({status}): {}", self.progress.tail(3).join(" "))),
            Err(error) => Err(format!("{name}: {error}")),
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn tools_are_kept_where_the_variables_say_and_empty_ones_do_not_count() {
        let with = |pairs: &'static [(&str, &str)]| {
            tools_dir(move |name| {
                pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
            })
        };
        assert_eq!(with(&[("SPACEPORT_TOOLS", "/t"), ("HOME", "/h")]), Path::new("/t"));
        assert_eq!(with(&[("XDG_CACHE_HOME", "/x"), ("HOME", "/h")]), Path::new("/x/spaceport/tools"));
        assert_eq!(with(&[("SPACEPORT_TOOLS", ""), ("HOME", "/h")]), Path::new("/h/.cache/spaceport/tools"));
    }

    #[tokio::test]
    async fn without_python_the_installation_says_what_is_missing() {
        let dir = tempfile::tempdir().unwrap();
        let environment = Environment::new(dir.path(), OsString::new());
        assert_eq!(environment.bin().await.unwrap_err(), "no python3 on PATH");
    }

    #[tokio::test]
    async fn a_failing_installer_is_reported_with_its_last_words_and_tried_again() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let python = dir.path().join("python3");
        std::fs::write(&python, "#!/bin/sh\necho disk full >&2\nexit 3\n").unwrap();
        std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o755)).unwrap();
        let environment = Environment::new(&dir.path().join("tools"), dir.path().into());
        for _ in 0..2 {
            let error = environment.bin().await.unwrap_err();
            assert!(error.contains("venv failed") && error.contains("disk full"), "{error}");
        }
    }
}
