//! The notebook and editor servers a Space can run: how each is started, reached and asked for its activity.

use super::SpaceProcess;
use super::environment::find;
use super::host;
use super::process::Program;
use http::HeaderValue;
use std::ffi::OsStr;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;

/// Where the access router finds a server.
#[derive(Clone, Debug)]
pub struct Endpoint {
    pub address: SocketAddr,
    /// Added to every request, so that only the router can use the server, not every process of the machine.
    pub authorization: Option<HeaderValue>,
}

/// A server ready to be started.
pub struct Server {
    pub program: Program,
    pub endpoint: Endpoint,
    /// Answers 200 once the server serves.
    pub ready_path: &'static str,
}

/// JupyterLab from the cached environment. `bin` is the environment's folder of programs.
pub fn jupyterlab(
    space: &SpaceProcess,
    bin: &Path,
    runtime_dir: &Path,
    search_path: &OsStr,
) -> std::io::Result<Server> {
    let address = free_address()?;
    let token = random_token();
    let own_host = host::name(&space.name, &space.namespace);
    let arguments = [
        "lab".to_owned(),
        "--no-browser".to_owned(),
        "--allow-root".to_owned(),
        format!("--ServerApp.ip={}", address.ip()),
        format!("--ServerApp.port={}", address.port()),
        "--ServerApp.port_retries=0".to_owned(),
        format!("--ServerApp.root_dir={}", space.volume_dir.display()),
        // The router passes the browser's Host on, so that the server's own Origin check compares like with like.
        format!("--ServerApp.local_hostnames={own_host}"),
        "--ServerApp.local_hostnames=localhost".to_owned(),
        "--ServerApp.terminals_enabled=True".to_owned(),
        "--ServerApp.log_level=INFO".to_owned(),
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate".to_owned(),
        "--LabApp.news_url=None".to_owned(),
        "--LabApp.extension_manager=readonly".to_owned(),
    ];
    let mut environment = base_environment(space, &[bin], search_path);
    // Not as an argument: those can be read by every user of the machine.
    environment.push(("JUPYTER_TOKEN".to_owned(), token.clone()));
    environment.push(("JUPYTER_RUNTIME_DIR".to_owned(), runtime_dir.display().to_string()));
    let program = Program {
        path: bin.join("jupyter"),
        arguments: arguments.into(),
        environment,
        directory: space.volume_dir.clone(),
    };
    let authorization = HeaderValue::try_from(format!("token {token}")).ok();
    Ok(Server { program, endpoint: Endpoint { address, authorization }, ready_path: "/api/status" })
}

/// code-server, if it is on the search path. It has no token of its own that a proxy could add: another process of
/// this machine can reach it on its loopback port (docs/SANDBOX.md, Runtime).
pub fn code_editor(space: &SpaceProcess, search_path: &OsStr) -> Option<std::io::Result<Server>> {
    let path = find(search_path, "code-server")?;
    let address = match free_address() {
        Ok(address) => address,
        Err(error) => return Some(Err(error)),
    };
    let arguments = [
        "--auth=none".to_owned(),
        format!("--bind-addr={address}"),
        "--disable-telemetry".to_owned(),
        "--disable-update-check".to_owned(),
        "--disable-workspace-trust".to_owned(),
        space.volume_dir.display().to_string(),
    ];
    let program = Program {
        path,
        arguments: arguments.into(),
        environment: base_environment(space, &[], search_path),
        directory: space.volume_dir.clone(),
    };
    Some(Ok(Server { program, endpoint: Endpoint { address, authorization: None }, ready_path: "/healthz" }))
}

/// The Space's own variables, then those a server needs; the latter win, being last.
fn base_environment(space: &SpaceProcess, first: &[&Path], search_path: &OsStr) -> Vec<(String, String)> {
    let rest = std::env::split_paths(search_path);
    let path =
        std::env::join_paths(first.iter().map(|dir| dir.to_path_buf()).chain(rest)).unwrap_or_default();
    let home = space.volume_dir.display().to_string();
    let own = [
        ("HOME", home),
        ("PATH", path.to_string_lossy().into_owned()),
        ("LANG", "C.UTF-8".to_owned()),
        ("SHELL", "/bin/bash".to_owned()),
        ("WORKSPACE_NAME", space.name.clone()),
        ("WORKSPACE_NAMESPACE", space.namespace.clone()),
    ];
    let own = own.into_iter().map(|(name, value)| (name.to_owned(), value));
    space.env.iter().filter(|(name, value)| usable(name, value)).cloned().chain(own).collect()
}

/// What the operating system can pass on; anything else would make the start fail with a panic in its place.
fn usable(name: &str, value: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0']) && !value.contains('\0')
}

/// A loopback port nobody uses now. Another process may take it before the server does; the server then exits, and
/// its log says why.
fn free_address() -> std::io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}

fn random_token() -> String {
    let mut bytes = [0_u8; 24];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    data_encoding::HEXLOWER.encode(&bytes)
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn space() -> SpaceProcess {
        SpaceProcess {
            cluster: "sandbox".into(),
            namespace: "ns".into(),
            name: "lab".into(),
            uid: "u1".into(),
            app_type: "jupyterlab".into(),
            image: "image".into(),
            volume_dir: "/volumes/lab".into(),
            env: vec![
                ("HOME".into(), "/elsewhere".into()),
                ("BAD=NAME".into(), "x".into()),
                ("A".into(), "b".into()),
            ],
            lazy: false,
        }
    }

    #[test]
    fn the_servers_token_is_in_the_environment_and_not_in_the_arguments() {
        let server =
            jupyterlab(&space(), Path::new("/env/bin"), Path::new("/run"), OsStr::new("/bin")).unwrap();
        let (_, token) = server.program.environment.iter().find(|(name, _)| name == "JUPYTER_TOKEN").unwrap();
        assert!(server.program.arguments.iter().all(|argument| !argument.contains(token)));
        assert_eq!(server.endpoint.authorization.unwrap(), format!("token {token}"));
        assert!(server.endpoint.address.ip().is_loopback());
    }

    #[test]
    fn a_space_cannot_move_its_home_nor_break_the_start_by_a_variable() {
        let environment = base_environment(&space(), &[Path::new("/env/bin")], OsStr::new("/usr/bin:/bin"));
        let last = |wanted: &str| {
            environment.iter().rev().find(|(name, _)| name == wanted).map(|(_, value)| &**value)
        };
        assert_eq!(last("HOME"), Some("/volumes/lab"));
        assert_eq!(last("PATH"), Some("/env/bin:/usr/bin:/bin"));
        assert_eq!(last("A"), Some("b"));
        assert_eq!(last("BAD=NAME"), None);
    }

    #[test]
    fn a_code_editor_needs_code_server_on_the_path() {
        assert!(code_editor(&space(), OsStr::new("/nowhere")).is_none());
    }
}
