//! The single-page application: built by Trunk into `dist/`, with a brotli twin beside every file worth it.

use crate::command::{announced, perform, program};
use crate::{node, paths, tools, wasm};
use anyhow::{Context, Result};
use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;
use std::path::{Path, PathBuf};

/// What the SPA is made of; nothing else makes it stale.
const SOURCES: [&str; 6] =
    ["frontend", "shared", "Cargo.toml", "Cargo.lock", "Trunk.toml", "xtask/precompress.mjs"];

pub fn dist() -> PathBuf {
    paths::root().join("dist")
}

/// Builds the SPA if a source changed since the last time. Needs no network beyond the set-up.
pub fn build() -> Result<()> {
    let (stamp, wanted) = (paths::target().join("xtask/spa-built-from"), fingerprint()?);
    let fresh = std::fs::read_to_string(&stamp).is_ok_and(|last| last == wanted);
    if fresh && dist().join("index.html").exists() {
        return Ok(());
    }
    node::check()?;
    wasm::set_up()?;
    let path = paths::search_path(&tools::frontend()?)?;
    announced("building the browser application (two minutes the first time)", || {
        let mut trunk = program("trunk");
        trunk.arg("build").env("PATH", &path).env("CARGO_TARGET_DIR", paths::frontend_target());
        // Trunk reads NO_COLOR as a boolean and refuses the usual `1`.
        perform(trunk.env_remove("NO_COLOR"))?;
        perform(program("node").arg("xtask/precompress.mjs").arg(dist()))
    })?;
    std::fs::create_dir_all(stamp.parent().unwrap_or(&stamp))?;
    std::fs::write(&stamp, wanted).with_context(|| format!("cannot write {}", stamp.display()))
}

/// Paths, sizes and times of all sources: cheap, and at worst builds once too often.
fn fingerprint() -> Result<String> {
    let mut hasher = DefaultHasher::new();
    for source in SOURCES {
        let path = paths::root().join(source);
        if path.exists() {
            digest(&path, &mut hasher)?;
        }
    }
    Ok(format!("{:016x}", hasher.finish()))
}

fn digest(path: &Path, hasher: &mut DefaultHasher) -> Result<()> {
    let meta = path.metadata().with_context(|| format!("cannot read {}", path.display()))?;
    if meta.is_dir() {
        let mut entries: Vec<PathBuf> =
            std::fs::read_dir(path)?.flatten().map(|entry| entry.path()).collect();
        entries.sort();
        return entries.iter().try_for_each(|entry| digest(entry, hasher));
    }
    hasher.write(path.as_os_str().as_encoded_bytes());
    hasher.write_u64(meta.len());
    let modified = meta.modified()?.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    hasher.write_u128(modified.as_nanos());
    Ok(())
}
