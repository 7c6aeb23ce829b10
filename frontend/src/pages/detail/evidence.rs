//! Events and YAML, and the tabs over them and the logs: the sources behind the explanation, each loaded when it is
//! looked at.

use super::logs::Logs;
use super::{PartFailed, Shown};
use crate::api::{self, Answer};
use crate::state::address::Address;
use crate::state::derive::{derived, remembered, watch};
use crate::ui::age::Age;
use crate::ui::copy::CopyBlock;
use crate::ui::icon::Icon;
use crate::ui::states::{Empty, Skeleton};
use crate::words::{Pick, say};
use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::space::{SpaceEvent, SpaceRow, SpaceYaml};

#[component]
pub fn Evidence(shown: Shown) -> AnyView {
    let address = expect_context::<Address>();
    let chosen = remembered(move || address.query("tab").unwrap_or_else(|| "events".to_owned()));
    let tabs: [(&str, Pick); 3] =
        [("events", |w| w.detail_events), ("logs", |w| w.detail_logs), ("yaml", |w| w.detail_yaml)];
    view! {
        <section class="card">
            <div class="tabs" role="tablist">
                {tabs.map(|(id, word)| view! {
                    <button type="button" role="tab" id=format!("tab-{id}") aria-controls="evidence"
                        aria-selected=move || (chosen.get() == id).to_string()
                        on:click=move |_| address.set_query("tab", Some(id.to_owned()))>{say(word)}</button>
                }).collect_view()}
            </div>
            <div class="body" id="evidence" role="tabpanel" aria-labelledby=move || format!("tab-{}", chosen.get())>
                {move || match chosen.get().as_str() {
                    "logs" => view! { <Logs shown/> }.into_any(),
                    "yaml" => view! { <Yaml shown/> }.into_any(),
                    _ => view! { <Events shown/> }.into_any(),
                }}
            </div>
        </section>
    }
    .into_any()
}

/// Loads a part of the Space now and whenever the row's version changes.
fn load<T, F>(shown: Shown, ask: fn(SpaceRow) -> F) -> (RwSignal<Option<Answer<T>>>, Callback<()>)
where
    T: Clone + Send + Sync + 'static,
    F: Future<Output = Answer<T>> + 'static,
{
    let state = RwSignal::new(None::<Answer<T>>);
    let again = Callback::new(move |()| {
        let row = shown.row.get_untracked();
        spawn_local(async move {
            let _ = state.try_set(Some(ask(row).await));
        });
    });
    let version =
        remembered(move || shown.row.with(|r| (r.resource_version.clone(), r.status, r.reason.clone())));
    watch(move || {
        version.track();
        again.run(());
    });
    (state, again)
}

#[component]
fn Events(shown: Shown) -> AnyView {
    let (state, again) = load(shown, |row| async move { api::events(&row).await });
    (move || match state.get() {
        None => view! { <Skeleton rows=4/> }.into_any(),
        Some(Err(failure)) => view! { <PartFailed failure on_retry=again/> }.into_any(),
        Some(Ok(events)) if events.is_empty() => {
            view! { <Empty title=say(|w| w.detail_events) text=say(|w| w.events_none)/> }.into_any()
        }
        Some(Ok(events)) => view! {
            <ul class="events">{events.into_iter().map(|event| view! { <EventItem event/> }).collect_view()}</ul>
        }
        .into_any(),
    })
    .into_any()
}

#[component]
fn EventItem(event: SpaceEvent) -> AnyView {
    let warning = event.r#type == "Warning";
    let (tone, icon) = if warning { ("tone-attention", "alert") } else { ("tone-quiet", "dot") };
    let times = (event.count > 1).then(|| format!(" × {}", event.count));
    let at = event.last_at;
    view! {
        <li class=tone>
            <span style:color="var(--t)"><Icon name=icon/></span>
            <div>
                <strong>{event.reason}{times}</strong>
                <p>{event.message}</p>
                <p class="muted mono">{format!("{} {}", event.object_kind, event.object_name)}</p>
            </div>
            <Age at=derived(move || at)/>
        </li>
    }
    .into_any()
}

#[component]
fn Yaml(shown: Shown) -> AnyView {
    let (state, again) = load(shown, |row| async move { api::yaml(&row).await });
    (move || match state.get() {
        None => view! { <Skeleton rows=8/> }.into_any(),
        Some(Err(failure)) => view! { <PartFailed failure on_retry=again/> }.into_any(),
        Some(Ok(SpaceYaml { yaml, provenance })) => view! {
            <div class="stack">
                <p class="muted">{say(|w| w.yaml_note)}</p>
                <CopyBlock text=derived(move || yaml.clone())/>
                <h3>{say(|w| w.where_from)}</h3>
                <dl class="facts">
                    {provenance.into_iter().map(|(path, source)| view! {
                        <dt class="mono">{path}</dt><dd>{source}</dd>
                    }).collect_view()}
                </dl>
            </div>
        }
        .into_any(),
    })
    .into_any()
}
