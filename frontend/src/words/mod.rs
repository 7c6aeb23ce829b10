//! Every word a person reads, in English and Simplified Chinese, from one catalogue.
//!
//! `Words` is one struct with one value a language: a key without a translation does not compile. Codes of the API
//! are translated by exhaustive matches in `codes`.

mod catalogue;
pub mod codes;
mod format;

pub use catalogue::{EN, Words, ZH};
pub use format::{
    amount, app_name, bytes, clock_time, cores, duration, fill, number, relative, resource_name,
};

use leptos::prelude::*;
use std::cell::OnceCell;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    En,
    Zh,
}

impl Language {
    /// BCP 47 tag, for `<html lang>` and `Intl`.
    pub const fn tag(self) -> &'static str {
        match self {
            Language::En => "en",
            Language::Zh => "zh-CN",
        }
    }

    /// The language of a browser's preference; anything but Chinese reads English.
    pub fn of_tag(tag: &str) -> Language {
        if tag.to_ascii_lowercase().starts_with("zh") { Language::Zh } else { Language::En }
    }

    pub const fn words(self) -> &'static Words {
        match self {
            Language::En => &EN,
            Language::Zh => &ZH,
        }
    }
}

/// The chosen language.
#[derive(Clone, Copy)]
pub struct Tongue(pub RwSignal<Language>);

thread_local! {
    /// One language a tab. Not a context: answers of the network and timers speak as well, and have none.
    static TONGUE: OnceCell<Tongue> = const { OnceCell::new() };
}

/// Called once, at the root.
pub fn provide(tongue: Tongue) {
    // A second root (there is none) would keep the first one's language.
    let _ = TONGUE.with(|cell| cell.set(tongue));
}

/// The current language; reactive where it is shown.
pub fn language() -> Language {
    TONGUE.with(|cell| cell.get().map_or(Language::En, |tongue| tongue.0.get()))
}

/// Names one phrase of the catalogue.
pub type Pick = fn(&'static Words) -> &'static str;

/// The word that `pick` names, in the current language; reactive.
pub fn say(pick: Pick) -> impl Fn() -> &'static str + Copy + Send + Sync + 'static {
    move || pick(language().words())
}
