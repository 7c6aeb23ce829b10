//! State as colour, icon and word together: never colour alone.

use super::icon::Icon;
use crate::words::{codes, language};
use leptos::prelude::*;
use shared::space::status::{SpaceStatus, Tone};

pub const fn tone_class(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => "tone-good",
        Tone::Moving => "tone-moving",
        Tone::Waiting => "tone-waiting",
        Tone::Attention => "tone-attention",
        Tone::Bad => "tone-bad",
        Tone::Quiet => "tone-quiet",
    }
}

pub const fn tone_icon(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => "check",
        Tone::Moving => "spinner",
        Tone::Waiting => "clock",
        Tone::Attention | Tone::Bad => "alert",
        Tone::Quiet => "stop",
    }
}

#[component]
pub fn StatusBadge(status: Signal<SpaceStatus>) -> AnyView {
    (move || {
        let status = status.get();
        let tone = status.tone();
        view! {
            <span class=format!("badge {}", tone_class(tone))>
                <Icon name=tone_icon(tone)/>{codes::status(language(), status)}
            </span>
        }
    })
    .into_any()
}

/// A short word in a tone, without being a state of a Space.
#[component]
pub fn Chip(tone: Signal<Tone>, text: Signal<String>) -> AnyView {
    (move || {
        let tone = tone.get();
        view! { <span class=format!("badge {}", tone_class(tone))><Icon name=tone_icon(tone)/>{text.get()}</span> }
    })
    .into_any()
}
