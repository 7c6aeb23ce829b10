//! The sandbox and the gateway as running programs: started, awaited, ended.

use crate::command::{cargo, perform, program};
use crate::paths;
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

const START_DEADLINE: Duration = Duration::from_secs(120);
/// The sandbox gives notebook servers five seconds.
const END_DEADLINE: Duration = Duration::from_secs(15);
const POLL: Duration = Duration::from_millis(50);

/// Builds both programs, in the debug profile.
pub fn build() -> Result<()> {
    perform(cargo().args([
        "build",
        "--package",
        "spaceport-sandbox",
        "--package",
        "spaceport-gateway",
        "--bins",
    ]))
}

/// One of our programs, as cargo built it.
pub fn built(name: &str) -> Command {
    program(paths::target().join("debug").join(name))
}

/// A running program that is ended when dropped.
pub struct Service {
    name: &'static str,
    child: Child,
    log: PathBuf,
}

impl Service {
    /// Starts a program that writes to a log file of its own. It leads a process group, so that a terminal's Ctrl-C
    /// reaches xtask alone, which ends the services in order.
    pub fn start(name: &'static str, command: &mut Command, log_dir: &Path) -> Result<Service> {
        std::fs::create_dir_all(log_dir).with_context(|| format!("cannot create {}", log_dir.display()))?;
        let log = log_dir.join(format!("{name}.log"));
        let file = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        std::os::unix::process::CommandExt::process_group(command, 0);
        let child = command.stdout(file.try_clone()?).stderr(file).spawn();
        Ok(Service { name, child: child.with_context(|| format!("cannot start {name}"))?, log })
    }

    /// Waits until `ready` says so.
    ///
    /// # Errors
    /// When the program ends first or the time is over; with the end of its log.
    pub fn wait_until(&mut self, what: &str, ready: impl Fn() -> bool) -> Result<()> {
        let started = Instant::now();
        while !ready() {
            if let Some(status) = self.child.try_wait()? {
                bail!("{} ended ({status}) before {what}:\n{}", self.name, self.log_tail());
            }
            if started.elapsed() > START_DEADLINE {
                bail!(
                    "{} runs, but after {START_DEADLINE:?} not yet {what}:\n{}",
                    self.name,
                    self.log_tail()
                );
            }
            std::thread::sleep(POLL);
        }
        Ok(())
    }

    /// What happened, if the program has ended.
    pub fn ended(&mut self) -> Result<Option<String>> {
        let status = self.child.try_wait()?;
        Ok(status.map(|status| format!("{} ended ({status}):\n{}", self.name, self.log_tail())))
    }

    fn log_tail(&self) -> String {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        let tail = lines[lines.len().saturating_sub(15)..].join("\n");
        format!("{tail}\n(the whole log: {})", self.log.display())
    }

    fn end(&mut self) -> Result<()> {
        if self.child.try_wait()?.is_some() {
            return Ok(());
        }
        // The standard library can only kill; a service must get the chance to end its own children.
        perform(program("kill").args(["-TERM", &self.child.id().to_string()]))?;
        let asked = Instant::now();
        while self.child.try_wait()?.is_none() {
            if asked.elapsed() > END_DEADLINE {
                eprintln!("xtask: {} does not end, killing it", self.name);
                self.child.kill()?;
            }
            std::thread::sleep(POLL);
        }
        Ok(())
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        if let Err(error) = self.end() {
            eprintln!("xtask: cannot end {}: {error:#}", self.name);
        }
    }
}

/// Whether something accepts connections there.
pub fn listens(address: SocketAddr) -> bool {
    TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_ok()
}

/// Whether a plain HTTP server answers 200 to a GET of `path`.
pub fn answers(address: SocketAddr, path: &str) -> bool {
    let exchange = || -> std::io::Result<bool> {
        let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(1))?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
        let mut status = [0; 12];
        stream.read_exact(&mut status)?;
        Ok(status.ends_with(b" 200"))
    };
    exchange().unwrap_or(false)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn log_dir() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    #[test]
    fn a_program_that_ends_too_early_is_reported_with_its_last_words() {
        let dir = log_dir();
        let mut service =
            Service::start("early", program("sh").args(["-c", "echo port taken >&2; exit 4"]), dir.path())
                .unwrap();
        let error = service.wait_until("ready", || false).unwrap_err().to_string();
        assert!(error.contains("port taken") && error.contains("before ready"), "{error}");
    }

    #[test]
    fn a_dropped_service_is_asked_to_end_and_may_clean_up() {
        let dir = log_dir();
        let mark = dir.path().join("mark");
        let script = "trap 'echo cleaned > \"$0\"; exit 0' TERM; echo > \"$0\"; while :; do sleep 0.05; done";
        let mut service =
            Service::start("polite", program("sh").args(["-c", script]).arg(&mark), dir.path()).unwrap();
        service.wait_until("trapping", || mark.exists()).unwrap();
        drop(service);
        assert_eq!(std::fs::read_to_string(&mark).unwrap(), "cleaned\n");
    }

    #[test]
    fn only_a_200_counts_as_an_answer() {
        for (status, expected) in [("200 OK", true), ("503 Service Unavailable", false)] {
            let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
            let address = listener.local_addr().unwrap();
            let server = std::thread::spawn(move || {
                let (mut stream, _) = listener.accept().unwrap();
                // All of the request, or closing resets the connection before the answer is read.
                let mut request = Vec::new();
                while !request.ends_with(b"\r\n\r\n") {
                    let mut byte = [0];
                    stream.read_exact(&mut byte).unwrap();
                    request.push(byte[0]);
                }
                write!(stream, "HTTP/1.1 {status}\r\n\r\n").unwrap();
            });
            assert_eq!(answers(address, "/readyz"), expected);
            server.join().unwrap();
        }
    }
}
