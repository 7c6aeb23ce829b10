//! A real sandbox and a real gateway in this process, on free ports, with folders of their own.

use crate::callers::Anonymous;
use crate::patience::eventually;
use anyhow::{Context, Result};
use spaceport_gateway::Gateway;
use spaceport_gateway::config::{Flags, load};
use spaceport_sandbox::Sandbox;
use spaceport_sandbox::options::{Options, SeedChoice};
use std::future::Future;
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::LazyLock;
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::sync::OnceCell;

/// One runtime for the whole test binary: a shared stack must outlive the test that started it.
static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Runtime::new().expect("a test process can start threads"));

static SHARED: OnceCell<Stack> = OnceCell::const_new();

/// Runs a test's body on the common runtime.
///
/// # Panics
/// With the body's error: that is the test's failure.
pub fn test<F>(body: F)
where
    F: Future<Output = Result<()>>,
{
    if let Err(error) = RUNTIME.block_on(body) {
        panic!("{error:?}");
    }
}

/// Sandbox, gateway and their folder. Both stop with the process; `stop` ends them earlier.
pub struct Stack {
    pub sandbox: Sandbox,
    pub gateway: Gateway,
    pub url: String,
    config: PathBuf,
    _dir: TempDir,
}

impl Stack {
    /// The stack of all tests that only read, or write under names of their own.
    pub async fn shared() -> &'static Stack {
        SHARED
            .get_or_init(|| async { Stack::start(SeedChoice::Demo).await.expect("the shared stack starts") })
            .await
    }

    pub async fn start(seed: SeedChoice) -> Result<Stack> {
        let dir = tempfile::tempdir()?;
        // The configuration names the portal's address, so the port has to be known before the gateway binds it.
        let port = free_port()?;
        let url = format!("http://127.0.0.1:{port}");
        let options = Options {
            gateway_url: url.clone(),
            gateway_admin_port: 0,
            ..Options::for_tests(dir.path(), seed)
        };
        let sandbox = Sandbox::start(options).await?;
        let config = dir.path().join("spaceport.toml");
        let gateway = start_gateway(&config).await?;
        wait_until_ready(&url).await?;
        Ok(Stack { sandbox, gateway, url, config, _dir: dir })
    }

    /// Stops the gateway and starts another with the same configuration, as an operator's restart does.
    pub async fn restart_gateway(mut self) -> Result<Stack> {
        self.gateway.stop().await;
        self.gateway = start_gateway(&self.config).await?;
        wait_until_ready(&self.url).await?;
        Ok(self)
    }

    pub fn anonymous(&self) -> Anonymous {
        Anonymous::new(&self.url)
    }

    pub fn kubeconfig(&self, persona: &str) -> PathBuf {
        self.sandbox.kubeconfig(persona)
    }

    pub async fn stop(self) {
        self.gateway.stop().await;
        self.sandbox.stop().await;
    }
}

async fn start_gateway(config: &std::path::Path) -> Result<Gateway> {
    let flags = Flags { config: Some(config.to_owned()), ..Flags::default() };
    let config = load(&flags)?;
    spaceport_gateway::build(config).await.context("the gateway starts with the sandbox's configuration")
}

/// As a load balancer does: no request before the gateway says that it can serve.
async fn wait_until_ready(url: &str) -> Result<()> {
    eventually("the gateway is ready", || async {
        let answer = reqwest::get(format!("{url}/readyz")).await?;
        Ok(answer.status().is_success().then_some(()))
    })
    .await
}

/// A port that was free a moment ago.
fn free_port() -> Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}
