//! `cargo xtask …`: the commands a developer needs. Each does its own set-up, says what it fetches, and does nothing
//! twice. Knows the other crates as programs only.

mod apt;
mod audit;
mod browser;
mod command;
mod deploy;
mod node;
mod paths;
mod peers;
mod run;
mod services;
mod spa;
mod test;
mod tools;
mod venv;
mod versions;
mod wasm;

use anyhow::Result;
use clap::{Parser, Subcommand};
use command::{cargo, perform};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "The commands of Spaceport's developers", version)]
struct Arguments {
    #[command(subcommand)]
    command: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build everything, start the sandbox and the gateway, say where and who can sign in; Ctrl-C ends both
    Run(run::RunOptions),
    /// Every check: format, lints, tests, contract, transcripts, browser
    Test(test::TestOptions),
    /// Install what `run` and `test` need, and nothing else
    Setup {
        /// Also the heavy outside clients
        #[arg(long)]
        peers: bool,
    },
    /// Build the browser application into dist/
    Spa,
    /// Format all crates
    Fmt,
    /// Clippy on all crates, warnings denied; the frontend for the browser's target
    Lint,
    /// Licences, bans and sources of all dependencies, and advisories where they can be fetched
    Audit,
    /// Regenerate openapi.json from the code
    Openapi,
    /// The browser tests alone
    E2e {
        /// Only tests whose name contains this
        filter: Option<String>,
    },
    /// Replay recorded answers of a real API server against the sandbox
    Transcripts { dir: std::path::PathBuf },
}

fn main() -> ExitCode {
    match perform_task(Arguments::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        // Never a backtrace: what went wrong is a program or a machine, not this code.
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn perform_task(task: Task) -> Result<()> {
    match task {
        Task::Run(options) => run::run(&options),
        Task::Test(options) => test::test(&options),
        Task::Setup { peers } => test::set_up(peers).map(drop),
        Task::Spa => spa::build(),
        Task::Fmt => perform(cargo().args(["fmt", "--all"])),
        Task::Lint => test::lint(),
        Task::Audit => audit::audit(),
        Task::Openapi => test::write_openapi(),
        Task::E2e { filter } => test::browser_tests(filter.as_deref()),
        Task::Transcripts { dir } => test::transcripts(&dir),
    }
}
