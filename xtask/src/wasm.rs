//! The browser's compile target: from rustup, or, where rustup cannot download, built from Debian's source package of
//! the same compiler (xtask/wasm-std.sh).

use crate::command::{announced, capture, perform, program};
use crate::paths;
use anyhow::Result;
use std::process::Stdio;

pub const TARGET: &str = "wasm32-unknown-unknown";

/// Makes the target usable; nothing happens where it is.
pub fn set_up() -> Result<()> {
    if compiles()? {
        return Ok(());
    }
    if paths::find("rustup").is_some() {
        let added = announced(&format!("fetching the {TARGET} target by rustup (30 MB)"), || {
            perform(program("rustup").args(["target", "add", TARGET]).env("RUSTUP_MAX_RETRIES", "1"))
        });
        match added {
            Ok(()) if compiles()? => return Ok(()),
            Ok(()) => eprintln!("xtask: rustup added the target, yet nothing compiles for it"),
            Err(error) => eprintln!("xtask: {error:#}"),
        }
    }
    announced(&format!("building the {TARGET} standard library from Debian's rust-src (40 s, 5 MB)"), || {
        perform(&mut program(paths::root().join("xtask/wasm-std.sh")))
    })
}

/// A real compile: a folder in the sysroot may be there and of another compiler.
fn compiles() -> Result<bool> {
    let out = paths::target().join("xtask/wasm-probe");
    std::fs::create_dir_all(&out)?;
    let source = out.join("probe.rs");
    std::fs::write(&source, "fn main() { println!(\"{:?}\", std::time::Duration::ZERO); }\n")?;
    let version = capture(program("rustc").arg("-vV"))?;
    let proof = out.join("compiled-by");
    if std::fs::read_to_string(&proof).is_ok_and(|last| last == version) {
        return Ok(true);
    }
    let mut rustc = program("rustc");
    rustc.args(["--edition=2024", "--target", TARGET, "-Cpanic=abort", "-Clto=fat", "--out-dir"]);
    let done = rustc.arg(&out).arg(&source).stderr(Stdio::null()).status()?.success();
    if done {
        std::fs::write(&proof, version)?;
    }
    Ok(done)
}
