//! The append-only file behind a store: one line a committed change, rewritten whole at start.
//!
//! A line reaches the kernel before the change is visible, so it survives the death of the process (not a power
//! cut: nothing is flushed to the disk). A torn last line is dropped, its change was never answered.

use super::{Key, Table};
use crate::kube::kinds;
use anyhow::Context;
use serde_json::{Value, json};
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

pub(super) enum Line<'a> {
    Put {
        version: u64,
        resource: &'a str,
        object: &'a Value,
    },
    Delete {
        version: u64,
        resource: &'a str,
        key: &'a Key,
    },
    /// The version moved on without a change.
    Version {
        version: u64,
    },
}

impl Line<'_> {
    /// Bodies are written as they are, without a copy in between.
    fn encode(&self) -> Vec<u8> {
        let mut bytes = match self {
            Line::Put { version, resource, object } => {
                let mut bytes = format!("{{\"v\":{version},\"r\":\"{resource}\",\"o\":").into_bytes();
                // Writing JSON into memory does not fail.
                let _ = serde_json::to_writer(&mut bytes, object);
                bytes.push(b'}');
                bytes
            }
            Line::Delete { version, resource, key } => {
                json!({"v": version, "r": resource, "ns": key.namespace, "n": key.name})
                    .to_string()
                    .into_bytes()
            }
            Line::Version { version } => json!({"v": version}).to_string().into_bytes(),
        };
        bytes.push(b'\n');
        bytes
    }
}

pub(super) struct Journal {
    file: File,
}

impl Journal {
    /// Writes the state as a fresh journal beside the old one, then takes its place.
    pub(super) fn rewrite(path: &Path, version: u64, tables: &[Table]) -> anyhow::Result<Journal> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        }
        let fresh = path.with_extension("journal.new");
        let mut out = BufWriter::new(
            File::create(&fresh).with_context(|| format!("cannot write {}", fresh.display()))?,
        );
        out.write_all(&Line::Version { version }.encode())?;
        for (kind, table) in kinds::all().iter().zip(tables) {
            for object in table.values() {
                out.write_all(&Line::Put { version, resource: kind.plural, object }.encode())?;
            }
        }
        out.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
        fs::rename(&fresh, path).with_context(|| format!("cannot replace {}", path.display()))?;
        Ok(Journal { file: OpenOptions::new().append(true).open(path)? })
    }

    /// A full disk must not take the cluster down; the loss is logged, and shows after the next restart only.
    pub(super) fn append(&mut self, line: &Line<'_>) {
        if let Err(error) = self.file.write_all(&line.encode()) {
            tracing::error!(%error, "journal not written: this change will not survive a restart");
        }
    }
}

/// Reads a journal into the tables; answers the newest version. A missing file is an empty journal.
pub(super) fn replay(path: &Path, tables: &mut [Table]) -> anyhow::Result<u64> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    let mut reader = BufReader::new(file);
    let mut newest = 0;
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if reader.read_until(b'\n', &mut line)? == 0 || line.last() != Some(&b'\n') {
            break;
        }
        let entry: Value =
            serde_json::from_slice(&line).with_context(|| format!("{}, line {number}", path.display()))?;
        newest = newest.max(apply(entry, tables));
    }
    Ok(newest)
}

fn apply(mut entry: Value, tables: &mut [Table]) -> u64 {
    let version = entry["v"].as_u64().unwrap_or(0);
    // A kind that is no longer served (an older version wrote it) is dropped.
    if let Some(kind) = entry["r"].as_str().and_then(kinds::by_plural) {
        let table = &mut tables[kind.id];
        match entry["o"].take() {
            Value::Null => {
                let text = |field: &str| entry[field].as_str().unwrap_or_default();
                table.remove(&Key::new(text("ns"), text("n")));
            }
            object => {
                table.insert(Key::of(&object), Arc::new(object));
            }
        }
    }
    version
}
