//! The list of Spaces: filter, order and page over the hub's rows. No upstream call.

use super::View;
use crate::cluster::hub::row::{Sight, Version};
use crate::error::ApiError;
use data_encoding::BASE64URL_NOPAD;
use serde::{Deserialize, Serialize};
use spaceport_shared::error::{FieldCode, FieldError};
use spaceport_shared::page::Page;
use spaceport_shared::space::{Space, SpaceRow, SpaceStatus};
use std::cmp::Ordering;
use std::sync::Arc;
use utoipa::IntoParams;

const DEFAULT_LIMIT: usize = 100;
/// At about 1.5 KB a row this keeps an answer under two megabytes.
const MAX_LIMIT: usize = 1000;

#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub struct Query {
    /// Only this namespace.
    pub namespace: Option<String>,
    /// Kubernetes username or session name of the owner; `me` for the asker.
    pub owner: Option<String>,
    pub status: Option<SpaceStatus>,
    pub app_type: Option<String>,
    /// Part of name, display name, owner or image, in any case.
    pub q: Option<String>,
    /// `name` (default), `namespace`, `status`, `owner`, `createdAt`; with `-` in front descending.
    pub sort: Option<String>,
    /// Rows of a page, 1 to 1000; 100 when absent.
    pub limit: Option<usize>,
    /// `nextCursor` of the page before.
    pub cursor: Option<String>,
    /// `true` streams changes as NDJSON in place of a page.
    pub watch: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Name,
    Namespace,
    Status,
    Owner,
    CreatedAt,
}

/// The place of the last row of a page in the order.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
struct Place(String, String);

pub fn page(view: &View, query: &Query) -> Result<Page<Space>, ApiError> {
    let (order, is_descending) = read_order(query.sort.as_deref())?;
    let after = query.cursor.as_deref().map(read_cursor).transpose()?;
    let limit = read_limit(query.limit)?;
    let mut rows = matching(view, query);
    rows.sort_unstable_by(|a, b| compare(&a.row, &b.row, order, is_descending));
    let total = rows.len();
    let start = after.map_or(0, |place| {
        rows.partition_point(|v| {
            directed(place_of(&v.row, order).cmp(&place), is_descending) != Ordering::Greater
        })
    });
    let chosen = &rows[start..rows.len().min(start + limit)];
    let more = start + chosen.len() < total;
    let next_cursor = chosen.last().filter(|_| more).map(|v| write_cursor(&place_of(&v.row, order)));
    let items = chosen
        .iter()
        .filter_map(|v| Some(view.complete(&v.row, view.access.get(&v.row.namespace)?)))
        .collect();
    Ok(Page { items, total, next_cursor, observed_at: view.observed_at() })
}

/// The versions that the asker may see and the query names.
pub fn matching(view: &View, query: &Query) -> Vec<Arc<Version>> {
    let needle = query.q.as_deref().map(str::to_lowercase);
    let me = view.me.username_on(view.hub.cluster());
    let owner = if query.owner.as_deref() == Some("me") {
        Some(me.unwrap_or_default())
    } else {
        query.owner.as_deref()
    };
    view.hub.read(|state| {
        state
            .rows()
            .filter_map(|(key, row)| Some(row.version(Sight::of(view.access.get(&key.0)?))))
            .filter(|v| is_match(&v.row, query, owner, needle.as_deref()))
            .cloned()
            .collect()
    })
}

fn is_match(row: &SpaceRow, query: &Query, owner: Option<&str>, needle: Option<&str>) -> bool {
    let is = |wanted: Option<&str>, found: &str| wanted.is_none_or(|w| w == found);
    let is_owner =
        owner.is_none_or(|o| row.owner.username.as_deref() == Some(o) || row.owner.display_name == o);
    let contains = |needle: &str| {
        [&row.name, &row.display_name, &row.owner.display_name, row.image.as_ref().unwrap_or(&row.name)]
            .iter()
            .any(|text| text.to_lowercase().contains(needle))
    };
    is(query.namespace.as_deref(), &row.namespace)
        && is_owner
        && query.status.is_none_or(|s| s == row.status)
        && is(query.app_type.as_deref(), row.app_type.as_deref().unwrap_or_default())
        && needle.is_none_or(contains)
}

fn directed(ordering: Ordering, is_descending: bool) -> Ordering {
    if is_descending { ordering.reverse() } else { ordering }
}

fn compare(a: &SpaceRow, b: &SpaceRow, order: Order, is_descending: bool) -> Ordering {
    let by = match order {
        Order::Name => a.name.cmp(&b.name),
        Order::Namespace => a.namespace.cmp(&b.namespace),
        Order::Owner => a.owner.display_name.cmp(&b.owner.display_name),
        Order::Status | Order::CreatedAt => place_of(a, order).0.cmp(&place_of(b, order).0),
    };
    directed(by.then_with(|| a.id.cmp(&b.id)), is_descending)
}

/// The row's place as text that sorts as the order does.
fn place_of(row: &SpaceRow, order: Order) -> Place {
    let text = match order {
        Order::Name => row.name.clone(),
        Order::Namespace => row.namespace.clone(),
        Order::Owner => row.owner.display_name.clone(),
        Order::Status => {
            format!("{:02}", SpaceStatus::ALL.iter().position(|s| *s == row.status).unwrap_or(99))
        }
        Order::CreatedAt => format!("{:020}", row.created_at.map_or(0, |t| t.0.max(0))),
    };
    Place(text, row.id.clone())
}

fn read_order(sort: Option<&str>) -> Result<(Order, bool), ApiError> {
    let text = sort.unwrap_or("name");
    let (key, is_descending) = text.strip_prefix('-').map_or((text, false), |key| (key, true));
    let order = match key {
        "name" => Order::Name,
        "namespace" => Order::Namespace,
        "status" => Order::Status,
        "owner" => Order::Owner,
        "createdAt" => Order::CreatedAt,
        _ => {
            let error = FieldError::new("sort", FieldCode::NotAllowed, "no such order");
            return Err(ApiError::field(error.with("allowed", "name, namespace, status, owner, createdAt")));
        }
    };
    Ok((order, is_descending))
}

fn read_limit(limit: Option<usize>) -> Result<usize, ApiError> {
    let limit = limit.unwrap_or(DEFAULT_LIMIT);
    let fail = |code, name: &str, bound| {
        Err(ApiError::field(FieldError::new("limit", code, "out of bounds").with(name, bound)))
    };
    match limit {
        0 => fail(FieldCode::BelowMinimum, "min", 1),
        1..=MAX_LIMIT => Ok(limit),
        _ => fail(FieldCode::AboveMaximum, "max", MAX_LIMIT),
    }
}

fn write_cursor(place: &Place) -> String {
    BASE64URL_NOPAD.encode(&serde_json::to_vec(place).unwrap_or_default())
}

fn read_cursor(cursor: &str) -> Result<Place, ApiError> {
    let bytes = BASE64URL_NOPAD.decode(cursor.as_bytes()).ok();
    bytes.and_then(|b| serde_json::from_slice(&b).ok()).ok_or_else(|| {
        ApiError::field(FieldError::new("cursor", FieldCode::InvalidFormat, "not a cursor of this list"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back_and_nonsense_is_a_field_error() {
        let place = Place("lab".into(), "uid".into());
        assert_eq!(read_cursor(&write_cursor(&place)).expect("our own cursor"), place);
        for bad in ["", "x", "e30", "🙂"] {
            assert!(matches!(read_cursor(bad), Err(ApiError::Invalid(_))), "{bad}");
        }
    }

    #[test]
    fn orders_and_limits_outside_the_list_are_named() {
        assert_eq!(read_order(Some("-createdAt")).expect("known"), (Order::CreatedAt, true));
        assert!(matches!(read_order(Some("cost")), Err(ApiError::Invalid(_))));
        assert!(matches!(read_limit(Some(0)), Err(ApiError::Invalid(_))));
        assert!(matches!(read_limit(Some(1001)), Err(ApiError::Invalid(_))));
    }
}
