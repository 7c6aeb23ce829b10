//! The person's menu, and signing out with what stays open.

use super::{Frame, news};
use crate::api;
use crate::live::Collection;
use crate::pages::sign_in::initials;
use crate::routes;
use crate::state::derive::{derived, remembered};
use crate::state::session::Session;
use crate::ui::button::Button;
use crate::ui::dialog::Dialog;
use crate::ui::menu::{Menu, MenuItem};
use crate::ui::states::FailureText;
use crate::words::{codes, language, say};
use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::space::actions::is_owner;
use shared::space::{DesiredStatus, SpaceRow};

#[component]
pub fn PersonMenu(frame: Frame) -> AnyView {
    let session = expect_context::<Session>();
    let name = derived(move || {
        session.me.with(|me| me.as_ref().map_or(String::new(), |me| me.display_name.clone()))
    });
    let about = move || {
        session.me.with(|me| {
            let me = me.as_ref()?;
            let roles: Vec<&str> = me.roles.iter().map(|role| codes::role(language(), *role)).collect();
            let projects: Vec<&str> = me.projects.iter().map(|m| m.project.id.as_str()).collect();
            Some(
                [roles.join(", "), projects.join(", ")]
                    .into_iter()
                    .filter(|t| !t.is_empty())
                    .collect::<Vec<_>>()
                    .join(" · "),
            )
        })
    };
    let face =
        ViewFn::from(move || view! { <span class="face" data-face=move || initials(&name.get())></span> });
    view! {
        <Menu kind="person-button" face label=derived(move || format!("{}: {}", language().words().account, name.get()))>
            <div class="about"><strong>{name}</strong><span class="muted">{about}</span></div>
            <hr/>
            {news::can_ask().then(|| view! {
                <MenuItem icon="clock" word=derived(|| language().words().notify.to_owned())
                    on_click=Callback::new(|()| news::ask_permission())/>
            })}
            <MenuItem icon="open" word=derived(|| language().words().sign_out.to_owned())
                on_click=Callback::new(move |()| frame.leaving.set(true))/>
        </Menu>
    }
    .into_any()
}

/// Asks before the session ends, and names the Spaces that stay open without it.
#[component]
pub fn SignOut(open: RwSignal<bool>) -> AnyView {
    let session = expect_context::<Session>();
    let collection = expect_context::<Collection>();
    let refused = RwSignal::new(None::<api::Failure>);
    let mine = remembered(move || {
        if !open.get() {
            return Vec::new();
        }
        collection.version.track();
        session.me.with(|me| {
            let Some(me) = me else { return Vec::new() };
            let mut rows =
                collection.collect(|row| row.desired_status == DesiredStatus::Running && is_owner(row, me));
            rows.sort_by(|a, b| a.name.cmp(&b.name));
            rows
        })
    });
    let leave = Callback::new(move |()| {
        spawn_local(async move {
            match api::sign_out().await {
                // A fresh page: nothing of this person stays in memory.
                Ok(()) => {
                    let _ = window().location().assign("/");
                }
                Err(failure) => {
                    let _ = refused.try_set(Some(failure));
                }
            }
        });
    });
    let free = derived(|| None);
    view! {
        <Dialog open title=derived(|| language().words().sign_out.to_owned())>
            {move || (!mine.with(Vec::is_empty)).then(|| view! {
                <p>{say(|w| w.sign_out_open)}</p>
                <ul class="names">
                    <For each=move || mine.get() key=|row: &SpaceRow| row.id.clone() let:row>
                        <li><a href=routes::space(&row) on:click=move |_| open.set(false)>{row.display_name.clone()}</a>
                            " "<span class="muted mono">{row.namespace.clone()}</span></li>
                    </For>
                </ul>
            })}
            {move || refused.get().map(|failure| view! { <FailureText failure/> })}
            <div class="foot">
                <button type="button" class="button" autofocus=true on:click=move |_| open.set(false)>{say(|w| w.cancel)}</button>
                <Button kind="primary" disabled=free on_click=leave>{say(|w| w.sign_out)}</Button>
            </div>
        </Dialog>
    }
    .into_any()
}
