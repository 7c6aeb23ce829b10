//! Placeholders such as `<uid:1>` in recorded texts, and what they stand for while a sequence is replayed.

use serde_json::Value;
use std::collections::BTreeMap;

/// A piece of a recorded text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece<'t> {
    Text(&'t str),
    /// The inside of a placeholder: `uid:1`.
    Hole(&'t str),
}

const KINDS: [&str; 17] = [
    "uid",
    "rv",
    "time",
    "microtime",
    "continue",
    "generated",
    "age",
    "audit-id",
    "etag",
    "hash",
    "http-date",
    "session",
    "n",
    "server",
    "jwt",
    "ca-bundle",
    "cluster-ip",
];

/// Stand-ins for values that no earlier answer gave: any will do.
const FREE: [(&str, &str); 4] = [
    ("ca-bundle", "Cg=="),
    ("session", "3f1c7a52-8a54-4c6e-9a0d-2f5b8e1d7c90"),
    ("http-date", "Thu, 02 Jan 2020 03:04:05 GMT"),
    ("jwt", "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJub2JvZHkifQ.c2lnbmF0dXJl"),
];

fn kind(hole: &str) -> &str {
    hole.split(':').next().unwrap_or_default()
}

/// Cuts a text at its placeholders. `<none>` and other words in angle brackets are text.
pub fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let (mut rest, mut start) = (text, 0);
    while let Some(open) = rest[start..].find('<').map(|at| at + start) {
        let close = rest[open..].find('>').map(|at| at + open);
        match close.map(|close| &rest[open + 1..close]) {
            Some(hole) if KINDS.contains(&kind(hole)) => {
                if open > 0 {
                    found.push(Piece::Text(&rest[..open]));
                }
                found.push(Piece::Hole(hole));
                rest = &rest[open + hole.len() + 2..];
                start = 0;
            }
            _ => start = open + 1,
        }
    }
    if !rest.is_empty() {
        found.push(Piece::Text(rest));
    }
    found
}

/// Writes `<repeat:x:3>` out.
pub fn expand(text: &str) -> String {
    let Some((before, rest)) = text.split_once("<repeat:") else { return text.to_owned() };
    let parts = rest.split_once(':').and_then(|(letter, rest)| {
        let (count, after) = rest.split_once('>')?;
        Some((letter, count.parse::<usize>().ok()?, after))
    });
    match parts {
        Some((letter, count, after)) => format!("{before}{}{}", letter.repeat(count), expand(after)),
        None => text.to_owned(),
    }
}

/// A resourceVersion that stands for a rank. Those of lists and bookmarks may be higher than recorded.
#[derive(Clone, Debug)]
struct Version {
    value: u64,
    firm: bool,
}

/// What the placeholders of one sequence stand for so far.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    values: BTreeMap<String, String>,
    versions: BTreeMap<u64, Version>,
}

impl Bindings {
    /// Puts values in the place of placeholders.
    ///
    /// # Errors
    /// The name of one that no answer gave a value.
    pub fn fill(&self, text: &str) -> Result<String, String> {
        let mut filled = String::new();
        for piece in pieces(text) {
            match piece {
                Piece::Text(text) => filled.push_str(text),
                Piece::Hole(hole) => filled.push_str(&self.value(hole)?),
            }
        }
        Ok(expand(&filled))
    }

    /// As [`Bindings::fill`], in every string of a JSON value, keys included.
    ///
    /// # Errors
    /// As there.
    pub fn fill_json(&self, value: &Value) -> Result<Value, String> {
        Ok(match value {
            Value::String(text) => Value::String(self.fill(text)?),
            Value::Array(items) => {
                Value::Array(items.iter().map(|item| self.fill_json(item)).collect::<Result<_, _>>()?)
            }
            Value::Object(fields) => {
                let filled = fields.iter().map(|(key, value)| Ok((self.fill(key)?, self.fill_json(value)?)));
                Value::Object(filled.collect::<Result<_, String>>()?)
            }
            other => other.clone(),
        })
    }

    fn value(&self, hole: &str) -> Result<String, String> {
        let version = rank(hole).and_then(|rank| self.versions.get(&rank));
        let known =
            version.map(|version| version.value.to_string()).or_else(|| self.values.get(hole).cloned());
        let free = || FREE.iter().find(|(name, _)| *name == kind(hole)).map(|(_, value)| (*value).to_owned());
        known.or_else(free).ok_or_else(|| format!("no earlier answer gave a value for <{hole}>"))
    }

    /// Matches a text with placeholders and learns their values. `loose`: a resourceVersion in it may be higher than
    /// the recorded rank says.
    ///
    /// # Errors
    /// Why it does not match.
    pub fn learn(&mut self, expected: &str, actual: &str, loose: bool) -> Result<(), String> {
        let differs = || format!("expected {}, got {}", shorten(expected), shorten(actual));
        let pieces = pieces(expected);
        let loose = loose || pieces.len() > 1;
        let mut rest = actual;
        for (position, piece) in pieces.iter().enumerate() {
            match piece {
                Piece::Text(text) => rest = rest.strip_prefix(text).ok_or_else(differs)?,
                Piece::Hole(hole) => {
                    let end = match pieces.get(position + 1) {
                        Some(Piece::Text(next)) => rest.find(next).ok_or_else(differs)?,
                        _ => rest.len(),
                    };
                    self.bind(hole, &rest[..end], loose)?;
                    rest = &rest[end..];
                }
            }
        }
        if rest.is_empty() { Ok(()) } else { Err(differs()) }
    }

    fn bind(&mut self, hole: &str, value: &str, loose: bool) -> Result<(), String> {
        if !well_formed(kind(hole), value) {
            return Err(format!("expected <{hole}>, got {}", shorten(value)));
        }
        if let (Some(rank), Ok(version)) = (rank(hole), value.parse()) {
            return self.bind_version(rank, version, loose);
        }
        let consistent = matches!(kind(hole), "uid" | "generated" | "hash" | "etag" | "cluster-ip");
        match self.values.get(hole) {
            Some(known) if consistent && known != value => {
                Err(format!("<{hole}> was {known} before, now it is {value}"))
            }
            _ => {
                self.values.insert(hole.to_owned(), value.to_owned());
                Ok(())
            }
        }
    }

    fn bind_version(&mut self, rank: u64, value: u64, loose: bool) -> Result<(), String> {
        match self.versions.get(&rank) {
            Some(known) if loose && value >= known.value => return Ok(()),
            Some(known) if known.firm || loose => {
                let old = known.value;
                return if old == value {
                    Ok(())
                } else {
                    Err(format!("<rv:{rank}> was {old}, now {value}"))
                };
            }
            _ => {}
        }
        for (other, known) in self.versions.iter().filter(|(other, known)| known.firm && **other != rank) {
            let in_order = if *other < rank {
                known.value < value || (loose && known.value == value)
            } else {
                loose || value < known.value
            };
            if !in_order {
                return Err(format!(
                    "<rv:{rank}> is {value}, out of order with <rv:{other}>, {}",
                    known.value
                ));
            }
        }
        self.versions.insert(rank, Version { value, firm: !loose });
        Ok(())
    }
}

fn rank(hole: &str) -> Option<u64> {
    hole.strip_prefix("rv:")?.parse().ok()
}

fn well_formed(kind: &str, value: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match kind {
        "uid" => value.len() == 36 && value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-'),
        "rv" | "n" => digits(value),
        "time" => value.len() == 20 && value.parse::<jiff::Timestamp>().is_ok(),
        "microtime" => value.len() == 27 && value.parse::<jiff::Timestamp>().is_ok(),
        "age" => value == "<unknown>" || value.starts_with(|letter: char| letter.is_ascii_digit()),
        _ => !value.is_empty(),
    }
}

/// Enough of a text to see what it is.
pub fn shorten(text: &str) -> String {
    const SHOWN: usize = 300;
    match text.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{:?}…", &text[..cut]),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn words_in_angle_brackets_are_no_placeholders() {
        assert_eq!(pieces("<none>"), [Piece::Text("<none>")]);
        assert_eq!(
            pieces("a <uid:1>, <nil>"),
            [Piece::Text("a "), Piece::Hole("uid:1"), Piece::Text(", <nil>")]
        );
    }

    #[test]
    fn a_learned_value_is_sent_and_expected_again() {
        let mut bindings = Bindings::default();
        let uid = "11111111-2222-4333-8444-555555555555";
        bindings.learn("<uid:1>", uid, false).unwrap();
        assert_eq!(bindings.fill("/x/<uid:1>?a").unwrap(), format!("/x/{uid}?a"));
        assert!(bindings.learn("<uid:1>", "21111111-2222-4333-8444-555555555555", false).is_err());
        assert!(bindings.fill("<uid:2>").is_err());
    }

    #[test]
    fn versions_keep_their_rank() {
        let mut bindings = Bindings::default();
        bindings.learn("<rv:2>", "20", false).unwrap();
        assert!(bindings.learn("<rv:3>", "19", false).is_err());
        assert!(bindings.learn("<rv:1>", "20", false).is_err());
        bindings.learn("<rv:1>", "7", false).unwrap();
    }

    #[test]
    fn the_version_of_a_list_may_be_higher_but_not_lower() {
        let mut bindings = Bindings::default();
        bindings.learn("<rv:2>", "20", false).unwrap();
        bindings.learn("<rv:2>", "25", true).unwrap();
        assert!(bindings.learn("<rv:2>", "19", true).is_err());
        assert!(bindings.learn("<rv:2>", "25", false).is_err());
    }

    #[test]
    fn repeated_letters_are_written_out() {
        assert_eq!(expand("a<repeat:x:3>b"), "axxxb");
    }
}
