//! One run of one Space: decides whether it is real, starts the server, waits for it to answer and to end.

use super::log::Log;
use super::process::Process;
use super::server::{self, Server};
use super::spaces::{Phase, Run};
use super::{Runtime, RuntimeChoice, SpaceProcess, access};
use std::time::Duration;

/// A cold JupyterLab takes 3 s on a laptop and half a minute on a busy build machine.
const START_DEADLINE: Duration = Duration::from_secs(120);
const POLL: Duration = Duration::from_millis(150);

enum Plan {
    Run(Box<Server>),
    Simulate(String),
    Fail(String),
}

/// Lives as long as the run; the run is done when it returns, however it returns.
pub async fn supervise(runtime: Runtime, space: SpaceProcess, log: Log, run: Run) {
    let _done = run.done.clone().drop_guard();
    let plan = tokio::select! {
        () = run.cancel.cancelled() => return,
        plan = plan(&runtime, &space) => plan,
    };
    let phase = match plan {
        Plan::Run(server) => serve(&runtime, &space, &log, &run, *server).await,
        Plan::Simulate(reason) => {
            log.push(&format!("simulated, nothing runs here: {reason}"));
            Phase::Simulated(reason)
        }
        Plan::Fail(reason) => {
            log.push(&reason);
            Phase::Exited(Some(1))
        }
    };
    runtime.set_phase(&space.uid, run.number, phase);
}

async fn plan(runtime: &Runtime, space: &SpaceProcess) -> Plan {
    let options = &runtime.0.options;
    if options.choice == RuntimeChoice::Simulated {
        return Plan::Simulate("the sandbox was started with a simulated runtime".to_owned());
    }
    if !runtime.spaces().has_room(&space.uid, options.real_spaces) {
        return Plan::Simulate(format!(
            "{} real servers run already, the most at a time",
            options.real_spaces
        ));
    }
    if let Err(error) = std::fs::create_dir_all(&space.volume_dir) {
        return Plan::Fail(format!("cannot create the volume's folder: {error}"));
    }
    let server = match space.app_type.as_str() {
        "code-editor" => server::code_editor(space, &options.search_path),
        _ => match runtime.installed().await {
            Ok(bin) => Some(server::jupyterlab(space, &bin, &run_dir(runtime, space), &options.search_path)),
            Err(why) if options.choice == RuntimeChoice::Auto => return Plan::Simulate(why),
            Err(why) => return Plan::Fail(why),
        },
    };
    match server {
        Some(Ok(server)) => Plan::Run(Box::new(server)),
        Some(Err(error)) => Plan::Fail(format!("no free port: {error}")),
        None => Plan::Simulate("code-server is not on PATH".to_owned()),
    }
}

/// The server's own run files, apart from the volume: they hold tokens and mean nothing after a restart.
fn run_dir(runtime: &Runtime, space: &SpaceProcess) -> std::path::PathBuf {
    runtime.0.options.state_dir.join(&space.uid)
}

async fn serve(runtime: &Runtime, space: &SpaceProcess, log: &Log, run: &Run, server: Server) -> Phase {
    let name = format!("{}.{}", space.uid, run.number);
    let mut process = match Process::start(&server.program, &runtime.0.options.state_dir, &name, log) {
        Ok(process) => process,
        Err(error) => {
            log.push(&format!("{error:#}"));
            return Phase::Exited(Some(127));
        }
    };
    let phase = tokio::select! {
        () = run.cancel.cancelled() => Phase::Stopped,
        code = process.ended() => Phase::Exited(code),
        () = announce(runtime, space, log, run, &server) => Phase::Exited(Some(1)),
    };
    process.end().await;
    // Fails when the server wrote nothing there, which is as good.
    let _ = std::fs::remove_dir_all(run_dir(runtime, space));
    phase
}

/// Says when the server answers; returns only if it does not in time.
async fn announce(runtime: &Runtime, space: &SpaceProcess, log: &Log, run: &Run, server: &Server) {
    let ready = async {
        while !matches!(
            access::get(&runtime.0.upstream, &server.endpoint, server.ready_path).await,
            Ok((200, _))
        ) {
            tokio::time::sleep(POLL).await;
        }
    };
    if tokio::time::timeout(START_DEADLINE, ready).await.is_err() {
        log.push(&format!("the server did not answer within {} s", START_DEADLINE.as_secs()));
        return;
    }
    runtime.set_phase(&space.uid, run.number, Phase::Running(server.endpoint.clone()));
    std::future::pending().await
}
