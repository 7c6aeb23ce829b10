//! The sandbox answers as a real Kubernetes API server did.

use spaceport_tests::transcripts::{Only, replay};
use std::path::Path;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sandbox_answers_as_a_real_api_server() {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/kube-transcripts");
    let report = replay(&recorded, &Only::default()).await.expect("the recordings can be replayed");
    report.print(false);
    assert!(report.is_enough(), "too few transcripts match, see the list above");
}
