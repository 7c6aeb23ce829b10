//! The table of registered Spaces and the phases they go through. Pure: starts nothing, waits for nothing.

use super::log::Log;
use super::server::Endpoint;
use super::{RuntimeState, SpaceProcess, host};
use jiff::Timestamp;
use std::collections::HashMap;
use tokio_util::sync::CancellationToken;

/// Lines of a failed server's log that go into its container status.
const TAIL: usize = 10;

#[derive(Clone, Debug)]
pub enum Phase {
    /// To be started by the first connection.
    Asleep,
    Starting,
    Running(Endpoint),
    Exited(Option<i32>),
    /// Why it is not real.
    Simulated(String),
    Stopped,
}

/// A started supervisor, as its table entry sees it.
#[derive(Clone, Default)]
pub struct Run {
    pub number: u64,
    /// Asks the supervisor to end the processes.
    pub cancel: CancellationToken,
    /// Cancelled when they have ended.
    pub done: CancellationToken,
}

impl Run {
    /// Ends the run and waits until nothing of it is left.
    pub async fn end(self) {
        self.cancel.cancel();
        self.done.cancelled().await;
    }
}

pub struct Space {
    pub process: SpaceProcess,
    pub host: String,
    pub log: Log,
    pub phase: Phase,
    pub last_activity: Timestamp,
    run: Option<Run>,
}

#[derive(Default)]
pub struct Spaces {
    by_uid: HashMap<String, Space>,
    runs: u64,
}

impl Spaces {
    /// Adds a Space that is to run; gives back the run it replaces.
    pub fn insert(&mut self, process: SpaceProcess) -> Option<Run> {
        let phase = if process.lazy { Phase::Asleep } else { Phase::Starting };
        self.put(process, phase)
    }

    pub fn insert_stopped(&mut self, process: SpaceProcess) -> Option<Run> {
        self.put(process, Phase::Stopped)
    }

    fn put(&mut self, process: SpaceProcess, phase: Phase) -> Option<Run> {
        let host = host::name(&process.name, &process.namespace);
        let uid = process.uid.clone();
        let last_activity = Timestamp::now();
        let space = Space { process, host, log: Log::default(), phase, last_activity, run: None };
        self.by_uid.insert(uid, space)?.run
    }

    /// Takes up a run for a Space that waits for one; `None` when it runs, has ended or is stopped.
    pub fn begin_run(&mut self, uid: &str) -> Option<(SpaceProcess, Log, Run)> {
        let space = self.by_uid.get_mut(uid)?;
        if space.run.is_some() || !matches!(space.phase, Phase::Asleep | Phase::Starting) {
            return None;
        }
        self.runs += 1;
        let run = Run { number: self.runs, ..Run::default() };
        space.run = Some(run.clone());
        space.phase = Phase::Starting;
        Some((space.process.clone(), space.log.clone(), run))
    }

    /// News from the supervisor of run `number`; ignored when that run is no longer the Space's.
    pub fn set_phase(&mut self, uid: &str, number: u64, phase: Phase) {
        let current = |space: &&mut Space| space.run.as_ref().is_some_and(|run| run.number == number);
        if let Some(space) = self.by_uid.get_mut(uid).filter(current) {
            space.phase = phase;
        }
    }

    /// Whether one more real server may start beside those of other Spaces that start or run.
    pub fn has_room(&self, uid: &str, limit: usize) -> bool {
        let real = |space: &Space| match space.phase {
            Phase::Running(_) => true,
            Phase::Starting => space.run.is_some(),
            _ => false,
        };
        self.by_uid.iter().filter(|(other, space)| *other != uid && real(space)).count() < limit
    }

    pub fn stop(&mut self, uid: &str) -> Option<Run> {
        let space = self.by_uid.get_mut(uid)?;
        space.phase = Phase::Stopped;
        space.run.take()
    }

    pub fn stop_all(&mut self) -> Vec<Run> {
        let uids: Vec<String> = self.by_uid.keys().cloned().collect();
        uids.iter().filter_map(|uid| self.stop(uid)).collect()
    }

    pub fn remove(&mut self, uid: &str) {
        self.by_uid.remove(uid);
    }

    pub fn get(&self, uid: &str) -> Option<&Space> {
        self.by_uid.get(uid)
    }

    /// Whether any Space has this host name. Two clusters may each have one, told apart by the uid in the cookie.
    pub fn has_host(&self, host: &str) -> bool {
        self.by_uid.values().any(|space| space.host == host)
    }

    /// A person used the Space.
    pub fn touch(&mut self, uid: &str) {
        if let Some(space) = self.by_uid.get_mut(uid) {
            space.last_activity = Timestamp::now();
        }
    }

    pub fn state(&self, uid: &str) -> RuntimeState {
        let Some(space) = self.by_uid.get(uid) else { return RuntimeState::Stopped };
        let last_activity = space.last_activity;
        match &space.phase {
            Phase::Starting => RuntimeState::Starting,
            Phase::Asleep | Phase::Running(_) => RuntimeState::Ready { last_activity },
            Phase::Exited(code) => RuntimeState::Exited { code: *code, log_tail: space.log.tail(TAIL) },
            Phase::Simulated(reason) => RuntimeState::Simulated { last_activity, reason: reason.clone() },
            Phase::Stopped => RuntimeState::Stopped,
        }
    }

    /// Whom a probe asks: a real server, or (`None`) this table, which knows the last connection.
    pub fn probe_target(&self, uid: &str) -> Result<(Option<Endpoint>, Timestamp), String> {
        let refused = "connection refused".to_owned();
        let Some(space) = self.by_uid.get(uid) else { return Err(refused) };
        match &space.phase {
            Phase::Running(endpoint) => Ok((Some(endpoint.clone()), space.last_activity)),
            Phase::Asleep | Phase::Simulated(_) => Ok((None, space.last_activity)),
            Phase::Starting | Phase::Exited(_) | Phase::Stopped => Err(refused),
        }
    }
}

/// What a server that is asleep or simulated answers to a probe.
pub fn stand_in_answer(path: &str, last_activity: Timestamp) -> (u16, String) {
    match path.split('?').next() {
        Some("/api/idle") => (200, serde_json::json!({ "lastActiveTimestamp": last_activity }).to_string()),
        Some("/api/status") => (200, serde_json::json!({ "last_activity": last_activity }).to_string()),
        _ => (404, String::new()),
    }
}

/// `/api/idle` of a SageMaker Distribution image, from a Jupyter server's `/api/status`.
pub fn idle_answer(status: u16, body: &str) -> (u16, String) {
    let answer: serde_json::Value = serde_json::from_str(body).unwrap_or_default();
    match answer.get("last_activity") {
        Some(last) if status == 200 => (200, serde_json::json!({ "lastActiveTimestamp": last }).to_string()),
        _ => (status.max(400), body.to_owned()),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use crate::runtime::tests::space;

    fn running(spaces: &mut Spaces, uid: &str) -> Run {
        spaces.insert(space(uid));
        let (_, _, run) = spaces.begin_run(uid).unwrap();
        let address = ([127, 0, 0, 1], 1).into();
        spaces.set_phase(uid, run.number, Phase::Running(Endpoint { address, authorization: None }));
        run
    }

    #[test]
    fn a_lazy_space_is_ready_before_it_runs() {
        let mut spaces = Spaces::default();
        spaces.insert(SpaceProcess { lazy: true, ..space("a") });
        assert!(matches!(spaces.state("a"), RuntimeState::Ready { .. }));
        assert!(spaces.begin_run("a").is_some());
        assert_eq!(spaces.state("a"), RuntimeState::Starting);
    }

    #[test]
    fn a_space_is_started_once() {
        let mut spaces = Spaces::default();
        spaces.insert(space("a"));
        assert!(spaces.begin_run("a").is_some());
        assert!(spaces.begin_run("a").is_none());
    }

    #[test]
    fn a_space_stopped_before_its_start_stays_stopped() {
        let mut spaces = Spaces::default();
        spaces.insert(space("a"));
        spaces.stop("a");
        assert!(spaces.begin_run("a").is_none());
        assert_eq!(spaces.state("a"), RuntimeState::Stopped);
    }

    #[test]
    fn news_of_an_earlier_run_changes_nothing() {
        let mut spaces = Spaces::default();
        let first = running(&mut spaces, "a");
        spaces.insert(space("a"));
        spaces.begin_run("a").unwrap();
        spaces.set_phase("a", first.number, Phase::Exited(Some(1)));
        assert_eq!(spaces.state("a"), RuntimeState::Starting);
    }

    #[test]
    fn room_is_counted_over_the_other_real_spaces_only() {
        let mut spaces = Spaces::default();
        running(&mut spaces, "a");
        let b = running(&mut spaces, "b");
        assert!(!spaces.has_room("c", 2));
        assert!(spaces.has_room("b", 2));
        spaces.set_phase("b", b.number, Phase::Simulated("no room".into()));
        assert!(spaces.has_room("c", 2));
    }

    #[test]
    fn an_ended_space_shows_its_code_and_last_lines() {
        let mut spaces = Spaces::default();
        let run = running(&mut spaces, "a");
        spaces.get("a").unwrap().log.push("out of memory");
        spaces.set_phase("a", run.number, Phase::Exited(Some(137)));
        let expected = RuntimeState::Exited { code: Some(137), log_tail: vec!["out of memory".into()] };
        assert_eq!(spaces.state("a"), expected);
        assert!(spaces.probe_target("a").is_err());
    }

    #[test]
    fn a_jupyter_servers_activity_is_reported_as_a_sagemaker_image_does() {
        let answer = idle_answer(200, r#"{"last_activity":"2026-01-01T00:00:00Z"}"#);
        assert_eq!(answer, (200, r#"{"lastActiveTimestamp":"2026-01-01T00:00:00Z"}"#.into()));
        assert_eq!(idle_answer(200, "not json").0, 400);
        assert_eq!(idle_answer(503, "").0, 503);
    }
}
