//! An address that names nothing.

use crate::routes;
use crate::ui::states::Empty;
use crate::words::say;
use leptos::prelude::*;

#[component]
pub fn NotFoundPage() -> AnyView {
    view! {
        <Empty title=say(|w| w.not_found_title) text=say(|w| w.not_found_text)>
            <a class="button" href=routes::spaces()>{say(|w| w.back_to_spaces)}</a>
        </Empty>
    }
    .into_any()
}
