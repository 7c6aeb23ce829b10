//! Templates, to read: defaults and bounds, and a way into the form.

use crate::api::{self, Answer};
use crate::pages::clusters_of;
use crate::routes;
use crate::state::session::Session;
use crate::ui::states::{Empty, Failed, Skeleton};
use crate::words::{bytes, cores, fill, language, say};
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

/// Label and value of each bound that is set.
fn bounds(template: &Template) -> Vec<(String, String)> {
    let l = language();
    let w = l.words();
    let range = |min: &str, max: &str| fill(w.from_to, &[("min", min), ("max", max)]);
    let mut rows: Vec<(String, String)> =
        template.bounds.iter().map(|b| (b.resource.clone(), range(&b.min, &b.max))).collect();
    if let (Some(min), Some(max)) = (template.storage.min_bytes, template.storage.max_bytes) {
        rows.push((w.col_storage.to_owned(), range(&bytes(l, min), &bytes(l, max))));
    }
    if let (Some(min), Some(max)) = (template.idle.min_timeout_minutes, template.idle.max_timeout_minutes) {
        rows.push((w.idle_title.to_owned(), range(&min.to_string(), &format!("{max} {}", w.minutes))));
    }
    rows
}

#[component]
fn Tile(template: Template) -> AnyView {
    let l = language();
    let defaults = [
        template.default_resources.cpu_millis.map(|c| format!("{} vCPU", cores(l, c))),
        template.default_resources.memory_bytes.map(|b| bytes(l, b)),
        template.default_resources.accelerator.as_ref().map(|a| format!("{} × {}", a.count, a.resource)),
        template.storage.default_bytes.map(|b| bytes(l, b)),
    ];
    let defaults = defaults.into_iter().flatten().collect::<Vec<_>>().join(" · ");
    let rows = bounds(&template);
    let unbounded = rows.is_empty();
    let link = routes::create_from(&template.cluster, &template.namespace, &template.name);
    view! {
        <article class="card tile">
            <div>
                <h2>{template.display_name.clone()}</h2>
                <p class="muted mono">{format!("{} / {}", template.namespace, template.name)}</p>
            </div>
            <div>
                {template.is_default.then(|| view! { <span class="chip">{say(|w| w.recommended)}</span>" " })}
                {template.is_system.then(|| view! { <span class="chip">{say(|w| w.system_template)}</span>" " })}
                <span class="chip">{template.app_type.clone().unwrap_or_default()}</span>" "
                <span class="chip">{template.cluster.clone()}</span>
            </div>
            {template.description.clone().map(|text| view! { <p>{text}</p> })}
            <p class="nums">{defaults}</p>
            <p class="mono muted truncate">{template.default_image.clone()}</p>
            <h3>{say(|w| w.bounds)}</h3>
            {unbounded.then(|| view! { <p class="muted">{say(|w| w.no_bounds)}</p> })}
            <dl class="facts">
                {rows.into_iter().map(|(label, value)| view! { <dt class="mono">{label}</dt><dd class="nums">{value}</dd> }).collect_view()}
            </dl>
            <div><a class="button" href=link>{say(|w| w.use_template)}</a></div>
        </article>
    }
    .into_any()
}
