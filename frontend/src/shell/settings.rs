//! Language and theme, as two small menus.

use crate::state::derive::derived;
use crate::state::preferences::{Preferences, Theme};
use crate::ui::icon::Icon;
use crate::ui::menu::{Menu, MenuItem};
use crate::words::{Language, language};
use leptos::prelude::*;

/// Languages by their own name, so that everybody finds theirs.
pub const LANGUAGES: [(Language, &str); 2] = [(Language::En, "English"), (Language::Zh, "简体中文")];

pub fn theme_word(theme: Theme) -> &'static str {
    let w = language().words();
    match theme {
        Theme::System => w.theme_system,
        Theme::Light => w.theme_light,
        Theme::Dark => w.theme_dark,
    }
}

#[component]
pub fn Settings() -> AnyView {
    let preferences = expect_context::<Preferences>();
    let tongue = preferences.language;
    view! {
        <Menu label=derived(|| language().words().language.to_owned()) face=ViewFn::from(|| view! { <Icon name="globe"/> })>
            {LANGUAGES.map(|(language, name)| view! {
                <MenuItem icon=tick(tongue.0.get() == language) word=Signal::stored(name.to_owned())
                    on_click=Callback::new(move |()| tongue.0.set(language))/>
            }).collect_view()}
        </Menu>
        <Menu label=derived(|| language().words().theme.to_owned()) face=ViewFn::from(|| view! { <Icon name="moon"/> })>
            {Theme::ALL.map(|theme| view! {
                <MenuItem icon=tick(preferences.theme.get() == theme) word=derived(move || theme_word(theme).to_owned())
                    on_click=Callback::new(move |()| preferences.theme.set(theme))/>
            }).collect_view()}
        </Menu>
    }
    .into_any()
}

fn tick(chosen: bool) -> &'static str {
    if chosen { "check" } else { "none" }
}
