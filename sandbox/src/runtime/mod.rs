//! What runs inside a Space: a notebook or editor server as a process of its own on loopback, and the access router
//! in front of it. Knows nothing of Kubernetes objects: the kubelet part of `cluster/` says what to run.
//!
//! At most [`REAL_SPACES`] servers are real at a time; the others are simulated, and say so on their page and in their
//! log. One folder, one volume: a server's home and root are the folder of the Space's primary volume.

pub mod access;
mod environment;
pub mod host;
pub mod log;
mod process;
mod server;
mod spaces;
mod supervisor;

use self::environment::Environment;
use self::log::Log;
use self::spaces::{Phase, Spaces};
use anyhow::{Context, Result};
use jiff::Timestamp;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;

/// Real servers at a time: each costs about 90 MB, and a laptop runs the rest of the product too.
pub const REAL_SPACES: usize = 4;

/// Whether Spaces run for real.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum RuntimeChoice {
    /// Real where Python and the packages can be had, else simulated.
    #[default]
    Auto,
    /// Real; a Space whose server cannot be installed fails.
    Jupyter,
    /// Never real, nothing is installed.
    Simulated,
}

pub struct RuntimeOptions {
    pub choice: RuntimeChoice,
    /// For the servers' own run files and the router's key; kept across restarts.
    pub state_dir: PathBuf,
    /// Where JupyterLab is installed.
    pub tools_dir: PathBuf,
    /// Where programs are looked for, in the form of `PATH`.
    pub search_path: OsString,
    pub real_spaces: usize,
}

impl RuntimeOptions {
    /// `variable` reads the environment: `SPACEPORT_TOOLS`, `XDG_CACHE_HOME`, `HOME`, `PATH`.
    pub fn new(
        choice: RuntimeChoice,
        state_dir: PathBuf,
        variable: impl Fn(&str) -> Option<OsString>,
    ) -> Self {
        let search_path = variable("PATH").unwrap_or_default();
        let tools_dir = environment::tools_dir(variable);
        RuntimeOptions { choice, state_dir, tools_dir, search_path, real_spaces: REAL_SPACES }
    }
}

/// A container to run.
#[derive(Clone, Debug)]
pub struct SpaceProcess {
    pub cluster: String,
    pub namespace: String,
    pub name: String,
    /// The Workspace's uid: unique over both clusters and over re-creations under one name.
    pub uid: String,
    /// `code-editor` for an editor; anything else is a notebook.
    pub app_type: String,
    pub image: String,
    /// The folder of the primary volume, an absolute path; created if missing. Server home and root.
    pub volume_dir: PathBuf,
    pub env: Vec<(String, String)>,
    /// Start at the first connection instead of now (seeded Spaces).
    pub lazy: bool,
}

/// What a kubelet would see of the container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuntimeState {
    /// Being installed or not answering yet.
    Starting,
    /// Serving, or (lazy) to be started by the first connection. The activity is the last one known here;
    /// [`Runtime::probe`] asks the server.
    Ready { last_activity: Timestamp },
    /// Ended by itself. `code` is `None` when a signal ended it.
    Exited { code: Option<i32>, log_tail: Vec<String> },
    /// A page stands in, for the reason given.
    Simulated { last_activity: Timestamp, reason: String },
    /// Stopped, or never registered.
    Stopped,
}

/// A cheap handle; clones share the processes.
#[derive(Clone)]
pub struct Runtime(Arc<Inner>);

struct Inner {
    options: RuntimeOptions,
    environment: Environment,
    spaces: Mutex<Spaces>,
    /// Counts changes of phase.
    changed: watch::Sender<u64>,
    upstream: access::Upstream,
}

impl Runtime {
    /// Ends what an earlier sandbox on the same state folder left behind.
    ///
    /// # Errors
    /// When the state folder cannot be created.
    pub fn new(mut options: RuntimeOptions) -> Result<Runtime> {
        // Servers run in the folder of their volume, where a relative path would mean something else.
        options.state_dir =
            std::path::absolute(&options.state_dir).context("the state folder has no path")?;
        std::fs::create_dir_all(&options.state_dir)
            .with_context(|| format!("cannot create {}", options.state_dir.display()))?;
        let reaped = process::reap_leftovers(&options.state_dir);
        if reaped > 0 {
            tracing::info!(reaped, "ended processes of an earlier sandbox");
        }
        let environment = Environment::new(&options.tools_dir, options.search_path.clone());
        let inner = Inner {
            options,
            environment,
            spaces: Mutex::default(),
            changed: watch::Sender::default(),
            upstream: access::upstream(),
        };
        Ok(Runtime(Arc::new(inner)))
    }

    /// The image pull: installs JupyterLab into the tool cache, the first time only, whatever the image.
    ///
    /// # Errors
    /// A sentence for the pod's event, only where [`RuntimeChoice::Jupyter`] insists on a real server.
    pub async fn pull(&self, image: &str) -> Result<(), String> {
        if self.0.options.choice == RuntimeChoice::Simulated {
            return Ok(());
        }
        match self.installed().await {
            Err(why) if self.0.options.choice == RuntimeChoice::Jupyter => {
                Err(format!("Failed to pull image \"{image}\": {why}"))
            }
            Err(why) => {
                tracing::warn!(why, "JupyterLab cannot be installed: Spaces are simulated");
                Ok(())
            }
            Ok(_) => Ok(()),
        }
    }

    /// JupyterLab's folder of programs, installing it first where needed.
    async fn installed(&self) -> Result<PathBuf, String> {
        // A task of its own: a Space stopped while it waits must not break off the installation for the others.
        let this = self.clone();
        let installed = tokio::spawn(async move { this.0.environment.bin().await }).await;
        installed.unwrap_or_else(|error| Err(error.to_string()))
    }

    /// The container has been started: the server starts now, or at the first connection. An earlier run under the
    /// same uid is ended first.
    pub fn register(&self, process: SpaceProcess) {
        let (uid, lazy) = (process.uid.clone(), process.lazy);
        let previous = self.spaces().insert(process);
        let this = self.clone();
        let waiting = previous.map(|run| run.end());
        tokio::spawn(async move {
            if let Some(ended) = waiting {
                ended.await;
            }
            if !lazy {
                this.start(&uid);
            }
        });
        self.note_change();
    }

    /// Makes a stopped Space known after a restart of the sandbox, so that its address says so.
    pub fn register_stopped(&self, process: SpaceProcess) {
        drop(self.spaces().insert_stopped(process));
    }

    /// The container has been killed: ends the whole process group and returns when it is gone. The address goes on
    /// saying that the Space is stopped until [`Runtime::forget`].
    pub async fn stop(&self, uid: &str) {
        let run = self.spaces().stop(uid);
        self.note_change();
        if let Some(run) = run {
            run.end().await;
        }
    }

    /// The Space has been deleted: nothing is known under its address any more.
    pub async fn forget(&self, uid: &str) {
        self.stop(uid).await;
        self.spaces().remove(uid);
    }

    /// Ends every process; to be awaited before the sandbox exits.
    pub async fn shutdown(&self) {
        let runs = self.spaces().stop_all();
        futures::future::join_all(runs.into_iter().map(|run| run.end())).await;
    }

    pub fn state(&self, uid: &str) -> RuntimeState {
        self.spaces().state(uid)
    }

    /// What the container printed, empty for an unknown one; see [`Log::read`] for following.
    pub fn log(&self, uid: &str) -> Log {
        self.spaces().get(uid).map(|space| space.log.clone()).unwrap_or_default()
    }

    /// Moves on with every change of any Space's state.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.0.changed.subscribe()
    }

    /// GET of `path` inside the container, as the operator's idle check does it: status and body. `/api/idle` answers
    /// as SageMaker Distribution images do (`lastActiveTimestamp`), from the server's own activity.
    ///
    /// # Errors
    /// A sentence, when nothing is listening there.
    pub async fn probe(&self, uid: &str, path: &str) -> Result<(u16, String), String> {
        let (endpoint, last_activity) = self.spaces().probe_target(uid)?;
        match endpoint {
            None => Ok(spaces::stand_in_answer(path, last_activity)),
            Some(endpoint) if path == "/api/idle" => {
                let (status, body) = access::get(&self.0.upstream, &endpoint, "/api/status").await?;
                Ok(spaces::idle_answer(status, &body))
            }
            Some(endpoint) => access::get(&self.0.upstream, &endpoint, path).await,
        }
    }

    /// Starts the server of a registered Space unless it runs already.
    fn start(&self, uid: &str) {
        let started = self.spaces().begin_run(uid);
        if let Some((process, log, run)) = started {
            tokio::spawn(supervisor::supervise(self.clone(), process, log, run));
            self.note_change();
        }
    }

    fn set_phase(&self, uid: &str, run: u64, phase: Phase) {
        self.spaces().set_phase(uid, run, phase);
        self.note_change();
    }

    fn note_change(&self) {
        self.0.changed.send_modify(|count| *count += 1);
    }

    fn spaces(&self) -> MutexGuard<'_, Spaces> {
        self.0.spaces.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use std::time::Duration;

    pub(super) fn space(uid: &str) -> SpaceProcess {
        SpaceProcess {
            cluster: "sandbox".into(),
            namespace: "ns".into(),
            name: "lab".into(),
            uid: uid.into(),
            app_type: "jupyterlab".into(),
            image: "image".into(),
            volume_dir: "/nonexistent".into(),
            env: Vec::new(),
            lazy: false,
        }
    }

    /// A runtime that finds no program at all, as on a machine without Python.
    pub(super) fn bare(choice: RuntimeChoice) -> (tempfile::TempDir, Runtime) {
        let dir = tempfile::tempdir().unwrap();
        let options = RuntimeOptions {
            choice,
            state_dir: dir.path().join("state"),
            tools_dir: dir.path().join("tools"),
            search_path: OsString::new(),
            real_spaces: REAL_SPACES,
        };
        (dir, Runtime::new(options).unwrap())
    }

    pub(super) async fn reach(
        runtime: &Runtime,
        uid: &str,
        wanted: impl Fn(&RuntimeState) -> bool,
    ) -> RuntimeState {
        let mut changes = runtime.changes();
        let wait = async {
            loop {
                let state = runtime.state(uid);
                if wanted(&state) {
                    return state;
                }
                changes.changed().await.unwrap();
            }
        };
        tokio::time::timeout(Duration::from_secs(60), wait)
            .await
            .expect("the state is reached within a minute")
    }

    #[tokio::test]
    async fn without_python_a_space_is_simulated_and_says_why() {
        let (dir, runtime) = bare(RuntimeChoice::Auto);
        assert_eq!(runtime.pull("image").await, Ok(()));
        runtime.register(SpaceProcess { volume_dir: dir.path().join("volume"), ..space("a") });
        let state = reach(&runtime, "a", |state| matches!(state, RuntimeState::Simulated { .. })).await;
        assert!(matches!(state, RuntimeState::Simulated { reason, .. } if reason.contains("python3")));
        assert!(runtime.log("a").tail(1)[0].contains("simulated"));
    }

    #[tokio::test]
    async fn where_a_real_server_is_demanded_its_absence_fails_the_pull_and_the_container() {
        let (dir, runtime) = bare(RuntimeChoice::Jupyter);
        assert!(runtime.pull("repo/image:1").await.unwrap_err().contains("repo/image:1"));
        runtime.register(SpaceProcess { volume_dir: dir.path().join("volume"), ..space("a") });
        let state = reach(&runtime, "a", |state| matches!(state, RuntimeState::Exited { .. })).await;
        assert!(
            matches!(state, RuntimeState::Exited { code: Some(1), log_tail } if log_tail[0].contains("python3"))
        );
    }

    #[tokio::test]
    async fn a_simulated_space_answers_the_idle_check_and_a_stopped_one_does_not() {
        let (_dir, runtime) = bare(RuntimeChoice::Simulated);
        runtime.register(space("a"));
        reach(&runtime, "a", |state| matches!(state, RuntimeState::Simulated { .. })).await;
        assert_eq!(runtime.probe("a", "/api/idle").await.unwrap().0, 200);
        assert_eq!(runtime.probe("a", "/elsewhere").await.unwrap().0, 404);
        runtime.stop("a").await;
        assert_eq!(runtime.state("a"), RuntimeState::Stopped);
        assert!(runtime.probe("a", "/api/idle").await.is_err());
    }
}
