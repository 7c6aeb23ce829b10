//! Order and pages, the same for all lists: SortBy, SortOrder, MaxResults, NextToken.

use super::{invalid, text};
use crate::aws::failure::AwsFailure;
use serde_json::Value;

/// An item with what it can be sorted by.
pub struct Sortable {
    pub name: String,
    pub created: f64,
    pub item: Value,
}

const MOST: u64 = 100;

/// The page asked for, and the token of the next.
///
/// # Errors
/// ValidationException for values outside the model.
pub fn page(input: &Value, mut items: Vec<Sortable>) -> Result<(Vec<Value>, Option<String>), AwsFailure> {
    match text(input, "SortBy")? {
        None | Some("CREATION_TIME") => {
            items.sort_by(|a, b| a.created.total_cmp(&b.created).then_with(|| a.name.cmp(&b.name)))
        }
        Some("NAME") => items.sort_by(|a, b| a.name.cmp(&b.name)),
        Some(other) => {
            return Err(invalid("sortBy", other, "satisfy enum value set: [CREATION_TIME, NAME]"));
        }
    }
    match text(input, "SortOrder")? {
        None | Some("Ascending") => {}
        Some("Descending") => items.reverse(),
        Some(other) => {
            return Err(invalid("sortOrder", other, "satisfy enum value set: [Ascending, Descending]"));
        }
    }
    let most = match &input["MaxResults"] {
        Value::Null => MOST,
        value => value
            .as_u64()
            .filter(|most| (1..=MOST).contains(most))
            .ok_or_else(|| invalid("maxResults", &value.to_string(), "be from 1 to 100"))?,
    };
    let start = match text(input, "NextToken")? {
        None => 0,
        Some(token) => read_token(token).ok_or_else(|| {
            AwsFailure::new(400, "ValidationException", "Invalid pagination token provided.")
        })?,
    };
    let end = start.saturating_add(usize::try_from(most).unwrap_or(usize::MAX));
    let next = (end < items.len()).then(|| write_token(end));
    let page = items.into_iter().skip(start).take(end - start).map(|sortable| sortable.item).collect();
    Ok((page, next))
}

/// Opaque to clients; a position is enough where nothing is deleted in between.
fn write_token(position: usize) -> String {
    data_encoding::BASE64URL_NOPAD.encode(format!("p{position}").as_bytes())
}

fn read_token(token: &str) -> Option<usize> {
    let bytes = data_encoding::BASE64URL_NOPAD.decode(token.as_bytes()).ok()?;
    std::str::from_utf8(&bytes).ok()?.strip_prefix('p')?.parse().ok()
}
