//! The router before the real servers: slow, and dependent on what can be installed, hence behind `--peers`.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::super::process::reap_leftovers;
use super::super::tests::{reach, space};
use super::super::{Runtime, RuntimeChoice, RuntimeOptions, RuntimeState, SpaceProcess};
use super::tests::{Bench, HOST, listen, verify};
use super::{get, router};
use http::{Request, StatusCode, header};
use std::sync::Arc;

/// A runtime on this machine's tools, with the Space `u` serving a volume that holds `kept.txt`.
async fn serving(app_type: &str) -> Bench {
    let dir = tempfile::tempdir().unwrap();
    #[expect(clippy::disallowed_methods, reason = "finds the tool cache and programs as the sandbox does")]
    let variable = |name: &str| std::env::var_os(name);
    let options = RuntimeOptions::new(RuntimeChoice::Jupyter, dir.path().join("state"), variable);
    let runtime = Runtime::new(options).unwrap();
    let address = listen(router(runtime.clone(), Arc::new(verify)).unwrap()).await;
    let volume_dir = dir.path().join("volume");
    std::fs::create_dir(&volume_dir).unwrap();
    std::fs::write(volume_dir.join("kept.txt"), "from the volume").unwrap();
    runtime.pull("image").await.unwrap();
    runtime.register(SpaceProcess { volume_dir, app_type: app_type.into(), ..space("u") });
    let state = reach(&runtime, "u", |state| *state != RuntimeState::Starting).await;
    assert!(matches!(state, RuntimeState::Ready { .. }), "{state:?} {:?}", runtime.log("u").tail(20));
    Bench { _dir: dir, runtime, address }
}

async fn stop_and_find_nothing(bench: &Bench) {
    bench.runtime.stop("u").await;
    assert_eq!(reap_leftovers(&bench.runtime.0.options.state_dir), 0, "a process outlived its Space");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "installs JupyterLab (250 MB) the first time: cargo xtask test --peers"]
async fn a_real_jupyterlab_serves_its_volume_and_leaves_nothing_behind() {
    let bench = serving("jupyterlab").await;
    let cookie = bench.cookie().await;
    let (status, _, page) = bench.get("/lab", &cookie).await;
    assert!(status == StatusCode::OK && page.contains("JupyterLab"), "{status} {page}");
    assert!(bench.get("/api/contents/kept.txt", &cookie).await.2.contains("from the volume"));
    for path in ["/api/kernels", "/api/terminals"] {
        let (status, _, body) =
            bench.send(HOST, Request::post(path).header(header::COOKIE, &cookie), "").await;
        assert!(status.is_success(), "{path}: {status} {body}");
    }
    assert!(bench.runtime.probe("u", "/api/idle").await.unwrap().1.contains("lastActiveTimestamp"));
    stop_and_find_nothing(&bench).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "installs JupyterLab (250 MB) the first time: cargo xtask test --peers"]
async fn a_real_jupyterlab_answers_nobody_but_the_router() {
    let bench = serving("jupyterlab").await;
    let (endpoint, _) = bench.runtime.spaces().probe_target("u").unwrap();
    let bare = super::super::server::Endpoint { authorization: None, ..endpoint.unwrap() };
    let (status, _) = get(&bench.runtime.0.upstream, &bare, "/api/contents").await.unwrap();
    assert_eq!(status, 403);
    stop_and_find_nothing(&bench).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs code-server (600 MB) on PATH: cargo xtask test --peers"]
async fn a_real_code_editor_opens_and_leaves_nothing_behind() {
    let bench = serving("code-editor").await;
    let cookie = bench.cookie().await;
    let (status, headers, _) = bench.get("/", &cookie).await;
    assert!(status.is_redirection(), "{status}");
    let folder = headers[header::LOCATION].to_str().unwrap().trim_start_matches('.');
    let (status, _, page) = bench.get(&format!("/{}", folder.trim_start_matches('/')), &cookie).await;
    assert!(status == StatusCode::OK && page.contains("code-server"), "{status} {page}");
    stop_and_find_nothing(&bench).await;
}
