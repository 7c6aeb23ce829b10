//! Navigation: the control layers that have pages, outermost first.

use super::Frame;
use crate::live::Collection;
use crate::routes::{self, Page};
use crate::state::address::Address;
use crate::state::derive::derived;
use crate::state::session::Session;
use crate::ui::icon::Icon;
use crate::words::{Pick, codes, language, number, say};
use leptos::prelude::*;
use shared::error::Layer;

#[component]
pub fn Side(frame: Frame) -> AnyView {
    let collection = expect_context::<Collection>();
    let session = expect_context::<Session>();
    let count = derived(move || {
        collection.version.track();
        let known = collection.clusters.with(|all| all.values().any(|c| c.loaded));
        known.then(|| number(language(), collection.count() as f64))
    });
    let nothing = derived(|| None);
    let sandbox = move || session.me.with(|me| me.as_ref().is_some_and(|me| me.sandbox));
    view! {
        <nav class="side" id="side" aria-label=say(|w| w.menu)>
            <p class="layer">{move || codes::layer(language(), Layer::Workload)}</p>
            <Link to=routes::spaces() icon="spaces" word=|w| w.spaces count/>
            <Link to=routes::templates() icon="template" word=|w| w.templates count=nothing/>
            {move || sandbox().then(|| view! { <p class="note">{say(|w| w.sandbox_note)}</p> })}
        </nav>
        {move || frame.drawer.get().then(|| view! {
            // Keyboard users close the drawer by Escape; the shade is for pointers.
            <div class="shade" aria-hidden="true" on:click=move |_| frame.drawer.set(false)></div>
        })}
    }
    .into_any()
}

#[component]
fn Link(to: String, icon: &'static str, word: Pick, count: Signal<Option<String>>) -> AnyView {
    let address = expect_context::<Address>();
    let own = to.clone();
    // Pages of one Space or template belong to their list.
    let here = move || match address.page() {
        Page::Templates | Page::Template(_) => own == routes::templates(),
        Page::Spaces | Page::Create { .. } | Page::Space(_) | Page::Edit(_) => own == routes::spaces(),
        Page::Open(_) | Page::Unknown => false,
    };
    view! {
        <a href=to aria-current=move || here().then_some("page")>
            <Icon name=icon/><span>{say(word)}</span>
            {move || count.get().map(|n| view! { <span class="count nums">{n}</span> })}
        </a>
    }
    .into_any()
}
