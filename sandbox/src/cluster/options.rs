//! How one cluster is set up.

use super::admission::Settings;
use super::connections::ConnectionTokens;
use super::nodes::InstanceGroup;
use super::pace::Pace;
use crate::runtime::Runtime;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Clone)]
pub struct ClusterOptions {
    /// The HyperPod cluster's name; it distinguishes nodes and processes of two clusters.
    pub name: String,
    /// For IDE links.
    pub eks_cluster_arn: String,
    pub pace: Pace,
    pub admission: Settings,
    /// One for both clusters of a sandbox: one router opens the Spaces of both.
    pub tokens: ConnectionTokens,
    /// Its nodes exist from the start, up to `initial`; more come when pods need them.
    pub groups: Vec<InstanceGroup>,
    /// `None`: containers are simulated by the kubelet alone and nothing listens anywhere.
    pub runtime: Option<Runtime>,
    /// A folder for each persistent volume; removed with the volume.
    pub volumes_dir: PathBuf,
    /// How often a running Space's activity is asked for (`idleShutdown.checkInterval`). Not scaled by the pace.
    pub idle_check: Duration,
}

impl ClusterOptions {
    pub fn new(name: &str, volumes_dir: PathBuf, tokens: ConnectionTokens) -> ClusterOptions {
        ClusterOptions {
            name: name.to_owned(),
            eks_cluster_arn: format!("arn:aws:eks:us-west-2:111122223333:cluster/{name}-eks"),
            pace: Pace::demo(),
            admission: Settings::default(),
            tokens,
            groups: Vec::new(),
            runtime: None,
            volumes_dir,
            idle_check: Duration::from_secs(60),
        }
    }
}
