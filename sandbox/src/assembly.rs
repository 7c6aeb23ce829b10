//! Puts the parts together: listeners, certificates, API servers, clusters, AWS endpoint, runtime, seed, files.

use crate::admin::{self, Admin};
use crate::aws;
use crate::aws::sessions::Sessions;
use crate::cluster::ConnectionTokens;
use crate::faults::{Endpoint, Faults};
use crate::files::{self, Addresses, Layout};
use crate::kube::ApiServer;
use crate::landscape::CLUSTERS;
use crate::listen::{self, Bound, Surface};
use crate::options::Options;
use crate::runtime::access;
use crate::runtime::{Runtime, RuntimeOptions, host};
use crate::secrets::Secrets;
use crate::side::{Parts, Side};
use crate::tls::Authority;
use anyhow::{Context, Result};
use nix::fcntl::{Flock, FlockArg};
use std::path::PathBuf;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// A running sandbox. Dropping it without [`Sandbox::stop`] leaves its tasks to the runtime.
pub struct Sandbox {
    pub kube_url: String,
    pub kube_east_url: String,
    pub aws_url: String,
    /// The port of all Spaces; each has a host of its own in front of it.
    pub spaces_url: String,
    pub admin_url: String,
    /// Absolute.
    pub dir: PathBuf,
    pub faults: Faults,
    layout: Layout,
    clusters: Vec<Side>,
    runtime: Runtime,
    tasks: TaskTracker,
    stopping: CancellationToken,
    _lock: Flock<std::fs::File>,
}

/// The five sockets, bound but not listening yet: a client that connects early must be refused, not left waiting.
struct Sockets {
    kube: [Bound; 2],
    aws: Bound,
    spaces: Bound,
    admin: Bound,
}

impl Sockets {
    fn bind(options: &Options) -> Result<Sockets> {
        Ok(Sockets {
            kube: [
                listen::bind("Kubernetes API", options.kube_port)?,
                listen::bind("Kubernetes API, east", options.kube_east_port)?,
            ],
            aws: listen::bind("AWS endpoint", options.aws_port)?,
            spaces: listen::bind("Spaces", options.spaces_port)?,
            admin: listen::bind("sandbox admin", options.admin_port)?,
        })
    }
}

impl Sandbox {
    /// Everything listens, and the gateway's configuration is written, when this returns.
    ///
    /// # Errors
    /// A taken port, a folder in use or not writable, a damaged file in it.
    pub async fn start(options: Options) -> Result<Sandbox> {
        let layout = Layout::create(&options.dir)?;
        let lock = lock(&layout)?;
        let sockets = Sockets::bind(&options)?;
        let secrets = Secrets::open(&layout.secrets())?;
        let sessions = Sessions::new(&secrets);
        let authority = Authority::open(&layout.ca_pem(), &layout.ca_key())?;
        let runtime =
            Runtime::new(RuntimeOptions::new(options.runtime, layout.state().join("runtime"), variable))?;
        let tokens = ConnectionTokens::generate()?;
        let parts = Parts {
            layout: &layout,
            secrets: &secrets,
            sessions: &sessions,
            runtime: &runtime,
            tokens: &tokens,
            seed: options.seed,
            spaces_domain: format!("{}:{}", host::DOMAIN, sockets.spaces.address.port()),
        };
        let mut clusters = Vec::new();
        for (facts, socket) in CLUSTERS.into_iter().zip(&sockets.kube) {
            clusters.push(Side::start(facts, &socket.url("https"), &parts)?);
        }
        futures::future::try_join_all(clusters.iter().map(|side| side.populate(options.pace))).await?;
        let sandbox = Sandbox {
            kube_url: sockets.kube[0].url("https"),
            kube_east_url: sockets.kube[1].url("https"),
            aws_url: sockets.aws.url("http"),
            spaces_url: sockets.spaces.url("http"),
            admin_url: sockets.admin.url("http"),
            dir: layout.dir.clone(),
            faults: Faults::default(),
            layout,
            clusters,
            runtime,
            tasks: TaskTracker::new(),
            stopping: CancellationToken::new(),
            _lock: lock,
        };
        sandbox.write_files(&options, &secrets, &sessions, &authority)?;
        sandbox.listen(sockets, sessions, &authority, &tokens)?;
        Ok(sandbox)
    }

    pub fn kubeconfig(&self, persona: &str) -> PathBuf {
        self.layout.kubeconfig(persona)
    }

    /// An API server from the inside, by cluster name. For tests of the sandbox itself.
    pub fn server(&self, cluster: &str) -> Option<&ApiServer> {
        self.clusters.iter().find(|side| side.facts.name == cluster).map(|side| &side.server)
    }

    /// Ends listeners, controllers and every process of a Space; returns when they are gone.
    pub async fn stop(self) {
        self.stopping.cancel();
        self.tasks.close();
        for side in self.clusters {
            side.stop().await;
        }
        self.runtime.shutdown().await;
        self.tasks.wait().await;
    }

    fn write_files(
        &self,
        options: &Options,
        secrets: &Secrets,
        sessions: &Sessions,
        authority: &Authority,
    ) -> Result<()> {
        let addresses = Addresses {
            kube: [&self.kube_url, &self.kube_east_url],
            aws: &self.aws_url,
            gateway: &options.gateway_url,
            gateway_admin_port: options.gateway_admin_port,
        };
        files::write_all(&self.layout, &addresses, secrets, sessions, &authority.ca_pem)
    }

    fn listen(
        &self,
        sockets: Sockets,
        sessions: Sessions,
        authority: &Authority,
        tokens: &ConnectionTokens,
    ) -> Result<()> {
        let plain = |endpoint, router| Surface { endpoint, router, tls: None, faults: self.faults.clone() };
        let sides = self.clusters.iter().zip([&self.kube_url, &self.kube_east_url]);
        let sides = sides.map(|(side, url)| side.towards_aws(url, &authority.ca_pem)).collect();
        let admin = Admin {
            faults: self.faults.clone(),
            paces: self.clusters.iter().map(|side| side.pace.clone()).collect(),
            servers: self.clusters.iter().map(|side| (side.facts.name, side.server.clone())).collect(),
        };
        for ((socket, side), endpoint) in
            sockets.kube.into_iter().zip(&self.clusters).zip([Endpoint::Kube, Endpoint::KubeEast])
        {
            let surface =
                Surface { tls: Some(authority.acceptor()?), ..plain(endpoint, side.server.router()) };
            self.serve(socket, surface)?;
        }
        self.serve(sockets.aws, plain(Endpoint::Aws, aws::router(sessions, sides)))?;
        let spaces = access::router(self.runtime.clone(), tokens.verifier())?;
        self.serve(sockets.spaces, plain(Endpoint::Spaces, spaces))?;
        self.serve(sockets.admin, plain(Endpoint::Admin, admin::router(admin)))
    }

    fn serve(&self, socket: Bound, surface: Surface) -> Result<()> {
        listen::serve(socket.listen()?, surface, &self.tasks, &self.stopping);
        Ok(())
    }
}

/// Where tools and programs are found is the user's, not the sandbox's.
#[expect(clippy::disallowed_methods, reason = "the one place where this program reads its environment")]
fn variable(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name)
}

/// Two sandboxes on one folder would write over each other's state.
fn lock(layout: &Layout) -> Result<Flock<std::fs::File>> {
    let path = layout.state().join("lock");
    let file = std::fs::File::create(&path).with_context(|| format!("cannot create {}", path.display()))?;
    Flock::lock(file, FlockArg::LockExclusiveNonblock)
        .map_err(|_| anyhow::anyhow!("another sandbox uses {}", layout.dir.display()))
}

#[cfg(test)]
#[path = "assembly_tests.rs"]
mod tests;
