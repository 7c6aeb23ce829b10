//! One template, to read: everything it sets, bounds and demands.

use super::{Chips, Limits, limits};
use crate::api::{self, Answer};
use crate::routes::{self, Place};
use crate::ui::states::{Failed, Skeleton};
use crate::words::{Language, Pick, language, say};
use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::space::Sharing;
use shared::template::Template;

#[component]
pub fn TemplatePage(place: Place) -> AnyView {
    let state = RwSignal::new(None::<Answer<Template>>);
    let load = Callback::new(move |()| {
        state.set(None);
        let place = place.clone();
        spawn_local(async move {
            let answer = api::template(&place.cluster, &place.namespace, &place.name).await;
            let _ = state.try_set(Some(answer));
        });
    });
    load.run(());
    (move || match state.get() {
        None => view! { <Skeleton rows=8/> }.into_any(),
        Some(Err(failure)) => view! { <Failed failure on_retry=load/> }.into_any(),
        Some(Ok(template)) => view! { <Body template/> }.into_any(),
    })
    .into_any()
}

#[component]
fn Body(template: Template) -> AnyView {
    let link = routes::create_from(&template.cluster, &template.namespace, &template.name);
    let facts = {
        let template = template.clone();
        move || facts(language(), &template)
    };
    view! {
        <nav class="crumbs" aria-label=say(|w| w.breadcrumb)>
            <a href=routes::templates()>{say(|w| w.templates)}</a><span>"›"</span>
            <span>{template.cluster.clone()}</span><span>"›"</span><span>{template.namespace.clone()}</span>
        </nav>
        <div class="head">
            <div class="grow">
                <h1>{template.display_name.clone()}</h1>
                <p class="muted mono">{template.name.clone()}</p>
            </div>
            <a class="button primary" href=link>{say(|w| w.use_template)}</a>
        </div>
        <div class="detail">
            <section class="card">
                <header><h2>{say(|w| w.facts)}</h2></header>
                <div class="body stack">
                    <Chips template=template.clone()/>
                    {template.description.clone().map(|text| view! { <p>{text}</p> })}
                    <dl class="facts">
                        {move || facts().into_iter().map(|(label, value)| view! {
                            <dt>{say(label)}</dt><dd>{value}</dd>
                        }).collect_view()}
                    </dl>
                </div>
            </section>
            <section class="card">
                <div class="body stack"><Limits template=template.clone()/><Demands template/></div>
            </section>
        </div>
    }
    .into_any()
}

fn facts(l: Language, template: &Template) -> Vec<(Pick, String)> {
    let w = l.words();
    let sharing = |sharing| match sharing {
        Sharing::Public => w.access_public.to_owned(),
        Sharing::OwnerOnly => w.access_owner.to_owned(),
        Sharing::Unknown => w.not_stated.to_owned(),
    };
    let images = match (template.allowed_images.as_slice(), template.allow_custom_images) {
        (_, true) => w.any_image.to_owned(),
        ([], false) => template.default_image.clone(),
        (listed, false) => listed.join(", "),
    };
    let mut ways: Vec<String> =
        template.web_access.filter(|web| *web).map(|_| "web-ui".to_owned()).into_iter().collect();
    ways.extend(template.remote_types.iter().cloned());
    let yes_no = |on: bool| if on { w.yes } else { w.no }.to_owned();
    vec![
        (|w| w.template_defaults, limits::defaults(l, template)),
        (|w| w.image, template.default_image.clone()),
        (|w| w.allowed_images, images),
        (|w| w.storage_class, template.storage.class_name.clone().unwrap_or_else(|| w.not_stated.to_owned())),
        (|w| w.mount_path, template.storage.mount_path.clone().unwrap_or_else(|| w.not_stated.to_owned())),
        (|w| w.shared_volumes, yes_no(template.allow_secondary_storages)),
        (|w| w.who_connects, sharing(template.default_access_type)),
        (|w| w.who_edits, sharing(template.default_ownership_type)),
        (|w| w.idle_title, limits::idle(l, &template.idle).unwrap_or_else(|| w.idle_unset.to_owned())),
        (|w| w.ways_in, if ways.is_empty() { w.not_stated.to_owned() } else { ways.join(", ") }),
    ]
}

/// Variables and labels that a Space of this template must have.
#[component]
fn Demands(template: Template) -> AnyView {
    let demands = [template.env_requirements, template.label_requirements].concat();
    (!demands.is_empty())
        .then(|| {
            view! {
                <h3>{say(|w| w.demands)}</h3>
                <dl class="facts">
                    {demands.into_iter().map(|demand| view! {
                        <dt class="mono">{demand.name}</dt>
                        <dd>
                            {demand.required.then(|| view! { <span class="chip">{say(|w| w.required)}</span>" " })}
                            <code>{demand.pattern.unwrap_or_default()}</code>
                        </dd>
                    }).collect_view()}
                </dl>
            }
        })
        .into_any()
}
