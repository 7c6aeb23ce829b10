//! The `spaceport` command.

use clap::{Parser, Subcommand};
use spaceport_gateway::{build, config, lifecycle, router, telemetry};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "spaceport", version, about = "Self-service and governance for HyperPod Spaces")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve the portal and the API.
    Serve(config::Flags),
    /// Print the OpenAPI document.
    Openapi,
}

/// `EX_CONFIG` of sysexits.h: a supervisor need not retry.
const UNUSABLE_CONFIGURATION: u8 = 78;

#[tokio::main]
async fn main() -> ExitCode {
    match Cli::parse().command {
        Command::Openapi => finish(print_document()),
        Command::Serve(flags) => match config::load(&flags) {
            Ok(config) => finish(serve(config).await),
            Err(error) => {
                eprintln!("{error:#}");
                ExitCode::from(UNUSABLE_CONFIGURATION)
            }
        },
    }
}

fn print_document() -> anyhow::Result<()> {
    println!("{}", router::document().to_pretty_json()?);
    Ok(())
}

async fn serve(config: config::Config) -> anyhow::Result<()> {
    telemetry::start_log(&config.log)?;
    let origin = config.public_url.origin();
    let gateway = build(config).await?;
    tracing::info!(address = %gateway.address, admin = %gateway.admin_address, "serving {origin}");
    lifecycle::signal().await?;
    tracing::info!("stopping");
    tokio::select! {
        () = gateway.stop() => Ok(()),
        // A second signal does not wait.
        second = lifecycle::signal() => second,
    }
}

fn finish(result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
