//! A time, relative by the server's clock, absolute on hover.

use crate::state::clock::Clock;
use crate::state::derive::remembered;
use crate::words::{clock_time, language, relative};
use leptos::prelude::*;
use shared::time::Timestamp;

#[component]
pub fn Age(at: Signal<Option<Timestamp>>) -> AnyView {
    let clock = expect_context::<Clock>();
    // Minutes are enough for a list: re-rendered only when the text changes.
    let text = remembered(move || at.get().map(|then| relative(language(), then, clock.now())));
    view! {
        <time class="nums muted" datetime=move || at.get().map(|t| t.to_rfc3339())
            title=move || at.get().map(|t| clock_time(language(), t))>
            {move || text.get().unwrap_or_else(|| language().words().not_stated.to_owned())}
        </time>
    }
    .into_any()
}
