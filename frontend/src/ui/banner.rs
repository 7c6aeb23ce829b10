//! A notice that stays until its cause is gone.

use super::badge::{tone_class, tone_icon};
use super::icon::Icon;
use leptos::prelude::*;
use shared::space::status::Tone;

#[component]
pub fn Banner(tone: Tone, children: Children) -> AnyView {
    let role = if matches!(tone, Tone::Bad) { "alert" } else { "status" };
    view! {
        <div class=format!("banner {}", tone_class(tone)) role=role>
            <Icon name=tone_icon(tone)/>
            <div class="grow">{children()}</div>
        </div>
    }
    .into_any()
}
