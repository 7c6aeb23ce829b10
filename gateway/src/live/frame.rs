//! Messages as text. Rows are serialised once in the hub and only framed here.

use axum::extract::ws::Utf8Bytes;
use spaceport_shared::live::ServerMessage;
use std::fmt::Write;
use std::sync::Arc;

use crate::cluster::hub::row::Version;

/// Largest part of a snapshot in bytes.
pub const PART: usize = 256 * 1024;

/// Any message but those that carry rows.
pub fn plain(message: &ServerMessage) -> String {
    serde_json::to_string(message).unwrap_or_default()
}

/// `{"type":"upsert","id":…,"seq":…,"row":…}`; without `id` on lines.
pub fn upsert(id: Option<u32>, seq: u64, json: &Utf8Bytes) -> String {
    let mut text = head("upsert", id, seq);
    text.push_str(",\"row\":");
    text.push_str(json);
    text.push('}');
    text
}

pub fn remove(id: Option<u32>, seq: u64, key: &str) -> String {
    let mut text = head("remove", id, seq);
    text.push_str(",\"key\":");
    text.push_str(&quoted(key));
    text.push('}');
    text
}

/// A snapshot in parts of at most `PART` bytes; at least one, for an empty list is also an answer.
pub fn snapshot(id: Option<u32>, seq: u64, rows: &[Arc<Version>]) -> Vec<String> {
    let mut groups: Vec<Vec<&Utf8Bytes>> = vec![Vec::new()];
    let mut size = 0;
    for row in rows {
        if size + row.json.len() > PART - 256 && size > 0 {
            groups.push(Vec::new());
            size = 0;
        }
        size += row.json.len() + 1;
        if let Some(group) = groups.last_mut() {
            group.push(&row.json);
        }
    }
    let count = groups.len();
    groups
        .into_iter()
        .enumerate()
        .map(|(part, group)| {
            let mut text = head("snapshot", id, seq);
            write!(text, ",\"part\":{part},\"last\":{},\"rows\":[", part + 1 == count)
                .expect("writing to a String cannot fail");
            for (index, json) in group.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                text.push_str(json);
            }
            text.push_str("]}");
            text
        })
        .collect()
}

fn head(kind: &str, id: Option<u32>, seq: u64) -> String {
    let mut text = format!("{{\"type\":\"{kind}\"");
    if let Some(id) = id {
        write!(text, ",\"id\":{id}").expect("writing to a String cannot fail");
    }
    write!(text, ",\"seq\":{seq}").expect("writing to a String cannot fail");
    text
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::hub::row::{Published, Sight};
    use spaceport_shared::space::facts::SpaceFacts;

    fn version(name: &str) -> Arc<Version> {
        let object =
            serde_json::json!({"metadata": {"name": name, "namespace": "n", "uid": name}, "spec": {}});
        let facts: SpaceFacts = crate::cluster::project::space::project("c", &object).facts;
        Published::new(&facts).version(Sight::Full).clone()
    }

    #[test]
    fn frames_are_messages_of_the_protocol() {
        let row = version("lab");
        let upsert: ServerMessage = serde_json::from_str(&upsert(Some(3), 9, &row.json)).expect("a message");
        assert!(matches!(upsert, ServerMessage::Upsert { id: 3, seq: 9, .. }));
        let remove: ServerMessage = serde_json::from_str(&remove(Some(3), 10, "a\"b")).expect("a message");
        assert_eq!(remove, ServerMessage::Remove { id: 3, seq: 10, key: "a\"b".into() });
    }

    #[test]
    fn a_snapshot_is_cut_into_parts_and_ends_once() {
        let rows: Vec<_> = (0..2000).map(|n| version(&format!("space-{n}"))).collect();
        let parts = snapshot(Some(1), 1, &rows);
        assert!(parts.len() > 1 && parts.iter().all(|p| p.len() <= PART));
        let mut count = 0;
        for (index, part) in parts.iter().enumerate() {
            let message: ServerMessage = serde_json::from_str(part).expect("a message");
            let ServerMessage::Snapshot { part, last, rows, .. } = message else { panic!("a snapshot") };
            assert_eq!((part as usize, last), (index, index + 1 == parts.len()));
            count += rows.len();
        }
        assert_eq!(count, 2000);
    }

    #[test]
    fn an_empty_list_is_an_answer() {
        let parts = snapshot(Some(1), 1, &[]);
        let message: ServerMessage = serde_json::from_str(&parts[0]).expect("a message");
        assert!(matches!(message, ServerMessage::Snapshot { last: true, rows, .. } if rows.is_empty()));
    }
}
