//! The pages, as the addresses name them.

pub mod actions;
pub mod create;
pub mod detail;
pub mod edit;
pub mod list;
pub mod not_found;
pub mod open;
pub mod sign_in;
pub mod templates;

use crate::state::session::Session;
use leptos::prelude::*;

/// Clusters on which the person has a username, in the gateway's order.
pub fn clusters_of(session: Session) -> Vec<String> {
    session.me.with_untracked(|me| {
        let all = me.iter().flat_map(|me| &me.clusters);
        all.filter(|c| c.username.is_some()).map(|c| c.cluster.clone()).collect()
    })
}
