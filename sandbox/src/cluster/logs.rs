//! `pods/log`: what the process behind a container printed, and plausible lines where there is no process.

use super::fields::{self, items, label, namespace, text, uid};
use super::names::{LABEL_SPACE, MAIN_CONTAINER, REMOTE_SIDECAR};
use crate::kube::LocalApi;
use crate::kube::failure::Failure;
use crate::kube::hooks::{LogOptions, PodLogs};
use crate::runtime::Runtime;
use crate::runtime::log::LogLine;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use tokio::sync::{broadcast, mpsc};

/// Lines on their way to one reader; a reader that stops reading stops the feed, not the Space.
const BUFFERED_LINES: usize = 256;

/// The log endpoint of the kubelets.
pub struct Logs {
    pub(super) api: LocalApi,
    pub(super) runtime: Option<Runtime>,
}

type Feed = broadcast::Receiver<LogLine>;

impl PodLogs for Logs {
    fn open(
        &self,
        pod: &Value,
        container: &str,
        options: &LogOptions,
    ) -> Result<mpsc::Receiver<String>, Failure> {
        let status = container_status(pod, container);
        let ended = &status["lastState"]["terminated"];
        if options.previous && !ended.is_object() {
            let message = format!(
                "previous terminated container \"{container}\" in pod \"{}\" not found",
                fields::name(pod)
            );
            return Err(Failure::new(400, "BadRequest", message));
        }
        let waiting = text(&status["state"]["waiting"]["reason"]);
        if !options.previous && (status.is_null() || (!waiting.is_empty() && !ended.is_object())) {
            return Err(not_started(pod, container, waiting));
        }
        let (lines, feed) = self.lines(pod, container, &status, options.previous);
        let kept = select(lines, options, Timestamp::now());
        let (sender, receiver) = mpsc::channel(BUFFERED_LINES);
        let feed = feed.filter(|_| options.follow && status["state"]["running"].is_object());
        tokio::spawn(send(sender, kept, feed, options.timestamps, options.limit_bytes));
        Ok(receiver)
    }
}

fn not_started(pod: &Value, container: &str, waiting: &str) -> Failure {
    let message = match waiting {
        "ErrImagePull" | "ImagePullBackOff" => "trying and failing to pull image".to_owned(),
        "" => "ContainerCreating".to_owned(),
        reason => reason.to_owned(),
    };
    let message =
        format!("container \"{container}\" in pod \"{}\" is waiting to start: {message}", fields::name(pod));
    Failure::new(400, "BadRequest", message)
}

fn container_status(pod: &Value, container: &str) -> Value {
    ["containerStatuses", "initContainerStatuses"]
        .iter()
        .flat_map(|kind| items(&pod["status"][*kind]))
        .find(|status| status["name"] == container)
        .cloned()
        .unwrap_or_default()
}

impl Logs {
    /// Everything there is, oldest first, and the feed of what follows.
    fn lines(
        &self,
        pod: &Value,
        container: &str,
        status: &Value,
        previous: bool,
    ) -> (Vec<LogLine>, Option<Feed>) {
        if container == MAIN_CONTAINER
            && !previous
            && let Some(runtime) = &self.runtime
            && let Some(space) = self.api.get("workspaces", namespace(pod), label(pod, LABEL_SPACE))
        {
            let (lines, feed) = runtime.log(uid(&space)).read();
            if !lines.is_empty() {
                return (lines, Some(feed));
            }
        }
        let state = if previous { &status["lastState"]["terminated"] } else { &status["state"] };
        let started =
            ["running", "terminated"].iter().find_map(|kind| fields::time(&state[*kind]["startedAt"]));
        let ended = &status["lastState"]["terminated"];
        let started = started.or_else(|| fields::time(&state["startedAt"]));
        let started = started.or_else(|| fields::time(&ended["startedAt"])).unwrap_or_else(Timestamp::now);
        (generated(pod, container, ended["exitCode"].as_i64(), started), None)
    }
}

/// What a container without a process would have printed.
fn generated(pod: &Value, container: &str, exit_code: Option<i64>, started: Timestamp) -> Vec<LogLine> {
    let space = label(pod, LABEL_SPACE);
    let place = namespace(pod);
    let mut texts: Vec<String> = match container {
        MAIN_CONTAINER => vec![
            "[I ServerApp] jupyter_lsp | extension was successfully linked.".to_owned(),
            "[I ServerApp] jupyter_server_terminals | extension was successfully linked.".to_owned(),
            "[I ServerApp] jupyterlab | extension was successfully loaded.".to_owned(),
            "[I ServerApp] Serving notebooks from local directory: /home/sagemaker-user".to_owned(),
            format!(
                "[I ServerApp] Jupyter Server is running at: http://0.0.0.0:8888/workspaces/{place}/{space}/lab"
            ),
        ],
        REMOTE_SIDECAR => vec![
            "Starting SSM agent for remote access".to_owned(),
            "Successfully registered the instance with AWS SSM".to_owned(),
            "Registration marker written to /tmp/ssm-registered".to_owned(),
        ],
        _ => vec!["Copying workspace files to /opt/amazon/sagemaker/workspace".to_owned(), "Done".to_owned()],
    };
    match exit_code.filter(|_| container == MAIN_CONTAINER) {
        Some(137) => texts.push("[C ServerApp] received signal 9, killed".to_owned()),
        Some(code) if code != 0 => {
            texts.push("Traceback (most recent call last):".to_owned());
            texts.push("ModuleNotFoundError: No module named 'team_startup'".to_owned());
            texts.push(format!("startup script failed with exit code {code}"));
        }
        _ => {}
    }
    let line = |(index, text): (usize, String)| LogLine {
        at: started + SignedDuration::from_millis(180 * i64::try_from(index).unwrap_or(0)),
        text: text.into(),
    };
    texts.into_iter().enumerate().map(line).collect()
}

/// The lines a query asks for.
fn select(mut lines: Vec<LogLine>, options: &LogOptions, now: Timestamp) -> Vec<LogLine> {
    if let Some(seconds) = options.since_seconds {
        let since = now.checked_sub(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MIN);
        lines.retain(|line| line.at >= since);
    }
    if let Some(tail) = options.tail_lines {
        lines.drain(..lines.len().saturating_sub(tail));
    }
    lines
}

fn print(line: &LogLine, timestamps: bool) -> String {
    if timestamps { format!("{} {}", line.at, line.text) } else { line.text.to_string() }
}

/// Sends the kept lines and then the feed, until the reader goes, the limit is reached or the log ends.
async fn send(
    sender: mpsc::Sender<String>,
    kept: Vec<LogLine>,
    feed: Option<Feed>,
    timestamps: bool,
    limit: Option<usize>,
) {
    let mut left = limit.unwrap_or(usize::MAX);
    let mut kept = kept.into_iter();
    let mut feed = feed;
    loop {
        let line = match (kept.next(), feed.as_mut()) {
            (Some(line), _) => line,
            (None, None) => return,
            (None, Some(feed)) => match feed.recv().await {
                Ok(line) => line,
                Err(broadcast::error::RecvError::Lagged(_)) => continue,
                Err(broadcast::error::RecvError::Closed) => return,
            },
        };
        let mut text = print(&line, timestamps);
        let cost = text.len() + 1;
        if cost > left {
            text.truncate(text.floor_char_boundary(left));
        }
        left = left.saturating_sub(cost);
        if sender.send(text).await.is_err() || left == 0 {
            return;
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use crate::kube::identity::UserInfo;
    use crate::kube::{ApiConfig, ApiServer};
    use serde_json::json;

    fn pod(state: Value) -> Value {
        json!({
            "metadata": {"name": "p", "namespace": "ns", "labels": {LABEL_SPACE: "lab"}},
            "status": {"containerStatuses": [{"name": "workspace", "state": state}]},
        })
    }

    fn logs() -> Logs {
        let server = ApiServer::new(ApiConfig::default()).unwrap();
        Logs { api: server.local(UserInfo::component("kubelet")), runtime: None }
    }

    async fn read(pod: &Value, options: LogOptions) -> Vec<String> {
        let mut receiver = logs().open(pod, "workspace", &options).unwrap();
        let mut lines = Vec::new();
        while let Some(line) = receiver.recv().await {
            lines.push(line);
        }
        lines
    }

    #[tokio::test]
    async fn tail_limit_and_timestamps_are_kept_to() {
        let running = pod(json!({"running": {"startedAt": "2026-01-01T00:00:00Z"}}));
        let tail = LogOptions { tail_lines: Some(1), timestamps: true, ..LogOptions::default() };
        let lines = read(&running, tail).await;
        assert_eq!(lines.len(), 1);
        assert!(
            lines[0].starts_with("2026-01-01T00:00:00.72Z [I ServerApp] Jupyter Server is running"),
            "{}",
            lines[0]
        );
        let limited = read(&running, LogOptions { limit_bytes: Some(10), ..LogOptions::default() }).await;
        assert_eq!(limited.concat().len(), 10);
        let recent = LogOptions { since_seconds: Some(5), ..LogOptions::default() };
        assert!(read(&running, recent).await.is_empty());
    }

    #[tokio::test]
    async fn a_container_that_has_not_started_has_no_log() {
        let waiting = pod(json!({"waiting": {"reason": "ImagePullBackOff"}}));
        let failure = logs().open(&waiting, "workspace", &LogOptions::default()).unwrap_err();
        assert_eq!(failure.code, 400);
        assert_eq!(
            failure.message,
            "container \"workspace\" in pod \"p\" is waiting to start: trying and failing to pull image"
        );
    }

    #[tokio::test]
    async fn the_previous_run_must_exist() {
        let running = pod(json!({"running": {}}));
        let previous = LogOptions { previous: true, ..LogOptions::default() };
        assert!(logs().open(&running, "workspace", &previous).is_err());
        let mut crashed = pod(json!({"waiting": {"reason": "CrashLoopBackOff"}}));
        crashed["status"]["containerStatuses"][0]["lastState"] =
            json!({"terminated": {"exitCode": 1, "startedAt": "2026-01-01T00:00:00Z"}});
        let lines = read(&crashed, previous).await;
        assert!(lines.last().unwrap().contains("exit code 1"));
    }
}
