//! The top bar: where one is, how fresh the data is, and who one is.

use super::Frame;
use super::freshness::Freshness;
use super::person::PersonMenu;
use super::settings::Settings;
use crate::routes;
use crate::state::address::Address;
use crate::state::derive::remembered;
use crate::state::session::Session;
use crate::ui::icon::Icon;
use crate::words::say;
use leptos::prelude::*;

#[component]
pub fn Top(frame: Frame) -> AnyView {
    view! {
        <header class="top">
            <button type="button" class="button plain square burger" aria-label=say(|w| w.menu) aria-controls="side"
                aria-expanded=move || frame.drawer.get().to_string() on:click=move |_| frame.drawer.update(|open| *open = !*open)>
                <Icon name="menu"/>
            </button>
            <a class="brand" href=routes::spaces()><super::Mark/><span>{say(|w| w.product)}</span></a>
            <ClusterSwitch/>
            <div class="spacer"></div>
            <button type="button" class="find" on:click=move |_| frame.palette.set(true)>
                <Icon name="search"/><span>{say(|w| w.palette)}</span><kbd aria-hidden="true">{shortcut()}</kbd>
            </button>
            <Freshness/>
            <div class="wide"><Settings/></div>
            <PersonMenu frame/>
        </header>
    }
    .into_any()
}

/// How the palette's shortcut is written on this keyboard.
fn shortcut() -> &'static str {
    let agent = window().navigator().user_agent().unwrap_or_default();
    if agent.contains("Mac") { "⌘K" } else { "Ctrl K" }
}

/// Narrows the list to one cluster; the address holds the choice.
#[component]
fn ClusterSwitch() -> AnyView {
    let session = expect_context::<Session>();
    let address = expect_context::<Address>();
    let names = remembered(move || {
        session.me.with(|me| {
            let all = me.iter().flat_map(|me| &me.clusters);
            all.filter(|c| c.username.is_some()).map(|c| c.cluster.clone()).collect::<Vec<_>>()
        })
    });
    let chosen = remembered(move || {
        let on_page = address.page().cluster().map(str::to_owned);
        on_page.or_else(|| address.query("cluster")).unwrap_or_default()
    });
    let choose = move |event| {
        let name = event_target_value(&event);
        address.go(&routes::spaces_of(&name));
    };
    view! {
        <label class="switch">
            <Icon name="server"/>
            <span class="hidden-visually">{say(|w| w.cluster)}</span>
            <select prop:value=move || { names.track(); chosen.get() } on:change=choose>
                <option value="" selected=move || chosen.with(String::is_empty)>{say(|w| w.all_clusters)}</option>
                <For each=move || names.get() key=Clone::clone let:name>
                    {
                        let own = name.clone();
                        view! { <option value=name.clone() selected=move || chosen.get() == own>{name.clone()}</option> }
                    }
                </For>
            </select>
        </label>
    }
    .into_any()
}
