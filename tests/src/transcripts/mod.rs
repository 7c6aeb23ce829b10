//! Replays recorded requests of a real Kubernetes API server against the sandbox and compares the answers.
//!
//! Each sequence gets a fresh server in this process with the baseline objects; sequences run side by side, because
//! most of their time is waiting for watches to end.

mod check;
mod compare;
mod load;
mod placeholders;
mod report;
mod send;

use anyhow::{Context, Result, bail};
use futures::StreamExt;
use load::{Sequence, Transcript};
use placeholders::Bindings;
pub use report::{Outcome, REQUIRED, Report, Share};
use send::{Received, Sender};
use serde_json::Value;
use spaceport_sandbox::plain::{Plain, PlainOptions, TokenUser};
use std::path::Path;
use std::time::Duration;
use tokio::task::{JoinError, JoinHandle};

/// Sequences at work at the same time.
const SIDE_BY_SIDE: usize = 8;
/// A watch whose events are there already has given them by then.
const AT_ONCE: Duration = Duration::from_millis(1500);
/// Who wrote the baseline into the recorded server; its field ownership says so.
const LOADER: &str = "golden-recorder";

/// Which sequences to replay: all, those of a group, or one (`GROUP--SEQ`).
#[derive(Clone, Debug, Default)]
pub struct Only(pub Option<String>);

impl Only {
    fn takes(&self, sequence: &Sequence) -> bool {
        self.0.as_deref().is_none_or(|only| only == sequence.group || only == sequence.name())
    }
}

/// The users of the recordings: name in the files, user name, group.
const USERS: [(&str, &str, Option<&str>); 6] = [
    ("admin", "admin", Some("system:masters")),
    ("alice", "alice", Some("ds-team-a")),
    ("bob", "bob", Some("ds-team-b")),
    ("carol", "carol", Some("leads-team-a")),
    ("portal", "portal-backend", Some("portal-services")),
    ("mallory", "mallory", None),
];

fn users() -> Vec<TokenUser> {
    let user = |(key, name, group): (&str, &str, Option<&str>)| TokenUser {
        token: format!("{key}-token"),
        username: name.to_owned(),
        uid: format!("u-{key}"),
        groups: group.into_iter().map(str::to_owned).collect(),
    };
    USERS.into_iter().map(user).collect()
}

/// Replays a folder.
///
/// # Errors
/// When the folder or its fixtures cannot be read.
pub async fn replay(dir: &Path, only: &Only) -> Result<Report> {
    let fixtures = fixtures(&dir.join("fixtures"))?;
    let mut taken = Vec::new();
    let mut report = Report::default();
    for sequence in load::sequences(dir)? {
        match sequence {
            Ok(sequence) if only.takes(&sequence) => taken.push(sequence),
            Ok(_) => {}
            Err(file) => report.outcomes.push(Outcome {
                id: file.name.clone(),
                group: file.group().to_owned(),
                differences: vec![format!("not run: {:#}", file.why)],
            }),
        }
    }
    let runs = taken.iter().map(|sequence| run(sequence, fixtures.clone()));
    let outcomes: Vec<Result<Vec<Outcome>>> =
        futures::stream::iter(runs).buffered(SIDE_BY_SIDE).collect().await;
    for (sequence, outcomes) in taken.iter().zip(outcomes) {
        report.outcomes.extend(outcomes.unwrap_or_else(|error| not_run(sequence, &error)));
    }
    Ok(report)
}

/// The outcomes of a sequence that could not begin.
fn not_run(sequence: &Sequence, error: &anyhow::Error) -> Vec<Outcome> {
    let outcome = |transcript: &Transcript| Outcome {
        id: transcript.id.clone(),
        group: transcript.group.clone(),
        differences: vec![format!("not run: {error:#}")],
    };
    sequence.transcripts.iter().map(outcome).collect()
}

/// Every object in the YAML files of a folder, in order of file names.
fn fixtures(dir: &Path) -> Result<Vec<Value>> {
    let entries = std::fs::read_dir(dir).with_context(|| format!("cannot read {}", dir.display()))?;
    let mut paths: Vec<_> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "yaml" || end == "yml"));
    paths.sort();
    let mut objects = Vec::new();
    for path in &paths {
        objects.extend(spaceport_sandbox::plain::read_fixtures(path)?);
    }
    Ok(objects)
}

async fn run(sequence: &Sequence, fixtures: Vec<Value>) -> Result<Vec<Outcome>> {
    let plain = Plain::start(PlainOptions {
        users: users(),
        fixtures,
        // Allowed in the recordings unless a sequence speaks of it.
        anonymous: !sequence.mentions("anonymous"),
        controllers: sequence.mentions("controllers"),
        classic_impersonation: sequence.mentions("impersonation"),
        field_manager: LOADER.to_owned(),
        ..PlainOptions::default()
    })
    .await
    .with_context(|| format!("no server for {}", sequence.name()))?;
    let mut replay = Replay {
        sender: Sender::new(&plain.url)?,
        admin_url: plain.admin_url.clone(),
        bindings: Bindings::default(),
        open: Vec::new(),
        outcomes: Vec::new(),
    };
    for transcript in &sequence.transcripts {
        replay.step(transcript).await;
    }
    replay.close_all(None).await;
    plain.stop().await;
    let order = |outcome: &Outcome| sequence.transcripts.iter().position(|known| known.id == outcome.id);
    replay.outcomes.sort_by_key(order);
    Ok(replay.outcomes)
}

/// A watch that is read while later transcripts run.
struct Open<'s> {
    transcript: &'s Transcript,
    closed_after: &'s str,
    reader: JoinHandle<Result<Received>>,
}

/// A sequence on its way.
struct Replay<'s> {
    sender: Sender,
    admin_url: String,
    bindings: Bindings,
    open: Vec<Open<'s>>,
    outcomes: Vec<Outcome>,
}

impl<'s> Replay<'s> {
    async fn step(&mut self, transcript: &'s Transcript) {
        if let Some(action) = &transcript.action {
            if let Err(error) = self.act(action).await {
                self.conclude(transcript, vec![format!("not run: {error:#}")]);
            }
        } else if transcript.concurrent.is_some() || wanted_events(transcript).is_some() {
            self.start(transcript).await;
        } else {
            let received = self.ask(transcript).await;
            self.judge(transcript, received);
        }
        self.close_all(Some(&transcript.id)).await;
    }

    /// Something the harness must do to the server.
    async fn act(&self, action: &str) -> Result<()> {
        if !matches!(action, "forget-history" | "compact") {
            bail!("this harness knows no action {action:?}");
        }
        let url = format!("{}/{action}", self.admin_url);
        reqwest::Client::builder().no_proxy().build()?.post(url).send().await?.error_for_status()?;
        Ok(())
    }

    async fn ask(&self, transcript: &Transcript) -> Result<Received> {
        let response = self.sender.open(transcript, &self.bindings).await?;
        send::read(response).await
    }

    /// Opens a watch and reads it in the background. One that the recorder closed, and whose events do not all come at
    /// once, stays open to the end of the sequence: later steps cause them.
    async fn start(&mut self, transcript: &'s Transcript) {
        let response = match self.sender.open(transcript, &self.bindings).await {
            Ok(response) => response,
            Err(error) => return self.judge(transcript, Err(error)),
        };
        let mut reader = match wanted_events(transcript) {
            Some(wanted) if response.status().is_success() => {
                tokio::spawn(send::read_events(response, wanted))
            }
            _ => tokio::spawn(send::read(response)),
        };
        let closed_after = match &transcript.concurrent {
            Some(concurrent) => concurrent.closed_after.as_str(),
            None => match tokio::time::timeout(AT_ONCE, &mut reader).await {
                Ok(received) => return self.judge(transcript, joined(received)),
                Err(_) => "",
            },
        };
        self.open.push(Open { transcript, closed_after, reader });
    }

    /// Ends the watches that were to be read until this transcript; all of them at the end of the sequence.
    async fn close_all(&mut self, after: Option<&str>) {
        let (ending, open): (Vec<_>, Vec<_>) = std::mem::take(&mut self.open)
            .into_iter()
            .partition(|open| after.is_none_or(|id| id == open.closed_after));
        self.open = open;
        for open in ending {
            let received =
                open.reader.await.context("the reader of the watch ended").and_then(|received| received);
            self.judge(open.transcript, received);
        }
    }

    fn judge(&mut self, transcript: &Transcript, received: Result<Received>) {
        let differences = match (&transcript.response, received) {
            (Some(expected), Ok(received)) => {
                check::differences(transcript, expected, &received, &mut self.bindings)
            }
            (None, Ok(_)) => vec!["no answer was recorded".to_owned()],
            (_, Err(error)) => vec![format!("not run: {error:#}")],
        };
        self.conclude(transcript, differences);
    }

    fn conclude(&mut self, transcript: &Transcript, differences: Vec<String>) {
        let (id, group) = (transcript.id.clone(), transcript.group.clone());
        self.outcomes.push(Outcome { id, group, differences });
    }
}

/// How many events to read of a stream that the recorder closed; `None` reads to the end.
fn wanted_events(transcript: &Transcript) -> Option<usize> {
    let answer = transcript.response.as_ref().filter(|answer| answer.client_closed())?;
    answer.lines.as_ref().map(Vec::len)
}

fn joined(received: Result<Result<Received>, JoinError>) -> Result<Received> {
    received.context("the reader of the watch failed").and_then(|received| received)
}
