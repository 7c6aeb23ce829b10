//! What a replay found, a line for each transcript and a share for each group, and whether that is enough.

use std::collections::BTreeMap;
use std::fmt;

/// The groups that clients depend on: together at least 95 % must match, each at least 90 %.
pub const REQUIRED: [&str; 10] =
    ["get", "list", "watch", "create", "update", "patch", "delete", "auth", "http", "clients"];
const TOGETHER: f64 = 0.95;
const EACH: f64 = 0.90;

/// The outcome of one transcript: every difference, none when it matches.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub id: String,
    pub group: String,
    pub differences: Vec<String>,
}

impl Outcome {
    pub fn matches(&self) -> bool {
        self.differences.is_empty()
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    pub matching: usize,
    pub of: usize,
}

impl Share {
    fn count(&mut self, matches: bool) {
        self.of += 1;
        self.matching += usize::from(matches);
    }

    /// From 0 to 1; nothing asked is all answered.
    pub fn fraction(self) -> f64 {
        if self.of == 0 { 1.0 } else { self.matching as f64 / self.of as f64 }
    }
}

impl fmt::Display for Share {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{} ({:.1} %)", self.matching, self.of, self.fraction() * 100.0)
    }
}

/// Everything that was replayed.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub outcomes: Vec<Outcome>,
}

impl Report {
    pub fn groups(&self) -> BTreeMap<&str, Share> {
        let mut groups: BTreeMap<&str, Share> = BTreeMap::new();
        for outcome in &self.outcomes {
            groups.entry(&outcome.group).or_default().count(outcome.matches());
        }
        groups
    }

    /// The share over the required groups together.
    pub fn required(&self) -> Share {
        let mut share = Share::default();
        for outcome in self.outcomes.iter().filter(|outcome| REQUIRED.contains(&outcome.group.as_str())) {
            share.count(outcome.matches());
        }
        share
    }

    /// The rule of the exit code.
    pub fn is_enough(&self) -> bool {
        let groups = self.groups();
        let each = groups.iter().filter(|(group, _)| REQUIRED.contains(group));
        !self.outcomes.is_empty()
            && self.required().fraction() >= TOGETHER
            && each.map(|(_, share)| share.fraction()).all(|fraction| fraction >= EACH)
    }

    /// A line for each transcript, then one for each group. `verbose` shows all differences, not the first.
    pub fn print(&self, verbose: bool) {
        for outcome in &self.outcomes {
            match outcome.differences.split_first() {
                None => println!("ok   {}", outcome.id),
                Some((first, rest)) => {
                    println!("FAIL {}  {first}", outcome.id);
                    for difference in rest.iter().filter(|_| verbose) {
                        println!("       {difference}");
                    }
                }
            }
        }
        for (group, share) in self.groups() {
            let mark = if REQUIRED.contains(&group) { "*" } else { " " };
            println!("{mark} {group:<12} {share}");
        }
        println!("* together     {}", self.required());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(shares: &[(&str, usize, usize)]) -> Report {
        let mut report = Report::default();
        for (group, matching, of) in shares {
            report.outcomes.extend((0..*of).map(|position| Outcome {
                id: format!("{group}/{position}"),
                group: (*group).to_owned(),
                differences: if position < *matching { Vec::new() } else { vec!["differs".to_owned()] },
            }));
        }
        report
    }

    #[test]
    fn ninety_five_percent_together_are_enough() {
        assert!(report(&[("get", 19, 20), ("list", 20, 20)]).is_enough());
        assert!(!report(&[("get", 18, 20), ("list", 19, 20)]).is_enough());
    }

    #[test]
    fn no_required_group_may_be_weak() {
        assert!(!report(&[("get", 8, 10), ("list", 100, 100)]).is_enough());
    }

    #[test]
    fn other_groups_do_not_count() {
        assert!(report(&[("get", 10, 10), ("limits", 0, 10)]).is_enough());
    }

    #[test]
    fn nothing_replayed_is_not_enough() {
        assert!(!report(&[]).is_enough());
    }
}
