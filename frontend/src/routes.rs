//! Addresses of the application as functions; the router's patterns are beside them in `app`.

use leptos::prelude::window;
use shared::path::encode;
use shared::space::SpaceRow;

pub fn spaces() -> String {
    "/spaces".to_owned()
}

pub fn templates() -> String {
    "/templates".to_owned()
}

pub fn create(cluster: &str) -> String {
    format!("/clusters/{}/create", encode(cluster))
}

/// The create form with a template chosen.
pub fn create_from(cluster: &str, namespace: &str, template: &str) -> String {
    format!("{}?template={}", create(cluster), encode(&format!("{namespace}/{template}")))
}

pub fn space(row: &SpaceRow) -> String {
    format!(
        "/clusters/{}/namespaces/{}/spaces/{}",
        encode(&row.cluster),
        encode(&row.namespace),
        encode(&row.name)
    )
}

/// Scheme, host and port of the portal, for links that leave the page.
pub fn origin() -> String {
    window().location().origin().unwrap_or_default()
}
