//! `cargo xtask run`: everything built, both programs started, the address and the people printed.

use crate::services::{Service, answers, build, built, listens};
use crate::{paths, spa};
use anyhow::{Context, Result, bail};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

#[derive(clap::Args)]
pub struct RunOptions {
    /// Port of the portal
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// Port of the gateway's admin listener
    #[arg(long, default_value_t = 8081)]
    admin_port: u16,
    /// Ports of the two Kubernetes APIs
    #[arg(long, default_value_t = 16443)]
    kube_port: u16,
    #[arg(long, default_value_t = 16444)]
    kube_east_port: u16,
    /// Port of the AWS endpoint
    #[arg(long, default_value_t = 14566)]
    aws_port: u16,
    /// Port under which Spaces open
    #[arg(long, default_value_t = 18888)]
    spaces_port: u16,
    /// Port under which the sandbox provokes failures
    #[arg(long, default_value_t = 14567)]
    faults_port: u16,
    /// The sandbox's folder (its state, volumes and credentials), from the root of the checkout
    #[arg(long, default_value = ".sandbox")]
    dir: PathBuf,
    /// Seed teams and templates, but no Space
    #[arg(long, conflicts_with = "scale")]
    empty: bool,
    /// Seed this many Spaces
    #[arg(long)]
    scale: Option<u32>,
    /// How Spaces run: auto, jupyter or simulated
    #[arg(long, default_value = "auto")]
    runtime: String,
}

pub fn run(options: &RunOptions) -> Result<()> {
    spa::build()?;
    build()?;
    let (interrupted, interrupts) = channel();
    ctrlc::set_handler(move || {
        // Fails only when xtask is ending already.
        let _ = interrupted.send(());
    })
    .context("cannot listen for Ctrl-C")?;
    options.check_ports()?;
    let logs = paths::root().join(&options.dir).join("log");
    let mut sandbox = Service::start("sandbox", &mut options.sandbox(), &logs)?;
    // The sandbox listens when its state is loaded and its configuration file for the gateway is written.
    sandbox
        .wait_until("ready", || options.sandbox_ports().iter().all(|(_, port)| listens(loopback(*port))))?;
    let portal = loopback(options.port);
    let mut gateway = Service::start("gateway", &mut options.gateway(), &logs)?;
    gateway.wait_until("ready", || answers(portal, "/readyz"))?;
    print!("{}", welcome(portal, &people(&options.dir)?, &logs));
    loop {
        match interrupts.recv_timeout(Duration::from_millis(500)) {
            Ok(()) | Err(RecvTimeoutError::Disconnected) => {
                println!("Ending gateway and sandbox …");
                drop(gateway);
                return Ok(());
            }
            Err(RecvTimeoutError::Timeout) => {
                if let Some(end) = gateway.ended()?.or(sandbox.ended()?) {
                    bail!(end);
                }
            }
        }
    }
}

impl RunOptions {
    fn sandbox(&self) -> Command {
        let mut command = built("spaceport-sandbox");
        command.arg("--dir").arg(&self.dir);
        for (flag, port) in self.sandbox_ports() {
            command.arg(flag).arg(port.to_string());
        }
        command.args(["--gateway-url", &format!("http://127.0.0.1:{}", self.port)]);
        command.args(["--gateway-admin-port", &self.admin_port.to_string()]);
        command.args(["--runtime", &self.runtime]);
        if self.empty {
            command.arg("--empty");
        }
        if let Some(count) = self.scale {
            command.args(["--scale", &count.to_string()]);
        }
        command
    }

    fn sandbox_ports(&self) -> [(&'static str, u16); 5] {
        [
            ("--kube-port", self.kube_port),
            ("--kube-east-port", self.kube_east_port),
            ("--aws-port", self.aws_port),
            ("--spaces-port", self.spaces_port),
            ("--admin-port", self.faults_port),
        ]
    }

    /// Before anything starts: a program that listens there already would be taken for ours.
    fn check_ports(&self) -> Result<()> {
        let own = [("--port", self.port), ("--admin-port", self.admin_port)];
        for (flag, port) in self.sandbox_ports().into_iter().chain(own) {
            // The sandbox's admin port is called by what it does here, where the gateway has one too.
            let flag = if port == self.faults_port { "--faults-port" } else { flag };
            TcpListener::bind(loopback(port)).with_context(|| {
                format!("port {port} of 127.0.0.1 cannot be used; choose another with {flag}")
            })?;
        }
        Ok(())
    }

    fn gateway(&self) -> Command {
        let mut command = built("spaceport");
        command.arg("serve").arg("--config").arg(self.dir.join("spaceport.toml"));
        command.args(["--listen", &format!("127.0.0.1:{}", self.port)]);
        command.args(["--admin-listen", &format!("127.0.0.1:{}", self.admin_port)]);
        command.arg("--assets-dir").arg(spa::dist());
        command
    }
}

fn loopback(port: u16) -> SocketAddr {
    (Ipv4Addr::LOCALHOST, port).into()
}

/// The sandbox writes a kubeconfig for everybody who can sign in.
fn people(dir: &Path) -> Result<Vec<String>> {
    let dir = paths::root().join(dir).join("kubeconfig");
    let entries = std::fs::read_dir(&dir).with_context(|| format!("cannot read {}", dir.display()))?;
    let stems = entries.flatten().filter_map(|entry| Some(entry.path().file_stem()?.to_str()?.to_owned()));
    let mut people: Vec<String> = stems.collect();
    people.sort();
    Ok(people)
}

fn welcome(portal: SocketAddr, people: &[String], logs: &Path) -> String {
    format!(
        "\n  Spaceport  http://{portal}\n  Sign in as {}\n  Logs in    {}\n  Ctrl-C ends it; what you made stays.\n\n",
        people.join(", "),
        logs.display()
    )
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: RunOptions,
    }

    fn words(command: &Command) -> String {
        command.get_args().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_sandbox_and_the_gateway_are_told_the_same_portal_address() {
        let line = Line::try_parse_from(["run", "--port", "9", "--scale", "50"]).unwrap();
        assert!(words(&line.options.sandbox()).contains("--gateway-url http://127.0.0.1:9"));
        assert!(words(&line.options.sandbox()).contains("--scale 50"));
        assert!(words(&line.options.gateway()).contains("--listen 127.0.0.1:9"));
    }

    #[test]
    fn a_taken_port_is_named_with_the_flag_that_moves_it() {
        let taken = TcpListener::bind(loopback(0)).unwrap();
        let port = taken.local_addr().unwrap().port().to_string();
        let zeros = ["--port", "--admin-port", "--kube-port", "--kube-east-port", "--spaces-port"]
            .map(|flag| [flag, "0"]);
        let flags = ["run", "--aws-port", &port].into_iter().chain(zeros.into_iter().flatten());
        let error = Line::try_parse_from(flags).unwrap().options.check_ports().unwrap_err().to_string();
        assert!(error.contains(&port) && error.contains("--aws-port"), "{error}");
    }

    #[test]
    fn an_empty_seed_of_a_size_is_refused() {
        assert!(Line::try_parse_from(["run", "--empty", "--scale", "5"]).is_err());
    }

    #[test]
    fn those_who_can_sign_in_are_read_from_the_sandboxs_folder() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("kubeconfig")).unwrap();
        for name in ["lead-a", "admin"] {
            std::fs::write(dir.path().join("kubeconfig").join(format!("{name}.yaml")), "").unwrap();
        }
        assert_eq!(people(dir.path()).unwrap(), ["admin", "lead-a"]);
    }
}
