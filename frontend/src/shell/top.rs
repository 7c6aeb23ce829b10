//! The top bar: where one is, how fresh the data is, and who one is.

use super::Frame;
use super::freshness::Freshness;
use super::person::PersonMenu;
use super::settings::Settings;
use crate::routes;
use crate::state::session::Session;
use crate::ui::icon::Icon;
use crate::words::say;
use leptos::prelude::*;
use leptos_router::hooks::{use_location, use_navigate};

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
    let location = use_location();
    let navigate = use_navigate();
    let names = Memo::new(move |_| {
        session.me.with(|me| {
            let all = me.iter().flat_map(|me| &me.clusters);
            all.filter(|c| c.username.is_some()).map(|c| c.cluster.clone()).collect::<Vec<_>>()
        })
    });
    let chosen = Memo::new(move |_| {
        let on_page = location.pathname.with(|path| routes::cluster_of(path));
        on_page.or_else(|| location.query.with(|query| query.get("cluster"))).unwrap_or_default()
    });
    let choose = move |event| {
        let name = event_target_value(&event);
        navigate(&routes::spaces_of(&name), Default::default());
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
