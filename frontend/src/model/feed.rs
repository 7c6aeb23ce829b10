//! One subscription's messages, turned into changes of the collection.
//!
//! A snapshot replaces the rows only when its last part is here: a person never sees half of one. A gap in `seq` means
//! something was missed, and the answer is a new subscription, never a guess.

use shared::error::ErrorCode;
use shared::live::ServerMessage;
use shared::space::{NamespaceAccess, SpaceRow};
use shared::time::Timestamp;

/// What the collection has to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    Access(Vec<NamespaceAccess>),
    Replace(Vec<SpaceRow>),
    Upsert(Box<SpaceRow>),
    Remove(String),
    Denied(ErrorCode),
    Stale(Timestamp),
    Fresh,
    /// Subscribe again.
    Gap,
}

#[derive(Clone, Debug, Default)]
pub struct Feed {
    parts: Vec<SpaceRow>,
    next_part: u32,
    seq: Option<u64>,
}

impl Feed {
    /// Takes one message of this subscription.
    pub fn step(&mut self, message: ServerMessage) -> Option<Change> {
        match message {
            ServerMessage::Subscribed { access, .. } => Some(Change::Access(access)),
            ServerMessage::Snapshot { seq, part, last, rows, .. } => self.take_part(seq, part, last, rows),
            ServerMessage::Upsert { seq, row, .. } => self.advance(seq, Change::Upsert(row)),
            ServerMessage::Remove { seq, key, .. } => self.advance(seq, Change::Remove(key)),
            ServerMessage::Resync { .. } => {
                *self = Feed::default();
                None
            }
            ServerMessage::Denied { code, .. } => Some(Change::Denied(code)),
            ServerMessage::Stale { since, .. } => Some(Change::Stale(since)),
            ServerMessage::Fresh { .. } => Some(Change::Fresh),
            ServerMessage::Hello { .. } | ServerMessage::Bye { .. } | ServerMessage::Pong { .. } => None,
        }
    }

    fn take_part(&mut self, seq: u64, part: u32, last: bool, rows: Vec<SpaceRow>) -> Option<Change> {
        if part == 0 {
            self.parts.clear();
        } else if part != self.next_part {
            return Some(Change::Gap);
        }
        self.next_part = part + 1;
        self.parts.extend(rows);
        if !last {
            return None;
        }
        self.seq = Some(seq);
        self.next_part = 0;
        Some(Change::Replace(std::mem::take(&mut self.parts)))
    }

    fn advance(&mut self, seq: u64, change: Change) -> Option<Change> {
        match self.seq {
            Some(current) if seq == current + 1 => {
                self.seq = Some(seq);
                Some(change)
            }
            _ => Some(Change::Gap),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(seq: u64, part: u32, last: bool) -> ServerMessage {
        ServerMessage::Snapshot { id: 1, seq, part, last, rows: Vec::new() }
    }

    fn remove(seq: u64) -> ServerMessage {
        ServerMessage::Remove { id: 1, seq, key: "k".into() }
    }

    #[test]
    fn rows_are_replaced_when_the_last_part_is_here() {
        let mut feed = Feed::default();
        assert_eq!(feed.step(snapshot(4, 0, false)), None);
        assert_eq!(feed.step(snapshot(4, 1, true)), Some(Change::Replace(vec![])));
        assert_eq!(feed.step(remove(5)), Some(Change::Remove("k".into())));
    }

    #[test]
    fn a_missing_part_or_number_asks_for_a_new_subscription() {
        let mut feed = Feed::default();
        assert_eq!(feed.step(remove(1)), Some(Change::Gap));
        feed.step(snapshot(4, 0, false));
        assert_eq!(feed.step(snapshot(4, 2, true)), Some(Change::Gap));
        let mut feed = Feed::default();
        feed.step(snapshot(4, 0, true));
        assert_eq!(feed.step(remove(6)), Some(Change::Gap));
    }

    #[test]
    fn a_resync_starts_over_and_keeps_quiet_until_complete() {
        let mut feed = Feed::default();
        feed.step(snapshot(4, 0, true));
        assert_eq!(feed.step(ServerMessage::Resync { id: 1 }), None);
        assert_eq!(feed.step(snapshot(9, 0, true)), Some(Change::Replace(vec![])));
        assert_eq!(feed.step(remove(10)), Some(Change::Remove("k".into())));
    }
}
