//! Log and metrics of the process. Secrets never reach either: they are typed so that they do not print, and request
//! lines hold route templates in place of addresses.

use crate::config::{Log, LogFormat};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::io::IsTerminal;
use std::sync::OnceLock;
use tracing_subscriber::EnvFilter;

/// From a cache hit to the request time-out, in seconds.
const BUCKETS: [f64; 9] = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0];

/// # Errors
/// A filter that cannot be parsed, or a log that is already set up.
pub fn start_log(config: &Log) -> anyhow::Result<()> {
    let filter =
        EnvFilter::try_new(&config.filter).map_err(|error| anyhow::anyhow!("log.filter: {error}"))?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal())
        .with_writer(std::io::stderr);
    let started = match config.format {
        LogFormat::Text => builder.try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
    started.map_err(|error| anyhow::anyhow!("log: {error}"))
}

/// The process-wide recorder: several gateways in one test process share it.
#[derive(Clone)]
pub struct Metrics(PrometheusHandle);

impl Metrics {
    pub fn install() -> anyhow::Result<Metrics> {
        static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
        if let Some(handle) = HANDLE.get() {
            return Ok(Metrics(handle.clone()));
        }
        let recorder = PrometheusBuilder::new()
            .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &BUCKETS)?
            .build_recorder();
        let handle = HANDLE.get_or_init(|| recorder.handle()).clone();
        // Lost a race against another gateway of this process: its recorder is as good.
        let _ = metrics::set_global_recorder(recorder);
        Ok(Metrics(handle))
    }

    /// The text format of Prometheus.
    pub fn render(&self) -> String {
        self.0.run_upkeep();
        self.0.render()
    }
}
