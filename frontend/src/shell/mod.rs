//! The frame around every page: top bar, navigation, notices, and what is said aloud on a new page.

mod freshness;
mod news;
mod notices;
mod palette;
mod person;
pub mod settings;
mod side;
mod top;

use crate::state::address::Address;
use crate::state::derive::remembered;
use crate::words::{language, say};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// What the parts of the frame open and close.
#[derive(Clone, Copy)]
struct Frame {
    drawer: RwSignal<bool>,
    palette: RwSignal<bool>,
    leaving: RwSignal<bool>,
}

#[component]
pub fn Shell(children: ChildrenFn) -> AnyView {
    let frame =
        Frame { drawer: RwSignal::new(false), palette: RwSignal::new(false), leaving: RwSignal::new(false) };
    provide_context(frame);
    let class = move || if frame.drawer.get() { "app drawer" } else { "app" };
    view! {
        // Not followed as a link: with a base address, `#main` would lead to the start page.
        <a class="skip" href="#main" on:click=move |event| { event.prevent_default(); focus_first("#main"); }>
            {say(|w| w.skip)}
        </a>
        <div class=class on:keydown=move |event| if event.key() == "Escape" { frame.drawer.set(false); }>
            <top::Top frame/>
            <side::Side frame/>
            <main id="main" tabindex="-1">
                <notices::Notices/>
                {children()}
            </main>
        </div>
        <palette::Palette frame/>
        <person::SignOut open=frame.leaving/>
        <Toasts/>
        <Announcer frame/>
    }
    .into_any()
}

/// The product's sign.
#[component]
pub fn Mark() -> AnyView {
    view! {
        <svg viewBox="0 0 32 32" aria-hidden="true">
            <rect width="32" height="32" rx="8" fill="var(--brand)"/>
            <path d="M16 6l7 7v8l-7 5-7-5v-8z" fill="none" stroke="#fff" stroke-width="2.4" stroke-linejoin="round"/>
            <circle cx="16" cy="15.5" r="3" fill="#fff"/>
        </svg>
    }
    .into_any()
}

/// A new page: the drawer closes, focus goes to its heading, its title is said.
#[component]
fn Announcer(frame: Frame) -> AnyView {
    let address = expect_context::<Address>();
    let title = remembered(move || address.page().title(language().words()));
    news::keep_title(title);
    Effect::new(move |before: Option<String>| {
        let path = address.path();
        if before.is_some_and(|before| before != path) {
            frame.drawer.set(false);
            request_animation_frame(|| focus_first("#main h1, #main"));
        }
        path
    });
    view! { <p class="hidden-visually" role="status">{title}</p> }.into_any()
}

fn focus_first(selector: &str) {
    let found = document().query_selector(selector).ok().flatten();
    let Some(element) = found.and_then(|e| e.dyn_into::<web_sys::HtmlElement>().ok()) else { return };
    if !element.has_attribute("tabindex") {
        // A constant attribute name is always valid.
        let _ = element.set_attribute("tabindex", "-1");
    }
    // An element that cannot take focus is no reason to fail.
    let _ = element.focus();
}

#[component]
fn Toasts() -> AnyView {
    use crate::ui::badge::{tone_class, tone_icon};
    use crate::ui::icon::Icon;
    let toasts = expect_context::<crate::state::toasts::Toasts>();
    view! {
        <div class="toasts" role="status">
            <For each=move || toasts.list.get() key=|toast| toast.id let:toast>
                <div class=format!("banner {}", tone_class(toast.tone))>
                    <Icon name=tone_icon(toast.tone)/>
                    <div class="grow">{toast.text}</div>
                    <button type="button" class="button plain square" aria-label=say(|w| w.close)
                        on:click=move |_| toasts.close(toast.id)><Icon name="close"/></button>
                </div>
            </For>
        </div>
    }
    .into_any()
}
