//! Filter and order of the Spaces list, as the address states them.

use shared::space::status::{SpaceStatus, Tone};
use shared::space::{Sharing, SpaceRow};
use std::cmp::Ordering;

/// A column by which the list can be ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortKey {
    #[default]
    Name,
    Status,
    App,
    Access,
    Owner,
    Namespace,
    Storage,
    Gpu,
    Cpu,
    Memory,
    Age,
    Cost,
}

impl SortKey {
    const ALL: [(SortKey, &'static str); 12] = [
        (SortKey::Name, "name"),
        (SortKey::Status, "status"),
        (SortKey::App, "app"),
        (SortKey::Access, "access"),
        (SortKey::Owner, "owner"),
        (SortKey::Namespace, "namespace"),
        (SortKey::Storage, "storage"),
        (SortKey::Gpu, "gpu"),
        (SortKey::Cpu, "cpu"),
        (SortKey::Memory, "memory"),
        (SortKey::Age, "age"),
        (SortKey::Cost, "cost"),
    ];

    pub fn id(self) -> &'static str {
        SortKey::ALL.iter().find(|(key, _)| *key == self).map_or("name", |(_, id)| id)
    }

    pub fn of_id(id: &str) -> Option<SortKey> {
        SortKey::ALL.iter().find(|(_, known)| *known == id).map(|(key, _)| *key)
    }
}

/// What the address says about the list. `sort` is a column, with `-` before it for descending.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    pub search: String,
    pub status: Option<SpaceStatus>,
    pub namespace: Option<String>,
    /// Kubernetes usernames of the asker, when only their own Spaces are wanted.
    pub owners: Option<Vec<String>>,
    pub cluster: Option<String>,
    pub sort: SortKey,
    pub descending: bool,
}

impl Listing {
    pub fn matches(&self, row: &SpaceRow) -> bool {
        self.status.is_none_or(|s| s == row.status)
            && self.namespace.as_ref().is_none_or(|n| *n == row.namespace)
            && self.cluster.as_ref().is_none_or(|c| *c == row.cluster)
            && self
                .owners
                .as_ref()
                .is_none_or(|mine| row.owner.username.as_ref().is_some_and(|owner| mine.contains(owner)))
            && self.found(row)
    }

    /// Every word of the search must occur somewhere in the row.
    fn found(&self, row: &SpaceRow) -> bool {
        let texts = [
            row.name.as_str(),
            row.display_name.as_str(),
            row.owner.display_name.as_str(),
            row.namespace.as_str(),
            row.image.as_deref().unwrap_or(""),
            row.app_type.as_deref().unwrap_or(""),
        ];
        self.search.split_whitespace().all(|word| texts.iter().any(|text| contains(text, word)))
    }

    pub fn compare(&self, a: &SpaceRow, b: &SpaceRow) -> Ordering {
        let order = match self.sort {
            SortKey::Name => a.name.cmp(&b.name),
            SortKey::Status => urgency(a.status).cmp(&urgency(b.status)),
            SortKey::App => a.app_type.cmp(&b.app_type),
            SortKey::Access => {
                (a.access_type == Sharing::OwnerOnly).cmp(&(b.access_type == Sharing::OwnerOnly))
            }
            SortKey::Owner => a.owner.display_name.cmp(&b.owner.display_name),
            SortKey::Namespace => a.namespace.cmp(&b.namespace),
            SortKey::Storage => size(a).cmp(&size(b)),
            SortKey::Gpu => accelerators(a).cmp(&accelerators(b)),
            SortKey::Cpu => a.resources.cpu_millis.cmp(&b.resources.cpu_millis),
            SortKey::Memory => a.resources.memory_bytes.cmp(&b.resources.memory_bytes),
            SortKey::Age => b.created_at.cmp(&a.created_at),
            SortKey::Cost => a.cost_per_hour.cmp(&b.cost_per_hour),
        };
        let order = if self.descending { order.reverse() } else { order };
        // The id makes the order total: rows of equal value never change places between two renderings.
        order.then_with(|| a.name.cmp(&b.name)).then_with(|| a.id.cmp(&b.id))
    }
}

fn size(row: &SpaceRow) -> Option<i64> {
    row.storage.as_ref().and_then(|s| s.size_bytes)
}

fn accelerators(row: &SpaceRow) -> (bool, Option<i64>) {
    let accelerator = row.resources.accelerator.as_ref();
    (accelerator.is_some_and(|a| a.mig_profile().is_none()), accelerator.map(|a| a.count))
}

/// What needs a person comes first.
fn urgency(status: SpaceStatus) -> (u8, SpaceStatus) {
    let rank = match status.tone() {
        Tone::Bad => 0,
        Tone::Attention => 1,
        Tone::Waiting => 2,
        Tone::Moving => 3,
        Tone::Good => 4,
        Tone::Quiet => 5,
    };
    (rank, status)
}

/// Case-insensitive for ASCII, exact for the rest, without allocating: it runs for each row and keystroke.
fn contains(text: &str, word: &str) -> bool {
    let (text, word) = (text.as_bytes(), word.as_bytes());
    word.is_empty() || text.windows(word.len()).any(|window| window.eq_ignore_ascii_case(word))
}

/// The rows that `visible` shows of `total`, with a margin, for a table of fixed row height (pixels).
pub fn window(scroll: f64, height: f64, row_height: f64, total: usize) -> std::ops::Range<usize> {
    const MARGIN: usize = 12;
    let first = (scroll / row_height).max(0.0) as usize;
    let count = (height / row_height).ceil().max(1.0) as usize;
    let start = first.saturating_sub(MARGIN).min(total);
    start..(first + count + MARGIN).min(total).max(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_needs_every_word_and_no_case() {
        assert!(contains("Team-A lab", "team"));
        assert!(contains("实验室", "验"));
        assert!(!contains("lab", "laboratory"));
    }

    #[test]
    fn the_window_stays_inside_the_list() {
        assert_eq!(window(0.0, 440.0, 44.0, 10_000), 0..22);
        assert_eq!(window(44_000.0, 440.0, 44.0, 10_000), 988..1022);
        assert_eq!(window(9e9, 440.0, 44.0, 5), 5..5);
        assert_eq!(window(-5.0, 0.0, 44.0, 0), 0..0);
    }

    #[test]
    fn every_sort_key_survives_the_address() {
        for (key, id) in SortKey::ALL {
            assert_eq!(SortKey::of_id(id), Some(key));
            assert_eq!(key.id(), id);
        }
    }
}
