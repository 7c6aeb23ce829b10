//! The recorded files: what a sequence asks and what a real server answered.

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::Path;

/// One file: transcripts in order that share state.
#[derive(Debug, Deserialize)]
pub struct Sequence {
    pub group: String,
    pub seq: String,
    /// The state it starts from, in words: `baseline`, or `baseline with the … controllers running`.
    #[serde(default)]
    pub requires: Option<String>,
    #[serde(default)]
    pub harness: Option<Value>,
    pub transcripts: Vec<Transcript>,
}

impl Sequence {
    /// `GROUP--SEQ`, as the file is called.
    pub fn name(&self) -> String {
        format!("{}--{}", self.group, self.seq)
    }

    /// Do the words about its start, or about what the harness must do, speak of this?
    pub fn mentions(&self, word: &str) -> bool {
        let needs = self.harness.as_ref().and_then(|harness| harness["needs"].as_str()).unwrap_or_default();
        let text = format!("{} {needs}", self.requires.as_deref().unwrap_or_default()).to_lowercase();
        text.contains(word)
    }
}

/// A request and its recorded answer, or an action of the harness.
#[derive(Debug, Deserialize)]
pub struct Transcript {
    pub id: String,
    pub group: String,
    #[serde(default, rename = "as")]
    pub user: Option<String>,
    #[serde(default)]
    pub notes: Option<String>,
    /// JSON pointers into the transcript that differed between recordings.
    #[serde(default)]
    pub unstable: Vec<String>,
    #[serde(default)]
    pub concurrent: Option<Concurrent>,
    #[serde(default)]
    pub action: Option<String>,
    #[serde(default)]
    pub request: Option<Request>,
    #[serde(default)]
    pub response: Option<Answer>,
}

impl Transcript {
    /// The recorder kept only a part of the body. Of the OpenAPI index it kept four entries without saying so.
    pub fn is_reduced(&self) -> bool {
        let noted = self.notes.as_deref().is_some_and(|notes| notes.contains("reduced"));
        noted || self.request.as_ref().is_some_and(|request| request.path == "/openapi/v3")
    }
}

/// A watch that is read while later transcripts run.
#[derive(Debug, Deserialize)]
pub struct Concurrent {
    /// The id of the last of them.
    pub closed_after: String,
}

#[derive(Debug, Deserialize)]
pub struct Request {
    pub method: String,
    pub path: String,
    #[serde(default)]
    pub query: Option<String>,
    #[serde(default)]
    pub headers: Map<String, Value>,
    #[serde(default)]
    pub body: Option<Value>,
    #[serde(default)]
    pub body_text: Option<String>,
    #[serde(default)]
    pub body_base64: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Answer {
    pub status: u16,
    #[serde(default)]
    pub headers: Map<String, Value>,
    #[serde(default)]
    pub body: Option<Value>,
    #[serde(default)]
    pub body_text: Option<String>,
    #[serde(default)]
    pub body_binary: Option<Value>,
    /// The events of a watch.
    #[serde(default)]
    pub lines: Option<Vec<Value>>,
    #[serde(default)]
    pub ended: Option<String>,
    #[serde(default)]
    pub ends_with_newline: Option<bool>,
    #[serde(default)]
    pub pretty: bool,
}

impl Answer {
    /// The recorder hung up; the server would have gone on.
    pub fn client_closed(&self) -> bool {
        self.ended.as_deref() == Some("client-closed")
    }
}

/// A file that holds no sequence. Its name still tells the group.
#[derive(Debug)]
pub struct Unreadable {
    pub name: String,
    pub why: anyhow::Error,
}

impl Unreadable {
    pub fn group(&self) -> &str {
        self.name.split("--").next().unwrap_or_default()
    }
}

/// Every sequence of a folder, in order of file names.
///
/// # Errors
/// When the folder cannot be read.
pub fn sequences(dir: &Path) -> Result<Vec<Result<Sequence, Unreadable>>> {
    let entries = std::fs::read_dir(dir).with_context(|| format!("cannot read {}", dir.display()))?;
    let mut paths: Vec<_> = entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let unreadable = |path: &Path, why| Unreadable {
        name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        why,
    };
    Ok(paths.iter().map(|path| sequence(path).map_err(|why| unreadable(path, why))).collect())
}

fn sequence(path: &Path) -> Result<Sequence> {
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let text = name_digests(&text);
    serde_json::from_str(&text).with_context(|| format!("{} is no sequence of transcripts", path.display()))
}

/// Digests of whole documents, which some recordings hold as they were, become placeholders: they are those of the
/// recorded server's own documents.
fn name_digests(text: &str) -> String {
    const LENGTH: usize = 128;
    let is_digest = |word: &str| word.len() == LENGTH && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mut named = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_alphanumeric()) {
        let (before, word) = rest.split_at(start);
        let end = word.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(word.len());
        named.push_str(before);
        if is_digest(&word[..end]) {
            named.push_str(&format!("<hash:{}>", &word[..16]));
        } else {
            named.push_str(&word[..end]);
        }
        rest = &word[end..];
    }
    named + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_become_placeholders_and_nothing_else_does() {
        let digest = "0123456789ABCDEF".repeat(8);
        assert_eq!(name_digests(&format!("?hash={digest}\" ABC é")), "?hash=<hash:0123456789ABCDEF>\" ABC é");
    }
}
