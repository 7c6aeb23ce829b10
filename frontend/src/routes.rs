//! Addresses of the application as functions; the router's patterns are beside them in `app`.

use crate::words::{Words, fill};
use leptos::prelude::window;
use shared::path::encode;
use shared::space::SpaceRow;

pub fn spaces() -> String {
    "/spaces".to_owned()
}

/// The list of one cluster; of all when the name is empty.
pub fn spaces_of(cluster: &str) -> String {
    if cluster.is_empty() { spaces() } else { format!("{}?cluster={}", spaces(), encode(cluster)) }
}

pub fn templates() -> String {
    "/templates".to_owned()
}

pub fn template(cluster: &str, namespace: &str, name: &str) -> String {
    format!("/clusters/{}/namespaces/{}/templates/{}", encode(cluster), encode(namespace), encode(name))
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

pub fn edit(row: &SpaceRow) -> String {
    format!("{}/edit", space(row))
}

/// Scheme, host and port of the portal, for links that leave the page.
pub fn origin() -> String {
    window().location().origin().unwrap_or_default()
}

/// The cluster that a page's address names.
pub fn cluster_of(path: &str) -> Option<String> {
    let name = path.strip_prefix("/clusters/")?.split('/').next()?;
    decode(name)
}

/// The name of a page, for the tab and for those who hear it.
pub fn title(path: &str, words: &Words) -> String {
    match path.split('/').filter(|part| !part.is_empty()).collect::<Vec<_>>().as_slice() {
        [] | ["spaces"] => words.spaces.to_owned(),
        ["templates"] => words.templates.to_owned(),
        ["clusters", _, "create"] => words.new_space.to_owned(),
        ["clusters", _, "namespaces", _, "spaces" | "templates", name] => decode(name).unwrap_or_default(),
        ["clusters", _, "namespaces", _, "spaces", name, "edit"] => {
            fill(words.edit_title, &[("name", &decode(name).unwrap_or_default())])
        }
        _ => words.not_found_title.to_owned(),
    }
}

/// Percent-decoding of one segment; nothing when it is not UTF-8.
fn decode(segment: &str) -> Option<String> {
    js_sys::decode_uri_component(segment).ok().map(String::from)
}
