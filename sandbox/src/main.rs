//! The `spaceport-sandbox` binary: options in, addresses out, a clean end on SIGINT and SIGTERM.

use anyhow::Result;
use clap::Parser;
use spaceport_sandbox::Sandbox;
use spaceport_sandbox::landscape::{CLUSTERS, PERSONAS};
use spaceport_sandbox::options::{
    ADMIN_PORT, AWS_PORT, KUBE_EAST_PORT, KUBE_PORT, Options, RuntimeChoice, SPACES_PORT, SeedChoice,
};
use spaceport_sandbox::plain::{self, Plain, PlainOptions};
use std::path::PathBuf;
use std::time::Duration;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// A HyperPod cluster and its AWS account on this machine. Everything listens on 127.0.0.1 only.
#[derive(Parser)]
#[command(version)]
struct Args {
    /// Folder of state, volumes, kubeconfigs and the gateway's configuration
    #[arg(long, default_value = ".sandbox")]
    dir: PathBuf,
    /// Port of the Kubernetes API; 0 takes a free one, here and below
    #[arg(long, default_value_t = KUBE_PORT)]
    kube_port: u16,
    /// Port of the second cluster's Kubernetes API
    #[arg(long, default_value_t = KUBE_EAST_PORT)]
    kube_east_port: u16,
    /// Port of the AWS endpoint
    #[arg(long, default_value_t = AWS_PORT)]
    aws_port: u16,
    /// Port under which Spaces open
    #[arg(long, default_value_t = SPACES_PORT)]
    spaces_port: u16,
    /// Port of the sandbox's own door for provoked faults
    #[arg(long, default_value_t = ADMIN_PORT)]
    admin_port: u16,
    /// Where the gateway will be reached, for its configuration
    #[arg(long, default_value = "http://127.0.0.1:8080")]
    gateway_url: String,
    /// Port of the gateway's admin listener, for its configuration
    #[arg(long, default_value_t = 8081)]
    gateway_admin_port: u16,
    /// Scale of all delays: 0 none, 1 as a demo, about 10 as a real cluster
    #[arg(long, default_value_t = 1.0)]
    pace: f64,
    /// What runs in a Space
    #[arg(long, value_enum, default_value_t)]
    runtime: RuntimeChoice,
    /// Begin without any Space
    #[arg(long, conflicts_with = "scale")]
    empty: bool,
    /// Begin with this many simulated Spaces
    #[arg(long, value_name = "SPACES", value_parser = scale)]
    scale: Option<SeedChoice>,
    /// Only one API server, over HTTP, with anonymous access, these users and these objects
    #[arg(long, requires_all = ["users", "fixtures"], conflicts_with_all = ["empty", "scale"])]
    plain: bool,
    /// Users of the plain server, YAML
    #[arg(long, value_name = "FILE", requires = "plain")]
    users: Option<PathBuf>,
    /// Objects of the plain server, YAML documents; may be given more than once
    #[arg(long, value_name = "FILE", requires = "plain")]
    fixtures: Vec<PathBuf>,
}

fn scale(text: &str) -> Result<SeedChoice, String> {
    match text.parse()? {
        choice @ SeedChoice::Scale(_) => Ok(choice),
        _ => Err("expected a number".to_owned()),
    }
}

impl Args {
    fn options(self) -> Options {
        let seed = if self.empty { SeedChoice::Empty } else { self.scale.unwrap_or_default() };
        Options {
            dir: self.dir,
            kube_port: self.kube_port,
            kube_east_port: self.kube_east_port,
            aws_port: self.aws_port,
            spaces_port: self.spaces_port,
            admin_port: self.admin_port,
            pace: self.pace,
            runtime: self.runtime,
            seed,
            gateway_url: self.gateway_url,
            gateway_admin_port: self.gateway_admin_port,
        }
    }
}

/// What open connections and processes get to end.
const FAREWELL: Duration = Duration::from_secs(15);

/// SIGINT and SIGTERM.
struct Ending {
    interrupt: Signal,
    terminate: Signal,
}

impl Ending {
    fn listen() -> Result<Ending> {
        Ok(Ending {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
        })
    }

    async fn asked(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let filter = tracing_subscriber::EnvFilter::try_from_default_env()
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
    let args = Args::parse();
    let ending = Ending::listen()?;
    if args.plain { serve_plain(args, ending).await } else { serve(args.options(), ending).await }
}

async fn serve(options: Options, mut ending: Ending) -> Result<()> {
    let sandbox = tokio::select! {
        sandbox = Sandbox::start(options) => sandbox?,
        () = ending.asked() => return Ok(()),
    };
    print!("{}", welcome(&sandbox));
    ending.asked().await;
    tracing::info!("ending");
    tokio::select! {
        ended = tokio::time::timeout(FAREWELL, sandbox.stop()) => {
            ended.map_err(|_| anyhow::anyhow!("some connections or processes did not end in time"))
        }
        // Twice is an order.
        () = ending.asked() => Ok(()),
    }
}

async fn serve_plain(args: Args, mut ending: Ending) -> Result<()> {
    let mut fixtures = Vec::new();
    for path in &args.fixtures {
        fixtures.extend(plain::read_fixtures(path)?);
    }
    let options = PlainOptions {
        users: args.users.as_deref().map(plain::read_users).transpose()?.unwrap_or_default(),
        fixtures,
        port: args.kube_port,
        admin_port: args.admin_port,
        ..PlainOptions::default()
    };
    let plain = Plain::start(options).await?;
    println!("Kubernetes   {}\nAdmin        {}", plain.url, plain.admin_url);
    ending.asked().await;
    plain.stop().await;
    Ok(())
}

fn welcome(sandbox: &Sandbox) -> String {
    let dir = sandbox.dir.display();
    let mut text = format!(
        "\n  Kubernetes   {} ({})\n               {} ({})\n  AWS          {}\n  Spaces       {}\n  Faults       {}\n",
        sandbox.kube_url,
        CLUSTERS[0].name,
        sandbox.kube_east_url,
        CLUSTERS[1].name,
        sandbox.aws_url,
        sandbox.spaces_url,
        sandbox.admin_url,
    );
    text.push_str(&format!("  Gateway      spaceport serve --config {dir}/spaceport.toml\n\n  Personas\n"));
    for persona in &PERSONAS {
        let roles: Vec<String> = CLUSTERS
            .iter()
            .filter_map(|cluster| Some(format!("{} in {}", persona.role_in(cluster)?, cluster.name)))
            .collect();
        text.push_str(&format!("    {:8} {}\n", persona.name, roles.join(", ")));
    }
    text.push_str(&format!(
        "\n  kubectl --kubeconfig {dir}/kubeconfig/ds-a1.yaml get workspaces\n  set -a; . {dir}/aws/ds-a1.env; set +a\n\n"
    ));
    text
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn options(args: &[&str]) -> Result<Options, clap::Error> {
        Args::try_parse_from([&["spaceport-sandbox"], args].concat()).map(Args::options)
    }

    #[test]
    fn the_documented_ports_are_the_default() {
        let options = options(&[]).unwrap();
        let ports = [options.kube_port, options.kube_east_port, options.aws_port, options.spaces_port];
        assert_eq!(ports, [16443, 16444, 14566, 18888]);
        assert_eq!(options.seed, SeedChoice::Demo);
    }

    #[test]
    fn seeds_are_chosen_by_flags_that_exclude_each_other() {
        assert_eq!(options(&["--empty"]).unwrap().seed, SeedChoice::Empty);
        assert_eq!(options(&["--scale", "500"]).unwrap().seed, SeedChoice::Scale(500));
        assert!(options(&["--scale", "demo"]).is_err());
        assert!(options(&["--scale", "5", "--empty"]).is_err());
        assert!(options(&["--plain"]).is_err(), "users and fixtures are missing");
    }
}
