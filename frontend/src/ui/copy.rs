//! Text to take elsewhere.

use super::icon::Icon;
use crate::words::say;
use leptos::prelude::*;
use leptos::task::spawn_local;
use std::time::Duration;
use wasm_bindgen_futures::JsFuture;

#[component]
pub fn CopyBlock(text: Signal<String>) -> AnyView {
    view! {
        <div class="copy">
            <pre tabindex="0">{move || text.get()}</pre>
            <CopyButton text/>
        </div>
    }
    .into_any()
}

#[component]
pub fn CopyButton(text: Signal<String>) -> AnyView {
    let done = RwSignal::new(false);
    let copy = move |_| {
        let promise = window().navigator().clipboard().write_text(&text.get_untracked());
        spawn_local(async move {
            if JsFuture::from(promise).await.is_ok() {
                let _ = done.try_set(true);
                set_timeout(
                    move || {
                        let _ = done.try_set(false);
                    },
                    Duration::from_secs(2),
                );
            }
        });
    };
    let label = move || if done.get() { say(|w| w.copied)() } else { say(|w| w.copy)() };
    view! {
        <button type="button" class="button plain square" aria-label=label title=label on:click=copy>
            {move || if done.get() { view! { <Icon name="check"/> } } else { view! { <Icon name="copy"/> } }}
            <span class="hidden-visually" role="status">{move || done.get().then(say(|w| w.copied))}</span>
        </button>
    }
    .into_any()
}
