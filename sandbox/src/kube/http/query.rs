//! The query of a request: decoded pairs in order, first value wins.

/// Decoded pairs.
#[derive(Clone, Debug, Default)]
pub struct Query(Vec<(String, String)>);

impl Query {
    pub fn parse(text: &str) -> Query {
        Query(url::form_urlencoded::parse(text.as_bytes()).into_owned().collect())
    }

    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// Empty when absent.
    pub fn text(&self, key: &str) -> &str {
        self.get(key).unwrap_or_default()
    }

    pub fn all<'q>(&'q self, key: &'q str) -> impl Iterator<Item = &'q str> {
        self.0.iter().filter(move |(name, _)| name == key).map(|(_, value)| value.as_str())
    }

    /// Present and neither `false` nor `0` (how upstream reads a boolean).
    pub fn flag(&self, key: &str) -> bool {
        self.get(key).is_some_and(|value| !matches!(value.to_lowercase().as_str(), "false" | "0"))
    }
}
