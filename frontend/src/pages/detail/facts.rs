//! What the Space is and who may use it.

use crate::state::derive::derived;
use crate::ui::age::Age;
use crate::words::{Language, Pick, app_name, bytes, cores, fill, language, number, say};
use leptos::prelude::*;
use shared::space::{Sharing as Share, SpaceRow};

fn stated(value: Option<String>) -> String {
    value.unwrap_or_else(|| language().words().not_stated.to_owned())
}

pub fn accelerator(l: Language, row: &SpaceRow) -> String {
    row.resources.accelerator.as_ref().map_or_else(
        || l.words().none.to_owned(),
        |a| match a.mig_profile() {
            Some(profile) => format!("{} × MIG {profile}", a.count),
            None if a.resource == shared::space::GPU_RESOURCE => format!("{} GPU", a.count),
            None => format!("{} × {}", a.count, a.resource),
        },
    )
}

/// Money as its currency writes it; "no price" is not zero.
pub fn cost(l: Language, micros: Option<i64>) -> String {
    micros
        .map_or_else(|| l.words().no_price.to_owned(), |m| format!("${}", number(l, m as f64 / 1_000_000.0)))
}

fn rows(row: &SpaceRow) -> Vec<(Pick, String)> {
    let l = language();
    let w = l.words();
    let storage = row.storage.as_ref();
    let place = storage.map(|s| {
        let size = s.size_bytes.map(|b| bytes(l, b));
        [size, s.class_name.clone(), s.zone.clone()].into_iter().flatten().collect::<Vec<_>>().join(" · ")
    });
    vec![
        (|w| w.col_app, stated(row.app_type.as_deref().map(app_name))),
        (|w| w.col_cpu, stated(row.resources.cpu_millis.map(|c| cores(l, c)))),
        (|w| w.col_memory, stated(row.resources.memory_bytes.map(|b| bytes(l, b)))),
        (|w| w.accelerator, accelerator(l, row)),
        (
            |w| w.instance_type,
            row.resources.instance_type.clone().unwrap_or_else(|| w.any_instance.to_owned()),
        ),
        (|w| w.col_storage, place.unwrap_or_else(|| w.none.to_owned())),
        (|w| w.image, stated(row.image.clone())),
        (
            |w| w.template,
            row.template
                .as_ref()
                .map_or_else(|| w.none.to_owned(), |t| format!("{}/{}", t.namespace, t.name)),
        ),
        (|w| w.queue, row.queue.clone().unwrap_or_else(|| w.none.to_owned())),
        (|w| w.priority, row.priority_class.clone().unwrap_or_else(|| w.none.to_owned())),
        (|w| w.col_cost, cost(l, row.cost_per_hour)),
    ]
}

#[component]
pub fn Facts(row: Signal<SpaceRow>) -> AnyView {
    view! {
        <section class="card">
            <header><h2>{say(|w| w.facts)}</h2></header>
            <dl class="body facts">
                {move || row.with(rows).into_iter().map(|(label, value)| view! {
                    <dt>{say(label)}</dt><dd>{value}</dd>
                }).collect_view()}
                <dt>{say(|w| w.col_age)}</dt>
                <dd><Age at=derived(move || row.with(|r| r.created_at))/></dd>
            </dl>
        </section>
    }
    .into_any()
}

fn reach(share: Share, row: &SpaceRow) -> String {
    let w = language().words();
    match share {
        Share::OwnerOnly => fill(w.only_owner, &[("owner", &row.owner.display_name)]),
        Share::Public => fill(w.everybody_in, &[("namespace", &row.namespace)]),
        Share::Unknown => w.not_stated.to_owned(),
    }
}

#[component]
pub fn Sharing(row: Signal<SpaceRow>) -> AnyView {
    view! {
        <section class="card">
            <header><h2>{say(|w| w.sharing)}</h2></header>
            <dl class="body facts">
                <dt>{say(|w| w.col_owner)}</dt>
                <dd>{move || row.with(|r| r.owner.display_name.clone())}</dd>
                <dt>{say(|w| w.kubernetes_user)}</dt>
                <dd class="mono">{move || row.with(|r| stated(r.owner.username.clone()))}</dd>
                <dt>{say(|w| w.who_connects)}</dt>
                <dd>{move || row.with(|r| reach(r.access_type, r))}</dd>
                <dt>{say(|w| w.who_edits)}</dt>
                <dd>{move || row.with(|r| reach(r.ownership_type, r))}</dd>
            </dl>
        </section>
    }
    .into_any()
}
