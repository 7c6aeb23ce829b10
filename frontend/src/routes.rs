//! Addresses of the application: which page a path names, and the path of a page.

use crate::words::{Words, fill};
use leptos::prelude::window;
use shared::path::{decode, encode};
use shared::space::SpaceRow;

/// An object of a namespace, as an address names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub cluster: String,
    pub namespace: String,
    pub name: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Page {
    Spaces,
    Templates,
    Create {
        cluster: String,
    },
    Space(Place),
    Edit(Place),
    Template(Place),
    /// The page that mints a connection and leaves; it has no frame.
    Open(Place),
    Unknown,
}

impl Page {
    /// Total: a path that names nothing is `Unknown`.
    pub fn of(path: &str) -> Page {
        let parts: Option<Vec<String>> =
            path.split('/').filter(|part| !part.is_empty()).map(decode).collect();
        let Some(parts) = parts else { return Page::Unknown };
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        let place = |cluster: &str, namespace: &str, name: &str| Place {
            cluster: cluster.to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
        };
        match parts.as_slice() {
            [] | ["spaces"] => Page::Spaces,
            ["templates"] => Page::Templates,
            ["clusters", cluster, "create"] => Page::Create { cluster: (*cluster).to_owned() },
            ["clusters", c, "namespaces", n, "spaces", name] => Page::Space(place(c, n, name)),
            ["clusters", c, "namespaces", n, "spaces", name, "edit"] => Page::Edit(place(c, n, name)),
            ["clusters", c, "namespaces", n, "templates", name] => Page::Template(place(c, n, name)),
            ["open", c, n, name] => Page::Open(place(c, n, name)),
            _ => Page::Unknown,
        }
    }

    /// The cluster that the page is about.
    pub fn cluster(&self) -> Option<&str> {
        match self {
            Page::Create { cluster } => Some(cluster),
            Page::Space(place) | Page::Edit(place) | Page::Template(place) | Page::Open(place) => {
                Some(&place.cluster)
            }
            Page::Spaces | Page::Templates | Page::Unknown => None,
        }
    }

    /// The name of the page, for the tab and for those who hear it.
    pub fn title(&self, words: &Words) -> String {
        match self {
            Page::Spaces => words.spaces.to_owned(),
            Page::Templates => words.templates.to_owned(),
            Page::Create { .. } => words.new_space.to_owned(),
            Page::Space(place) | Page::Template(place) => place.name.clone(),
            Page::Edit(place) => fill(words.edit_title, &[("name", &place.name)]),
            Page::Open(place) => fill(words.open_now, &[("name", &place.name)]),
            Page::Unknown => words.not_found_title.to_owned(),
        }
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str) -> Place {
        Place { cluster: "sandbox".into(), namespace: "hyperpod-ns-team-a".into(), name: name.into() }
    }

    #[test]
    fn every_address_leads_to_its_page() {
        let strange = "a/b \u{5b9e}";
        for (path, page) in [
            ("/".to_owned(), Page::Spaces),
            (spaces(), Page::Spaces),
            (templates(), Page::Templates),
            (create("sandbox"), Page::Create { cluster: "sandbox".into() }),
            (template("sandbox", "hyperpod-ns-team-a", strange), Page::Template(place(strange))),
            (
                shared::path::open("sandbox", "hyperpod-ns-team-a", "lab", "web-ui")
                    .replace("?type=web-ui", ""),
                Page::Open(place("lab")),
            ),
            ("/clusters/sandbox/namespaces/hyperpod-ns-team-a/spaces/lab".into(), Page::Space(place("lab"))),
            (
                "/clusters/sandbox/namespaces/hyperpod-ns-team-a/spaces/lab/edit".into(),
                Page::Edit(place("lab")),
            ),
        ] {
            assert_eq!(Page::of(&path), page, "{path}");
        }
    }

    #[test]
    fn what_names_nothing_is_unknown() {
        for path in ["/space", "/clusters", "/clusters/a/create/b", "/open/a", "/clusters/%ff/create"] {
            assert_eq!(Page::of(path), Page::Unknown, "{path}");
        }
    }
}
