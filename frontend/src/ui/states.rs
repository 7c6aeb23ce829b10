//! The honest states of anything that is loaded: loading, empty, failed.

use super::button::Button;
use super::icon::Icon;
use crate::api::Failure;
use crate::state::derive::derived;
use crate::words::{codes, fill, language, say};
use leptos::prelude::*;

/// Bones of the final size; invisible for the first 150 ms.
#[component]
pub fn Skeleton(rows: usize) -> AnyView {
    view! {
        <div class="stack" aria-busy="true">
            {(0..rows).map(|i| {
                let width = format!("{}%", 38 + (i * 37) % 55);
                view! { <span class="bone" style:width=width></span> }
            }).collect_view()}
        </div>
    }
    .into_any()
}

#[component]
pub fn Empty(
    title: impl Fn() -> &'static str + Send + Sync + 'static,
    text: impl Fn() -> &'static str + Send + Sync + 'static,
    #[prop(optional)] children: Option<Children>,
) -> AnyView {
    view! {
        <div class="state">
            <Icon name="spaces"/>
            <h2>{title}</h2>
            <p>{text}</p>
            {children.map(|children| children())}
        </div>
    }
    .into_any()
}

/// A failure in words: what, by which layer and rule, and the request id for whoever reads the log.
#[component]
pub fn FailureText(failure: Failure) -> AnyView {
    (move || {
        let l = language();
        let words = l.words();
        match &failure {
            Failure::Unreachable => view! { <p>{words.offline_title}</p> }.into_any(),
            Failure::Refused(detail) => {
                let rule = detail.details.get("rule").cloned();
                let layer = detail.layer.map(|layer| codes::layer(l, layer));
                let by = match (layer, rule) {
                    (Some(layer), Some(rule)) => Some(format!("{layer}: {rule}")),
                    (Some(layer), None) => Some(layer.to_owned()),
                    (None, rule) => rule,
                };
                let fields: Vec<String> =
                    detail.fields.iter().map(|f| format!("{}: {}", f.path, codes::field(l, f))).collect();
                view! {
                    <p>{codes::error(l, detail.code)}</p>
                    {by.map(|by| view! { <p class="muted">{by}</p> })}
                    {fields.into_iter().map(|text| view! { <p>{text}</p> }).collect_view()}
                    <p class="muted mono">{fill(words.request_id, &[("id", &detail.request_id)])}</p>
                }
                .into_any()
            }
        }
    })
    .into_any()
}

#[component]
pub fn Failed(failure: Failure, on_retry: Callback<()>) -> AnyView {
    let free = derived(|| None);
    view! {
        <div class="state" role="alert">
            <Icon name="alert"/>
            <h2>{say(|w| w.failed_title)}</h2>
            <FailureText failure/>
            <Button kind="" disabled=free on_click=on_retry>{say(|w| w.retry)}</Button>
        </div>
    }
    .into_any()
}
