//! The side of the form: verdict, the cluster's answer, differences from the template, the same request for other tools.

use super::Form;
use super::checks::Outcome as Checked;
use crate::routes;
use crate::state::derive::{derived, remembered};
use crate::ui::copy::CopyBlock;
use crate::ui::icon::Icon;
use crate::ui::states::FailureText;
use crate::words::{codes, fill, language, say};
use leptos::prelude::*;
use shared::quantity::{format_bytes, format_cpu};
use shared::space::verdict::{Need, Outcome, Suggestion, judge};
use shared::space::{copy, prefill};
use shared::template::Template;

#[component]
pub fn Side(form: Form) -> AnyView {
    view! {
        <section class="card" aria-live="polite">
            <header><h2>{say(|w| w.summary)}</h2></header>
            <div class="body stack">
                <VerdictStrip form/>
                <ClusterAnswer form/>
                <Differences form/>
            </div>
        </section>
        <CopyAs form/>
    }
    .into_any()
}

#[component]
fn VerdictStrip(form: Form) -> AnyView {
    let verdict = remembered(move || {
        form.template.with(|t| {
            form.request.with(|(request, _)| {
                form.options.with(|o| {
                    let nodes = o.as_ref().and_then(|o| o.nodes.as_deref()).unwrap_or_default();
                    judge(&Need::of(request, t.as_ref()), nodes)
                })
            })
        })
    });
    (move || {
        let (l, verdict) = (language(), verdict.get());
        let words = l.words();
        let (tone, icon, word) = match verdict.outcome {
            Outcome::StartsNow => ("tone-good", "check", words.verdict_now),
            Outcome::WillWait => ("tone-waiting", "clock", words.verdict_wait),
            Outcome::CanNeverStart => ("tone-bad", "alert", words.verdict_never),
            Outcome::Unknown => ("tone-quiet", "alert", words.verdict_unknown),
        };
        let why = match (&verdict.reason, verdict.outcome) {
            (Some(reason), _) => Some(codes::reason(l, reason)),
            (None, Outcome::Unknown) => Some(words.verdict_unknown_why.to_owned()),
            (None, _) => None,
        };
        let numbers = verdict.reason.map(|r| {
            r.params.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(" · ")
        });
        let suggestion = verdict.suggestion.map(|s| change(form, s));
        view! {
            <div class=format!("verdict {tone}")>
                <strong><Icon name=icon/>{word}</strong>
                {why.map(|text| view! { <p>{text}</p> })}
                {numbers.filter(|n| !n.is_empty()).map(|text| view! { <p class="muted nums">{text}</p> })}
                {suggestion}
            </div>
        }
    })
    .into_any()
}

#[component]
fn ClusterAnswer(form: Form) -> AnyView {
    (move || {
        let words = language().words();
        let (request, errors) = form.request.get();
        if !errors.is_empty() {
            return None;
        }
        Some(match form.checks.outcome(&request) {
            None => view! { <p class="muted">{words.checking}</p> }.into_any(),
            Some(Checked::Accepted { warnings }) => view! {
                <p class="muted"><Icon name="check"/>" "{words.checked}</p>
                {warnings.into_iter().map(|w| view! { <p>{w}</p> }).collect_view()}
            }
            .into_any(),
            Some(Checked::Refused { failure, .. }) => view! {
                <div class="verdict tone-bad">
                    <strong><Icon name="alert"/>{words.check_failed}</strong>
                    {failure.map(|failure| view! { <FailureText failure/> })}
                </div>
            }
            .into_any(),
        })
    })
    .into_any()
}

/// The smallest change that helps, one click away. Called where the language is tracked.
fn change(form: Form, suggestion: Suggestion) -> AnyView {
    let Suggestion { path, value } = suggestion;
    let shown = value.clone();
    let label = match path.as_str() {
        "resources.cpuMillis" => language().words().col_cpu,
        "resources.memoryBytes" => language().words().col_memory,
        "resources.instanceType" => language().words().instance_type,
        _ => language().words().count,
    };
    let amount = match (path.as_str(), shown.parse::<i64>()) {
        ("resources.cpuMillis", Ok(millis)) => format_cpu(millis),
        ("resources.memoryBytes", Ok(bytes)) => format_bytes(bytes),
        _ => shown,
    };
    let text = fill(language().words().verdict_suggest, &[("path", label), ("value", &amount)]);
    view! {
        <p>{text}</p>
        <div><button type="button" class="button" on:click=move |_| form.draft.update(|d| d.take_suggestion(&path, &value))>
            {say(|w| w.apply)}
        </button></div>
    }
    .into_any()
}

/// Label, the template's value, the chosen value.
fn differences(form: Form, template: &Template) -> Vec<(&'static str, String, String)> {
    let w = language().words();
    let draft = form.draft.get();
    let text = |v: Option<i64>, format: fn(i64) -> String| v.map_or_else(|| w.none.to_owned(), format);
    let defaults = &template.default_resources;
    let accelerator = defaults.accelerator.as_ref().map_or(String::new(), |a| a.resource.clone());
    let rows = [
        (w.col_cpu, text(defaults.cpu_millis, format_cpu), draft.shown_cpu(Some(template))),
        (w.col_memory, text(defaults.memory_bytes, format_bytes), draft.shown_memory(Some(template))),
        (w.accelerator, accelerator, draft.shown_accelerator(Some(template))),
        (
            w.storage_size,
            text(template.storage.default_bytes, format_bytes),
            draft.shown_storage(Some(template)),
        ),
        (
            w.image,
            template.default_image.clone(),
            draft.image.unwrap_or_else(|| template.default_image.clone()),
        ),
    ];
    rows.into_iter().filter(|(_, from, to)| from != to && !(to.is_empty() && *from == w.none)).collect()
}

#[component]
fn Differences(form: Form) -> AnyView {
    (move || {
        let template = form.template.get()?;
        let rows = differences(form, &template);
        let none = rows.is_empty();
        Some(view! {
            <h3>{say(|w| w.differs)}</h3>
            {none.then(|| view! { <p class="muted">{say(|w| w.same_as_template)}</p> })}
            <ul class="changes">
                {rows.into_iter().map(|(label, from, to)| view! {
                    <li><span>{label}</span><span class="nums truncate"><del>{from}</del>{to}</span></li>
                }).collect_view()}
            </ul>
        })
    })
    .into_any()
}

#[component]
fn CopyAs(form: Form) -> AnyView {
    let chosen = RwSignal::new("hyp");
    let text = derived(move || {
        form.request.with(|(request, _)| match chosen.get() {
            "kubectl" => copy::as_kubectl(request, None),
            "curl" => copy::as_curl(request, &form.cluster.get_value(), &routes::origin()),
            "YAML" => copy::as_yaml(request, None),
            "URL" => format!(
                "{}{}?{}",
                routes::origin(),
                routes::create(&form.cluster.get_value()),
                prefill::to_query(request)
            ),
            _ => copy::as_hyp(request, None),
        })
    });
    view! {
        <section class="card">
            <header><h2>{say(|w| w.copy_as)}</h2></header>
            <div class="body stack">
                <div class="tabs" role="tablist">
                    {["hyp", "kubectl", "curl", "YAML", "URL"].map(|kind| view! {
                        <button type="button" role="tab" aria-selected=move || (chosen.get() == kind).to_string()
                            on:click=move |_| chosen.set(kind)>{kind}</button>
                    }).collect_view()}
                </div>
                <CopyBlock text/>
            </div>
        </section>
    }
    .into_any()
}
