//! Every word a person reads, in English and Simplified Chinese, from one catalogue.
//!
//! `Words` is one struct with one value a language: a key without a translation does not compile. Codes of the API
//! are translated by exhaustive matches in `codes`.

mod catalogue;
pub mod codes;
mod format;

pub use catalogue::{EN, Words, ZH};
pub use format::{bytes, clock_time, cores, duration, fill, number, relative};

use leptos::prelude::*;

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

/// The chosen language, provided once at the root.
#[derive(Clone, Copy)]
pub struct Tongue(pub RwSignal<Language>);

/// The current language; reactive.
pub fn language() -> Language {
    use_context::<Tongue>().map_or(Language::En, |t| t.0.get())
}

/// The word that `pick` names, in the current language; reactive where it is shown.
///
/// The signal is captured when called, so this is for component bodies, not for callbacks that outlive them.
pub fn say(pick: fn(&'static Words) -> &'static str) -> impl Fn() -> &'static str + Copy + Send + Sync + 'static {
    let tongue = use_context::<Tongue>();
    move || pick(tongue.map_or(Language::En, |t| t.0.get()).words())
}
