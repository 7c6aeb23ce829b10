//! Idle shutdown: what is set, whether it can work, and a change with its warning.

use crate::api::{self, Failure};
use crate::pages::actions::decision;
use crate::state::derive::{derived, remembered};
use crate::state::toasts::Toasts;
use crate::ui::badge::Chip;
use crate::ui::button::Button;
use crate::ui::field::{Field, TextInput};
use crate::ui::states::FailureText;
use crate::words::{Language, codes, duration, fill, language, say};
use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::space::create::IdleRequest;
use shared::space::status::Tone;
use shared::space::{Action, DesiredStatus, IdleRule, SpaceEdit, SpaceRow};

/// "Off", "not set", "on" and "on without detection" are four things.
pub fn idle_text(l: Language, idle: &IdleRule) -> (Tone, String) {
    let w = l.words();
    match (idle.enabled, idle.timeout_minutes, &idle.detection) {
        (None, ..) => (Tone::Quiet, w.idle_unset.to_owned()),
        (Some(false), ..) => (Tone::Quiet, w.idle_off.to_owned()),
        (Some(true), _, None) => (Tone::Attention, w.idle_unprotected.to_owned()),
        (Some(true), Some(minutes), Some(_)) => {
            (Tone::Good, fill(w.idle_after, &[("time", &duration(l, minutes.saturating_mul(60)))]))
        }
        (Some(true), None, Some(_)) => (Tone::Good, w.idle_on.to_owned()),
    }
}

#[component]
pub fn Idle(row: Signal<SpaceRow>) -> AnyView {
    let typed = RwSignal::new(None::<String>);
    let refused = RwSignal::new(None::<Failure>);
    let sending = RwSignal::new(false);
    let toasts = expect_context::<Toasts>();
    let shown = derived(move || {
        let stored = || row.with(|r| r.idle.timeout_minutes).map_or(String::new(), |m| m.to_string());
        typed.get().unwrap_or_else(stored)
    });
    let minutes = remembered(move || shown.get().trim().parse::<i64>().ok().filter(|m| *m > 0));
    let error = derived(move || {
        (typed.get().is_some() && minutes.get().is_none())
            .then(|| fill(language().words().from_to, &[("min", "1"), ("max", "∞")]))
    });
    let permitted = decision(row, Action::Edit);
    let blocked = derived(move || {
        let words = language().words();
        let denied = permitted.get().reason.map(|denial| codes::denial(language(), &denial));
        denied
            .or_else(|| sending.get().then(|| words.in_progress.to_owned()))
            .or_else(|| minutes.get().is_none().then(|| words.fix_first.to_owned()))
    });
    let save = move |enabled: bool| {
        let timeout_minutes = minutes.get_untracked().filter(|_| enabled);
        let edit = SpaceEdit { idle: Some(IdleRequest { enabled, timeout_minutes }), ..SpaceEdit::default() };
        let row = row.get_untracked();
        sending.set(true);
        spawn_local(async move {
            let answer = api::edit(&row, &edit).await;
            let _ = sending.try_set(false);
            match answer {
                Ok(_) => {
                    let _ = typed.try_set(None);
                    let _ = refused.try_set(None);
                    toasts.show(Tone::Good, untrack(language).words().saved.to_owned());
                }
                Err(failure) => {
                    let _ = refused.try_set(Some(failure));
                }
            }
        });
    };
    let running = move || row.with(|r| r.desired_status == DesiredStatus::Running);
    let state = derived(move || row.with(|r| idle_text(language(), &r.idle)));
    view! {
        <section class="card">
            <header><h2>{say(|w| w.idle_title)}</h2><Chip tone=derived(move || state.get().0) text=derived(move || state.get().1)/></header>
            <div class="body stack">
                <p class="muted">{say(|w| w.idle_text)}</p>
                <Field id="idle-after" label=say(|w| w.minutes) error=error>
                    <TextInput id="idle-after" value=shown error=error on_input=Callback::new(move |text| typed.set(Some(text)))/>
                </Field>
                {move || running().then(|| view! { <p class="muted">{say(|w| w.idle_restart)}</p> })}
                {move || refused.get().map(|failure| view! { <FailureText failure/> })}
                <div class="head">
                    <Button kind="" disabled=blocked on_click=Callback::new(move |()| save(true))>{say(|w| w.save)}</Button>
                    {move || row.with(|r| r.idle.enabled == Some(true)).then(|| view! {
                        <Button kind="plain" disabled=blocked on_click=Callback::new(move |()| save(false))>{say(|w| w.idle_off)}</Button>
                    })}
                </div>
            </div>
        </section>
    }
    .into_any()
}
