//! An address that names nothing, or nothing that one may see.

use crate::routes;
use crate::ui::icon::Icon;
use crate::words::say;
use leptos::prelude::*;

#[component]
pub fn NotFoundPage() -> AnyView {
    view! {
        <div class="state">
            <Icon name="spaces"/>
            <h1 tabindex="-1">{say(|w| w.not_found_title)}</h1>
            <p>{say(|w| w.not_found_text)}</p>
            <a class="button" href=routes::spaces()>{say(|w| w.back_to_spaces)}</a>
        </div>
    }
    .into_any()
}
