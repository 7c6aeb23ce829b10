//! The real kubectl against the sandbox's API server, over TLS.

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use spaceport_sandbox::plain::{Plain, PlainOptions, TokenUser};
use std::io::Write;
use std::process::Stdio;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Command;

const NAMESPACE: &str = "hyperpod-ns-team-a";
/// No single command takes longer, discovery included.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server, and what kubectl needs to reach it: a kubeconfig, and a home folder of its own for its caches.
struct Bench {
    server: Plain,
    home: TempDir,
}

/// What a finished command said.
#[derive(Debug)]
struct Said {
    success: bool,
    out: String,
    err: String,
}

impl Bench {
    async fn start() -> Result<Bench> {
        let home = tempfile::tempdir()?;
        let user = |name: &str, group: &str| TokenUser {
            token: format!("{name}-token"),
            username: name.to_owned(),
            uid: String::new(),
            groups: vec![group.to_owned()],
        };
        let server = Plain::start(PlainOptions {
            users: vec![user("ds-a1", "team-a"), user("ds-b1", "team-b")],
            fixtures: fixtures(),
            tls: Some(home.path().to_owned()),
            ..PlainOptions::default()
        })
        .await?;
        Ok(Bench { server, home })
    }

    fn kubeconfig(&self, user: &str) -> Result<std::path::PathBuf> {
        let path = self.home.path().join(format!("{user}.json"));
        let ca = self.home.path().join("ca.pem");
        let config = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "clusters": [{"name": "test", "cluster": {"server": self.server.url, "certificate-authority": ca}}],
            "users": [{"name": user, "user": {"token": format!("{user}-token")}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": user, "namespace": NAMESPACE}}],
        });
        std::fs::write(&path, config.to_string())?;
        Ok(path)
    }

    fn command(&self, user: &str, arguments: &[&str]) -> Result<Command> {
        let mut command = Command::new("kubectl");
        command
            .args(arguments)
            .env("KUBECONFIG", self.kubeconfig(user)?)
            .env("HOME", self.home.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        Ok(command)
    }

    async fn say(&self, user: &str, arguments: &[&str]) -> Result<Said> {
        let running = self.command(user, arguments)?.output();
        let finished = tokio::time::timeout(PATIENCE, running)
            .await
            .with_context(|| format!("kubectl {arguments:?} does not end"))?
            .context("kubectl cannot be started: install it (a package of your system, or from kubernetes.io) and put it on PATH")?;
        Ok(Said {
            success: finished.status.success(),
            out: String::from_utf8_lossy(&finished.stdout).into_owned(),
            err: String::from_utf8_lossy(&finished.stderr).into_owned(),
        })
    }

    /// As ds-a1; a refusal fails the test.
    async fn run(&self, arguments: &[&str]) -> Result<String> {
        let said = self.say("ds-a1", arguments).await?;
        ensure!(said.success, "kubectl {arguments:?}: {}", said.err);
        Ok(said.out)
    }

    /// The file of a Space, for `-f`.
    fn space(&self, name: &str, display_name: &str) -> Result<String> {
        let path = self.home.path().join(format!("{name}.yaml"));
        let mut file = std::fs::File::create(&path)?;
        writeln!(file, "apiVersion: workspace.jupyter.org/v1alpha1\nkind: Workspace")?;
        writeln!(file, "metadata: {{name: {name}}}\nspec: {{displayName: {display_name}}}")?;
        Ok(path.to_string_lossy().into_owned())
    }
}

fn fixtures() -> Vec<Value> {
    let rbac = "rbac.authorization.k8s.io";
    let namespace = |name: &str| json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
    let verbs = ["get", "list", "watch", "create", "update", "patch", "delete"];
    vec![
        namespace(NAMESPACE),
        namespace("hyperpod-ns-team-b"),
        json!({
            "apiVersion": format!("{rbac}/v1"), "kind": "Role", "metadata": {"name": "spaces", "namespace": NAMESPACE},
            "rules": [
                {"apiGroups": ["workspace.jupyter.org"], "resources": ["workspaces"], "verbs": verbs},
                {"apiGroups": [""], "resources": ["events"], "verbs": ["list"]},
            ],
        }),
        json!({
            "apiVersion": format!("{rbac}/v1"), "kind": "RoleBinding",
            "metadata": {"name": "team-a", "namespace": NAMESPACE},
            "roleRef": {"apiGroup": rbac, "kind": "Role", "name": "spaces"},
            "subjects": [{"apiGroup": rbac, "kind": "Group", "name": "team-a"}],
        }),
    ]
}

#[tokio::test]
async fn kubectl_creates_a_space_and_shows_it_as_a_table() -> Result<()> {
    let bench = Bench::start().await?;
    let said = bench.run(&["create", "-f", &bench.space("one", "One")?]).await?;
    assert_eq!(said, "workspace.workspace.jupyter.org/one created\n");
    let table = bench.run(&["get", "workspaces", "-o", "wide"]).await?;
    let (header, row) = table.split_once('\n').context("no row")?;
    let columns: Vec<&str> = header.split_whitespace().collect();
    assert_eq!(columns, ["NAME", "AVAILABLE", "PROGRESSING", "DEGRADED", "AGE", "CREATEDBY", "ACCESSTYPE"]);
    assert!(row.starts_with("one "), "{row}");
    Ok(())
}

#[tokio::test]
async fn kubectl_says_which_field_is_unknown() -> Result<()> {
    let bench = Bench::start().await?;
    let path = bench.space("bad", "Bad, colour: blue")?;
    let said = bench.say("ds-a1", &["create", "-f", &path]).await?;
    assert!(!said.success);
    assert!(said.err.contains("unknown field \"spec.colour\""), "{}", said.err);
    Ok(())
}

#[tokio::test]
async fn kubectl_applies_what_changed_and_nothing_twice() -> Result<()> {
    let bench = Bench::start().await?;
    let name = "workspace.workspace.jupyter.org/one";
    assert_eq!(bench.run(&["apply", "-f", &bench.space("one", "One")?]).await?, format!("{name} created\n"));
    let changed = bench.space("one", "Two")?;
    assert_eq!(bench.run(&["apply", "-f", &changed]).await?, format!("{name} configured\n"));
    assert_eq!(bench.run(&["apply", "-f", &changed]).await?, format!("{name} unchanged\n"));
    let said = bench
        .run(&["apply", "--server-side", "--force-conflicts", "-f", &bench.space("one", "Three")?])
        .await?;
    assert_eq!(said, format!("{name} serverside-applied\n"));
    let shown = bench.run(&["get", "workspace", "one", "-o", "jsonpath={.spec.displayName}"]).await?;
    assert_eq!(shown, "Three");
    Ok(())
}

#[tokio::test]
async fn kubectl_patches_labels_describes_and_deletes() -> Result<()> {
    let bench = Bench::start().await?;
    bench.run(&["create", "-f", &bench.space("one", "One")?]).await?;
    let stop = r#"{"spec":{"desiredStatus":"Stopped"}}"#;
    bench.run(&["patch", "workspace", "one", "--type=merge", "-p", stop]).await?;
    bench.run(&["label", "workspace", "one", "team=a"]).await?;
    let described = bench.run(&["describe", "workspace", "one"]).await?;
    for part in ["Name:         one", "team=a", "Desired Status:  Stopped", "Events:"] {
        assert!(described.contains(part), "{part} is not in {described}");
    }
    let said = bench.run(&["delete", "workspace", "one", "--timeout=10s"]).await?;
    assert!(said.starts_with("workspace.workspace.jupyter.org \"one\" deleted"), "{said}");
    let gone = bench.say("ds-a1", &["get", "workspace", "one"]).await?;
    assert!(
        gone.err.contains("(NotFound): workspaces.workspace.jupyter.org \"one\" not found"),
        "{}",
        gone.err
    );
    Ok(())
}

#[tokio::test]
async fn kubectl_watches_a_space_change() -> Result<()> {
    let bench = Bench::start().await?;
    bench.run(&["create", "-f", &bench.space("one", "One")?]).await?;
    let watch = [
        "get",
        "workspaces",
        "-w",
        "-o",
        "custom-columns=N:.metadata.name,D:.spec.desiredStatus",
        "--no-headers",
    ];
    let mut watching = bench.command("ds-a1", &watch)?.spawn().context("kubectl cannot be started")?;
    let mut lines = BufReader::new(watching.stdout.take().context("no output")?).lines();
    let mut next = async || match tokio::time::timeout(PATIENCE, lines.next_line()).await {
        Ok(Ok(Some(line))) => Ok(line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()),
        other => bail!("the watch ended: {other:?}"),
    };
    assert_eq!(next().await?, ["one", "<none>"]);
    bench
        .run(&["patch", "workspace", "one", "--type=merge", "-p", r#"{"spec":{"desiredStatus":"Stopped"}}"#])
        .await?;
    assert_eq!(next().await?, ["one", "Stopped"]);
    watching.kill().await?;
    Ok(())
}

#[tokio::test]
async fn kubectl_tells_each_person_what_they_may_do() -> Result<()> {
    let bench = Bench::start().await?;
    for (user, answer) in [("ds-a1", "yes\n"), ("ds-b1", "no\n")] {
        let said = bench.say(user, &["auth", "can-i", "create", "workspaces"]).await?;
        assert_eq!(said.out, answer, "{user}: {}", said.err);
    }
    let who = bench.run(&["auth", "whoami", "-o", "jsonpath={.status.userInfo.username}"]).await?;
    assert_eq!(who, "ds-a1");
    let list = bench.run(&["auth", "can-i", "--list"]).await?;
    assert!(list.contains("workspaces.workspace.jupyter.org"), "{list}");
    let refused = bench.say("ds-b1", &["get", "workspaces"]).await?;
    assert!(refused.err.contains("User \"ds-b1\" cannot list resource \"workspaces\""), "{}", refused.err);
    Ok(())
}

#[tokio::test]
async fn kubectl_finds_the_kinds_and_explains_their_fields() -> Result<()> {
    let bench = Bench::start().await?;
    let kinds = bench.run(&["api-resources", "--api-group=workspace.jupyter.org", "-o", "name"]).await?;
    assert!(kinds.contains("workspaces.workspace.jupyter.org"), "{kinds}");
    let explained = bench.run(&["explain", "workspace.spec"]).await?;
    assert!(explained.contains("displayName"), "{explained}");
    Ok(())
}
