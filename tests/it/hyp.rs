//! The real HyperPod CLI against the sandbox, seen from the portal at the same time.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use spaceport_tests::callers::{Caller, Engineer};
use spaceport_tests::patience::eventually;
use spaceport_tests::stack::{Stack, test};
use std::process::Stdio;
use std::time::Duration;
use tokio::process::Command;
use tokio::time::timeout;

const NAMESPACE: &str = "hyperpod-ns-team-a";
/// The program loads for seconds before it does anything.
const LIMIT: Duration = Duration::from_secs(90);

/// `hyp` as ds-a1: kubeconfig and AWS keys as the sandbox wrote them, nothing of the machine's own.
struct Hyp {
    environment: Vec<(String, String)>,
    home: tempfile::TempDir,
}

impl Hyp {
    fn new(stack: &Stack) -> Result<Hyp> {
        let keys = std::fs::read_to_string(stack.sandbox.dir.join("aws/ds-a1.env"))?;
        let mut environment: Vec<(String, String)> = keys
            .lines()
            .filter_map(|line| line.trim_start_matches("export ").split_once('='))
            .map(|(name, value)| (name.to_owned(), value.trim_matches(['"', '\'']).to_owned()))
            .collect();
        let kubeconfig = stack.kubeconfig("ds-a1").display().to_string();
        environment.push(("KUBECONFIG".into(), kubeconfig));
        // Its telemetry goes to a host outside; here it ends at a closed port of this machine.
        environment.push(("HTTPS_PROXY".into(), "http://127.0.0.1:9".into()));
        environment.push(("NO_PROXY".into(), "127.0.0.1,localhost".into()));
        Ok(Hyp { environment, home: tempfile::tempdir()? })
    }

    /// Runs one command and answers what it printed.
    async fn run(&self, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new("hyp");
        command
            .args(arguments)
            .env_remove("HTTP_PROXY")
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .env("HOME", self.home.path())
            .stdin(Stdio::null())
            .kill_on_drop(true);
        let output = timeout(LIMIT, command.output())
            .await
            .with_context(|| format!("hyp {arguments:?} took too long"))?
            .context("hyp is on PATH: `cargo xtask test --peers` installs it")?;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            bail!("hyp {arguments:?}: {printed}{}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(printed)
    }

    /// A command about one Space.
    async fn about(&self, verb: &str, kind: &str, name: &str, more: &[&str]) -> Result<String> {
        self.run(&[&[verb, kind, "--name", name, "--namespace", NAMESPACE], more].concat()).await
    }
}

fn path(name: &str) -> String {
    format!("/api/v1/clusters/sandbox/namespaces/{NAMESPACE}/spaces/{name}")
}

/// Waits until the portal shows the Space in a state.
async fn shown(engineer: &Engineer, name: &str, status: &str) -> Result<Value> {
    let path = path(name);
    eventually(&format!("{name} is {status}"), || async {
        let found = engineer.get(&path).await?;
        Ok((found.body["status"] == status).then_some(found.body))
    })
    .await
}

const PRIVATE: [&str; 6] =
    ["--display-name", "From hyp", "--ownership-type", "OwnerOnly", "--access-type", "OwnerOnly"];

#[test]
#[ignore = "needs hyp (600 MB) on PATH: cargo xtask test --peers"]
fn hyp_creates_a_private_space_that_the_portal_shows_as_ones_own() {
    test(async {
        let stack = Stack::shared().await;
        let (hyp, engineer) = (Hyp::new(stack)?, Engineer::a1(stack).await?);
        hyp.about("create", "hyp-space", "hyp-private", &PRIVATE).await?;
        let space = shown(&engineer, "hyp-private", "running").await?;
        assert_eq!((&space["owner"]["isMe"], &space["accessType"]), (&true.into(), &"OwnerOnly".into()));
        // It filters by its own STS identity: a Space under another username would be missing here.
        let list = hyp.run(&["list", "hyp-space", "--namespace", NAMESPACE]).await?;
        assert!(list.contains("hyp-private"), "{list}");
        assert!(!list.contains("notes-a2"), "another's private Space: {list}");
        let description = hyp.about("describe", "hyp-space", "hyp-private", &[]).await?;
        assert!(description.contains("assumed-role/TeamADataScientist/ds-a1"), "{description}");
        Ok(())
    });
}

#[test]
#[ignore = "needs hyp (600 MB) on PATH: cargo xtask test --peers"]
fn hyp_updates_stops_starts_and_deletes_what_the_portal_shows() {
    test(async {
        let stack = Stack::shared().await;
        let (hyp, engineer) = (Hyp::new(stack)?, Engineer::a1(stack).await?);
        hyp.about("create", "hyp-space", "hyp-steered", &PRIVATE).await?;
        shown(&engineer, "hyp-steered", "running").await?;
        hyp.about("stop", "hyp-space", "hyp-steered", &[]).await?;
        shown(&engineer, "hyp-steered", "stopped").await?;
        hyp.about("update", "hyp-space", "hyp-steered", &["--display-name", "Renamed"]).await?;
        assert_eq!(shown(&engineer, "hyp-steered", "stopped").await?["displayName"], "Renamed");
        hyp.about("start", "hyp-space", "hyp-steered", &[]).await?;
        shown(&engineer, "hyp-steered", "running").await?;
        hyp.about("delete", "hyp-space", "hyp-steered", &[]).await?;
        eventually("the Space is gone", || async {
            Ok((engineer.get(&path("hyp-steered")).await?.status == 404).then_some(()))
        })
        .await
    });
}

#[test]
#[ignore = "needs hyp (600 MB) on PATH: cargo xtask test --peers"]
fn hyp_opens_a_space_of_the_portal_and_reads_its_logs() {
    test(async {
        let stack = Stack::shared().await;
        let (hyp, engineer) = (Hyp::new(stack)?, Engineer::a1(stack).await?);
        shown(&engineer, "feature-store", "running").await?;
        let web = ["--connection-type", "web-ui"];
        let printed = hyp.about("create", "hyp-space-access", "feature-store", &web).await?;
        assert!(printed.contains("/bearer-auth?token="), "{printed}");
        let printed =
            hyp.about("create", "hyp-space-access", "feature-store", &["--connection-type", "vscode-remote"]);
        assert!(printed.await?.contains("vscode://"), "an address for the IDE");
        let logs = hyp.about("get-logs", "hyp-space", "feature-store", &[]).await?;
        assert!(!logs.trim().is_empty());
        Ok(())
    });
}

#[test]
#[ignore = "needs hyp (600 MB) on PATH: cargo xtask test --peers"]
fn hyp_lists_the_templates() {
    test(async {
        let hyp = Hyp::new(Stack::shared().await)?;
        let list = hyp.run(&["list", "hyp-space-template", "--namespace", "jupyter-k8s-system"]).await?;
        assert!(list.contains("sagemaker-jupyter-template"), "{list}");
        Ok(())
    });
}
