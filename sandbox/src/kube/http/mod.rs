//! HTTP in front of the verbs: paths, queries, bodies, representations.

use super::Core;
use std::sync::Arc;

/// The whole HTTP surface of one API server.
pub(super) fn router(core: Arc<Core>) -> axum::Router {
    axum::Router::new().with_state(core)
}
