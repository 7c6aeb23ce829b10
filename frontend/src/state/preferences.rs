//! Language, theme and columns: remembered where the browser permits it, forgotten without an error where not.

use crate::state::derive::watch;
use crate::words::{Language, Tongue};
use leptos::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    System,
    Light,
    Dark,
}

impl Theme {
    pub const ALL: [Theme; 3] = [Theme::System, Theme::Light, Theme::Dark];

    pub const fn id(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    pub fn of_id(id: &str) -> Theme {
        Theme::ALL.into_iter().find(|t| t.id() == id).unwrap_or(Theme::System)
    }
}

#[derive(Clone, Copy)]
pub struct Preferences {
    pub language: Tongue,
    pub theme: RwSignal<Theme>,
    /// Identifiers of the list columns that are hidden.
    pub hidden_columns: RwSignal<Vec<String>>,
}

fn storage() -> Option<web_sys::Storage> {
    web_sys::window()?.local_storage().ok().flatten()
}

pub fn recall(key: &str) -> Option<String> {
    storage()?.get_item(&format!("spaceport.{key}")).ok().flatten()
}

/// Full or forbidden storage is no error: the choice then lasts as long as the tab.
pub fn remember(key: &str, value: &str) {
    if let Some(storage) = storage() {
        let _ = storage.set_item(&format!("spaceport.{key}"), value);
    }
}

impl Preferences {
    /// Recalls what was chosen, and keeps `<html>` and the storage in step with every change.
    pub fn provide() -> Preferences {
        let preferred = || web_sys::window().and_then(|w| w.navigator().language()).unwrap_or_default();
        let language = Language::of_tag(&recall("language").unwrap_or_else(preferred));
        let theme = Theme::of_id(&recall("theme").unwrap_or_default());
        let hidden = recall("hidden-columns").unwrap_or_else(|| "queue".to_owned());
        let preferences = Preferences {
            language: Tongue(RwSignal::new(language)),
            theme: RwSignal::new(theme),
            hidden_columns: RwSignal::new(
                hidden.split(',').filter(|c| !c.is_empty()).map(str::to_owned).collect(),
            ),
        };
        watch(move || {
            let language = preferences.language.0.get();
            set_attribute("lang", language.tag());
            remember("language", language.tag());
        });
        watch(move || {
            let theme = preferences.theme.get();
            match theme {
                Theme::System => remove_attribute("data-theme"),
                chosen => set_attribute("data-theme", chosen.id()),
            }
            remember("theme", theme.id());
        });
        watch(move || remember("hidden-columns", &preferences.hidden_columns.get().join(",")));
        crate::words::provide(preferences.language);
        provide_context(preferences);
        preferences
    }
}

fn root() -> Option<web_sys::Element> {
    document().document_element()
}

// Setting an attribute with a valid constant name cannot fail.
fn set_attribute(name: &str, value: &str) {
    if let Some(root) = root() {
        let _ = root.set_attribute(name, value);
    }
}

fn remove_attribute(name: &str) {
    if let Some(root) = root() {
        let _ = root.remove_attribute(name);
    }
}
