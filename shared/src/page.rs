//! Pages of a list (docs/API.md, section Lists).

use crate::time::Timestamp;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Page<T> {
    pub items: Vec<T>,
    /// Matches of the filter over all pages.
    pub total: usize,
    /// Opaque; pass as `cursor` for the next page. Null on the last one.
    pub next_cursor: Option<String>,
    /// When the newest data of this answer was read from its source.
    pub observed_at: Timestamp,
}
