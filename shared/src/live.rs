//! The live protocol: what a tab and the gateway say to each other over one websocket (docs/API.md, Live).

use crate::error::ErrorCode;
use crate::space::{NamespaceAccess, SpaceRow};
use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

pub const PROTOCOL: u32 = 1;
/// Close code: sign in again.
pub const CLOSE_SIGN_IN: u16 = 4401;
/// Close code: not allowed.
pub const CLOSE_FORBIDDEN: u16 = 4403;
/// Close code: too many sockets, subscriptions or messages.
pub const CLOSE_TOO_MANY: u16 = 4429;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "type", deny_unknown_fields)]
pub enum ClientMessage {
    Subscribe { id: u32, topic: Topic },
    Unsubscribe { id: u32 },
    Ping { nonce: u32 },
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Topic {
    pub view: View,
    pub cluster: String,
    /// Null: every namespace that the asker may list.
    #[serde(default)]
    pub namespaces: Option<Vec<String>>,
    #[serde(default)]
    pub filter: Filter,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum View {
    Spaces,
}

/// What the server narrows by; everything else is filtered in the browser.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Filter {
    /// Exactly this Space.
    pub name: Option<String>,
    /// Kubernetes username of the owner.
    pub owner: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", tag = "type")]
pub enum ServerMessage {
    #[serde(rename_all = "camelCase")]
    Hello {
        protocol: u32,
        server_time: Timestamp,
    },
    /// Comes before the snapshot: what the asker may do where.
    Subscribed {
        id: u32,
        access: Vec<NamespaceAccess>,
    },
    /// Part `part` (from 0) of a snapshot; `last` closes it. The subscriber's rows are replaced when it is complete.
    Snapshot {
        id: u32,
        seq: u64,
        part: u32,
        last: bool,
        rows: Vec<SpaceRow>,
    },
    Upsert {
        id: u32,
        seq: u64,
        row: Box<SpaceRow>,
    },
    Remove {
        id: u32,
        seq: u64,
        key: String,
    },
    /// A fresh snapshot follows; keep showing the old rows until it is complete.
    Resync {
        id: u32,
    },
    Denied {
        id: u32,
        code: ErrorCode,
    },
    /// The upstream watch is failing: what is shown is that of `since`.
    Stale {
        id: u32,
        since: Timestamp,
    },
    Fresh {
        id: u32,
    },
    Bye {
        code: u16,
        reason: String,
    },
    #[serde(rename_all = "camelCase")]
    Pong {
        nonce: u32,
        server_time: Timestamp,
    },
}

/// The fields of all messages but the two whose `code` has a type of its own.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Fields {
    r#type: Kind,
    protocol: u32,
    server_time: Option<Timestamp>,
    id: u32,
    access: Vec<NamespaceAccess>,
    seq: u64,
    part: u32,
    last: bool,
    rows: Vec<SpaceRow>,
    row: Option<Box<SpaceRow>>,
    key: String,
    since: Option<Timestamp>,
    nonce: u32,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
enum Kind {
    Hello,
    Subscribed,
    Snapshot,
    Upsert,
    Remove,
    Resync,
    Denied,
    Stale,
    Fresh,
    Bye,
    Pong,
    #[default]
    #[serde(other)]
    Unknown,
}

#[derive(Deserialize)]
struct Denied {
    code: ErrorCode,
}

#[derive(Deserialize)]
struct Bye {
    code: u16,
    reason: String,
}

impl ServerMessage {
    /// Reads a message, as the derived reader does, but straight into its fields. The derived one keeps every value
    /// as a tree until it has seen `type`, which costs a tab twice the time of a snapshot and a second copy of the
    /// code for every type in it. A kind that is not known is an error, like a field that is missing.
    pub fn read(text: &str) -> serde_json::Result<ServerMessage> {
        let missing = || serde::de::Error::custom("a field of the message is missing");
        let f: Fields = serde_json::from_str(text)?;
        let id = f.id;
        Ok(match f.r#type {
            Kind::Hello => {
                ServerMessage::Hello { protocol: f.protocol, server_time: f.server_time.ok_or_else(missing)? }
            }
            Kind::Subscribed => ServerMessage::Subscribed { id, access: f.access },
            Kind::Snapshot => {
                ServerMessage::Snapshot { id, seq: f.seq, part: f.part, last: f.last, rows: f.rows }
            }
            Kind::Upsert => ServerMessage::Upsert { id, seq: f.seq, row: f.row.ok_or_else(missing)? },
            Kind::Remove => ServerMessage::Remove { id, seq: f.seq, key: f.key },
            Kind::Resync => ServerMessage::Resync { id },
            Kind::Denied => ServerMessage::Denied { id, code: serde_json::from_str::<Denied>(text)?.code },
            Kind::Stale => ServerMessage::Stale { id, since: f.since.ok_or_else(missing)? },
            Kind::Fresh => ServerMessage::Fresh { id },
            Kind::Bye => {
                let Bye { code, reason } = serde_json::from_str(text)?;
                ServerMessage::Bye { code, reason }
            }
            Kind::Pong => {
                ServerMessage::Pong { nonce: f.nonce, server_time: f.server_time.ok_or_else(missing)? }
            }
            Kind::Unknown => return Err(serde::de::Error::custom("a message of an unknown type")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::sample;

    #[test]
    fn every_message_is_read_as_the_derived_reader_reads_it() {
        let at = Timestamp(1_796_112_000_000);
        let access = NamespaceAccess { namespace: "n".into(), list: true, ..NamespaceAccess::default() };
        let messages = [
            ServerMessage::Hello { protocol: PROTOCOL, server_time: at },
            ServerMessage::Subscribed { id: 1, access: vec![access] },
            ServerMessage::Snapshot { id: 1, seq: 4, part: 1, last: true, rows: vec![sample::row()] },
            ServerMessage::Upsert { id: 1, seq: 5, row: Box::new(sample::row()) },
            ServerMessage::Remove { id: 1, seq: 6, key: "uid-1".into() },
            ServerMessage::Resync { id: 2 },
            ServerMessage::Denied { id: 2, code: ErrorCode::Forbidden },
            ServerMessage::Stale { id: 2, since: at },
            ServerMessage::Fresh { id: 2 },
            ServerMessage::Bye { code: CLOSE_SIGN_IN, reason: "sign in".into() },
            ServerMessage::Pong { nonce: 3, server_time: at },
        ];
        for message in messages {
            let text = serde_json::to_string(&message).expect("it serialises");
            assert_eq!(ServerMessage::read(&text).expect("it is a message"), message, "{text}");
            assert_eq!(serde_json::from_str::<ServerMessage>(&text).expect("it is a message"), message);
        }
    }

    #[test]
    fn what_is_no_message_is_refused() {
        for text in [
            "",
            "[]",
            r#"{"type":"later","id":1}"#,
            r#"{"type":"upsert","id":1,"seq":2}"#,
            r#"{"type":"hello","protocol":1}"#,
            r#"{"type":"denied","id":1}"#,
        ] {
            assert!(ServerMessage::read(text).is_err(), "{text}");
        }
    }
}
