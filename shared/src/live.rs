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
