//! Templates, to read: defaults and bounds, and a way into the form.

mod detail;
mod limits;

pub use detail::TemplatePage;

use crate::api::{self, Answer};
use crate::pages::clusters_of;
use crate::routes;
use crate::state::derive::remembered;
use crate::state::session::Session;
use crate::ui::states::{Empty, Failed, Skeleton};
use crate::words::{app_name, language, say};
use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::template::Template;

#[component]
pub fn TemplatesPage() -> AnyView {
    let session = expect_context::<Session>();
    let state = RwSignal::new(None::<Answer<Vec<Template>>>);
    let load = move || {
        state.set(None);
        let clusters = clusters_of(session);
        spawn_local(async move {
            let mut all = Vec::new();
            let mut failed = None;
            for cluster in clusters {
                match api::templates(&cluster).await {
                    Ok(found) => all.extend(found),
                    Err(failure) => failed = Some(failure),
                }
            }
            // What could be read is worth more than the failure of the rest.
            let answer = failed.filter(|_| all.is_empty()).map_or(Ok(all), Err);
            let _ = state.try_set(Some(answer));
        });
    };
    load();
    view! {
        <div class="head">
            <div class="grow"><h1 tabindex="-1">{say(|w| w.templates)}</h1><p class="muted">{say(|w| w.templates_text)}</p></div>
        </div>
        {move || match state.get() {
            None => view! { <Skeleton rows=6/> }.into_any(),
            Some(Err(failure)) => view! { <Failed failure on_retry=Callback::new(move |()| load())/> }.into_any(),
            Some(Ok(all)) if all.is_empty() => view! { <Empty title=say(|w| w.templates) text=say(|w| w.denied_text)/> }.into_any(),
            Some(Ok(all)) => view! {
                <div class="tiles">{all.into_iter().map(|template| view! { <Tile template/> }).collect_view()}</div>
            }.into_any(),
        }}
    }
    .into_any()
}

#[component]
fn Tile(template: Template) -> AnyView {
    let page = routes::template(&template.cluster, &template.namespace, &template.name);
    let link = routes::create_from(&template.cluster, &template.namespace, &template.name);
    let defaults = {
        let template = template.clone();
        move || limits::defaults(language(), &template)
    };
    view! {
        <article class="card tile">
            <div>
                <h2><a href=page>{template.display_name.clone()}</a></h2>
                <p class="muted mono truncate">{format!("{} / {}", template.namespace, template.name)}</p>
            </div>
            <Chips template=template.clone()/>
            {template.description.clone().map(|text| view! { <p>{text}</p> })}
            <p class="nums">{defaults}</p>
            <Limits template/>
            <div class="end"><a class="button" href=link>{say(|w| w.use_template)}</a></div>
        </article>
    }
    .into_any()
}

/// What kind of template it is, in a few words.
#[component]
fn Chips(template: Template) -> AnyView {
    view! {
        <div class="chips">
            {template.is_default.then(|| view! { <span class="chip">{say(|w| w.recommended)}</span> })}
            {template.is_system.then(|| view! { <span class="chip">{say(|w| w.system_template)}</span> })}
            {template.app_type.as_deref().map(app_name).map(|app| view! { <span class="chip">{app}</span> })}
            <span class="chip">{template.cluster}</span>
        </div>
    }
    .into_any()
}

#[component]
fn Limits(template: Template) -> AnyView {
    let rows = remembered(move || limits::rows(language(), &template));
    view! {
        <h3>{say(|w| w.bounds)}</h3>
        {move || rows.with(Vec::is_empty).then(|| view! { <p class="muted">{say(|w| w.no_bounds)}</p> })}
        <dl class="facts">
            {move || rows.get().into_iter().map(|(label, value)| view! {
                <dt>{label}</dt><dd class="nums">{value}</dd>
            }).collect_view()}
        </dl>
    }
    .into_any()
}
