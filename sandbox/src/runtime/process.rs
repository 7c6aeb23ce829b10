//! A child process that ends with all it started, and with the sandbox.
//!
//! Three nets, because notebook servers start kernels and shells in sessions of their own:
//! the child leads a process group, which is signalled as a whole; a shell in that group holds a pipe from the sandbox
//! and ends the group when the pipe closes, which also happens when the sandbox is killed; and every descendant
//! inherits a marker in its environment, by which stragglers are found (Linux; elsewhere kernels notice by themselves
//! that their parent is gone).

use super::log::Log;
use anyhow::{Context, Result};
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::time::Duration;
use tokio::process::{Child, ChildStdin, Command};

/// Names the run a process belongs to: `<state folder>:<run>;`.
const MARKER: &str = "SPACEPORT_SPACE_RUN";
/// How long a server may take to save and end its kernels after SIGTERM, before SIGKILL. A kubelet gives 30 s; nobody
/// wants to wait that long for Ctrl-C.
const GRACE: Duration = Duration::from_secs(5);
/// Becomes the program, after leaving a reader in the group that ends it when its input (the sandbox's pipe) closes.
/// The reader ignores the SIGTERM it sends to its own group. The program is not put in the background, because shells
/// start background programs with SIGINT ignored, and a notebook's terminal would inherit that.
const TETHER: &str = r#"
exec 3<&0 </dev/null
{ trap '' TERM; while read -r _; do :; done <&3; kill -TERM 0; sleep 5; kill -KILL 0; } >/dev/null 2>&1 &
exec "$@" 3<&-
"#;

/// What to run.
pub struct Program {
    pub path: PathBuf,
    pub arguments: Vec<String>,
    /// The whole environment besides the marker: nothing of the sandbox's own is inherited, so that a developer's
    /// credentials never reach a notebook.
    pub environment: Vec<(String, String)>,
    pub directory: PathBuf,
}

/// A running program with its group.
pub struct Process {
    child: Child,
    group: Pid,
    marker: String,
    /// Held open for as long as the program may live.
    tether: Option<ChildStdin>,
}

impl Process {
    /// Starts the program; its output goes to `log`. `run` distinguishes it within `state_dir`.
    pub fn start(program: &Program, state_dir: &Path, run: &str, log: &Log) -> Result<Process> {
        let marker = marker(state_dir, run);
        let mut child = Command::new("/bin/sh")
            .args(["-c", TETHER, "space"])
            .arg(&program.path)
            .args(&program.arguments)
            .env_clear()
            .envs(program.environment.iter().map(|(name, value)| (name, value)))
            .env(MARKER, &marker)
            .current_dir(&program.directory)
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", program.path.display()))?;
        let id = child.id().context("the process has ended already")?;
        let group = Pid::from_raw(i32::try_from(id).context("process ids fit 31 bits")?);
        child.stdout.take().map(|pipe| tokio::spawn(log.clone().copy(pipe)));
        child.stderr.take().map(|pipe| tokio::spawn(log.clone().copy(pipe)));
        let tether = child.stdin.take();
        Ok(Process { child, group, marker, tether })
    }

    /// Waits for the program to end by itself. Cancel safe.
    pub async fn ended(&mut self) -> Option<i32> {
        self.child.wait().await.ok().and_then(|status: ExitStatus| status.code())
    }

    /// Ends the group: SIGTERM, then SIGKILL after the grace time, then whatever still carries the marker. Also to be
    /// called when the program has ended by itself: the group outlives it.
    pub async fn end(mut self) {
        // The reader keeps the group's id from being given to others for as long as the tether is held. An error means
        // that the group is gone, which is what is wanted.
        let _ = killpg(self.group, Signal::SIGTERM);
        if tokio::time::timeout(GRACE, self.child.wait()).await.is_err() {
            tracing::debug!(group = self.group.as_raw(), "did not end in time");
        }
        let _ = killpg(self.group, Signal::SIGKILL);
        drop(self.tether.take());
        let _ = self.child.wait().await;
        outlast_marked(&self.marker).await;
    }
}

/// Kills whatever carries the marker and returns when it is gone: a killed process takes a moment to go, and until then
/// it may still write into the volume.
async fn outlast_marked(marker: &str) {
    let gone = async {
        while kill_marked(marker) > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    if tokio::time::timeout(GRACE, gone).await.is_err() {
        tracing::warn!(marker, "a process does not end");
    }
}

/// Kills what an earlier sandbox on this folder left behind. The marker names the folder, so a process id that was
/// given to somebody else since is never touched.
pub fn reap_leftovers(state_dir: &Path) -> usize {
    kill_marked(&format!("{}:", state_dir.display()))
}

fn marker(state_dir: &Path, run: &str) -> String {
    format!("{}:{run};", state_dir.display())
}

/// Kills every process whose marker begins with `prefix`. Reads only what the kernel shows of this user's processes.
fn kill_marked(prefix: &str) -> usize {
    let wanted = format!("{MARKER}={prefix}").into_bytes();
    let Ok(entries) = std::fs::read_dir("/proc") else { return 0 };
    let ids = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    let marked = ids.filter(|id| {
        let environment = std::fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable.starts_with(&wanted))
    });
    marked.filter(|id| kill(Pid::from_raw(*id), Signal::SIGKILL).is_ok()).count()
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use crate::runtime::log::LogLine;

    fn script(text: &str) -> Program {
        Program {
            path: "/bin/sh".into(),
            arguments: vec!["-c".into(), text.into()],
            environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
            directory: "/".into(),
        }
    }

    async fn line(log: &Log) -> String {
        let (kept, mut feed) = log.read();
        let next = async { feed.recv().await.unwrap() };
        let first: LogLine = match kept.first() {
            Some(line) => line.clone(),
            None => tokio::time::timeout(Duration::from_secs(10), next).await.expect("a line within 10 s"),
        };
        first.text.to_string()
    }

    async fn gone(id: i32) {
        let poll = async {
            while alive(id) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), poll).await.expect("the process ends within 10 s");
    }

    /// A zombie does not count: its parent may not have collected it yet.
    fn alive(id: i32) -> bool {
        let state =
            std::process::Command::new("ps").args(["-o", "stat=", "-p", &id.to_string()]).output().unwrap();
        let state = String::from_utf8_lossy(&state.stdout).trim().to_owned();
        !state.is_empty() && !state.starts_with('Z')
    }

    #[tokio::test]
    async fn the_exit_code_and_the_output_are_those_of_the_program() {
        let (dir, log) = (tempfile::tempdir().unwrap(), Log::default());
        let mut process = Process::start(&script("echo out; exit 7"), dir.path(), "a", &log).unwrap();
        assert_eq!(process.ended().await, Some(7));
        assert_eq!(line(&log).await, "out");
        process.end().await;
    }

    #[tokio::test]
    async fn nothing_of_the_sandboxs_environment_is_inherited() {
        let (dir, log) = (tempfile::tempdir().unwrap(), Log::default());
        let process = Process::start(&script("echo \"home=$HOME\""), dir.path(), "a", &log).unwrap();
        assert_eq!(line(&log).await, "home=");
        process.end().await;
    }

    #[tokio::test]
    async fn ending_a_process_ends_the_children_of_its_group_too() {
        let (dir, log) = (tempfile::tempdir().unwrap(), Log::default());
        let process = Process::start(&script("sleep 600 & echo $!; wait"), dir.path(), "a", &log).unwrap();
        let child = line(&log).await.parse().unwrap();
        assert!(alive(child));
        process.end().await;
        gone(child).await;
    }

    #[tokio::test]
    async fn a_closed_tether_ends_the_group_as_a_killed_sandbox_does() {
        let (dir, log) = (tempfile::tempdir().unwrap(), Log::default());
        let mut process =
            Process::start(&script("sleep 600 & echo $!; wait"), dir.path(), "a", &log).unwrap();
        let child = line(&log).await.parse().unwrap();
        process.tether = None;
        gone(child).await;
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn a_child_in_a_session_of_its_own_is_found_by_its_marker() {
        let (dir, log) = (tempfile::tempdir().unwrap(), Log::default());
        let process =
            Process::start(&script("setsid sh -c 'echo $$; exec sleep 600' & wait"), dir.path(), "a", &log)
                .unwrap();
        let child = line(&log).await.parse().unwrap();
        process.end().await;
        gone(child).await;
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn leftovers_of_one_folder_are_reaped_and_those_of_another_are_not() {
        let (mine, other, log) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap(), Log::default());
        let process = Process::start(&script("echo $$; exec sleep 600"), mine.path(), "a", &log).unwrap();
        let id = line(&log).await.parse().unwrap();
        assert_eq!(reap_leftovers(other.path()), 0);
        assert!(alive(id));
        assert!(reap_leftovers(mine.path()) >= 1);
        gone(id).await;
        process.end().await;
    }
}
