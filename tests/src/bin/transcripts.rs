//! Replays a folder of recorded API server answers and says how well the sandbox matches.

use anyhow::Result;
use clap::Parser;
use spaceport_tests::transcripts::{Only, replay};
use std::path::PathBuf;
use std::process::ExitCode;

/// Replays recorded answers of a real Kubernetes API server. Exit code 0: the groups marked * match well enough
/// (95 % together, 90 % each).
#[derive(Parser)]
struct Arguments {
    /// The folder of GROUP--SEQUENCE.json files, with fixtures/
    dir: PathBuf,
    /// One group, or one sequence as GROUP--SEQUENCE
    #[arg(long, value_name = "GROUP[--SEQ]")]
    only: Option<String>,
    /// All differences of a transcript, not only the first
    #[arg(long)]
    verbose: bool,
}

#[tokio::main]
async fn main() -> Result<ExitCode> {
    let arguments = Arguments::parse();
    let report = replay(&arguments.dir, &Only(arguments.only)).await?;
    report.print(arguments.verbose);
    Ok(if report.is_enough() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
