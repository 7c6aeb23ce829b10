//! The start-up as named steps: what is done, what goes on, what holds it, with usual durations as ghosts.

use super::{PartFailed, Shown};
use crate::api;
use crate::state::clock::Clock;
use crate::ui::icon::Icon;
use crate::ui::states::Skeleton;
use crate::words::{codes, duration, fill, language, say};
use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::space::explanation::{Advice, Explanation, Step, StepState};
use shared::time::Timestamp;

#[component]
pub fn Timeline(shown: Shown) -> AnyView {
    let retry = Callback::new(move |()| {
        let row = shown.row.get_untracked();
        spawn_local(async move {
            let _ = shown.explanation.try_set(Some(api::explanation(&row).await));
        });
    });
    (move || match shown.explanation.get() {
        None => view! { <Skeleton rows=5/> }.into_any(),
        Some(Err(failure)) => view! { <PartFailed failure on_retry=retry/> }.into_any(),
        Some(Ok(explanation)) => view! { <Chain explanation/> }.into_any(),
    })
    .into_any()
}

#[component]
fn Chain(explanation: Explanation) -> AnyView {
    let Explanation { steps, advice, .. } = explanation;
    view! {
        <h2 class="hidden-visually">{say(|w| w.startup)}</h2>
        <ol class="timeline">
            {steps.into_iter().map(|step| view! { <StepItem step/> }).collect_view()}
        </ol>
        {(!advice.is_empty()).then(|| view! { <Advices advice/> })}
    }
    .into_any()
}

#[component]
fn Advices(advice: Vec<Advice>) -> AnyView {
    view! {
        <h3>{say(|w| w.what_helps)}</h3>
        <ul class="advice">
            {move || {
                let l = language();
                advice.iter().map(|a| view! { <li><Icon name="chevron"/><span>{codes::advice(l, a)}</span></li> }).collect_view()
            }}
        </ul>
    }
    .into_any()
}

fn look(state: StepState) -> (&'static str, &'static str) {
    match state {
        StepState::Done => ("tone-good", "check"),
        StepState::Active => ("tone-moving", "spinner"),
        StepState::Failed => ("tone-bad", "alert"),
        StepState::Pending | StepState::Skipped => ("tone-quiet", "dot"),
        StepState::Hidden => ("tone-quiet", "lock"),
    }
}

/// How long the step took, goes on, or usually takes.
fn timing(step: &Step, now: Timestamp) -> Option<String> {
    let l = language();
    let words = l.words();
    let text = |template, seconds| fill(template, &[("time", &duration(l, seconds))]);
    match (step.state, step.since, step.ended_at, step.usual_seconds) {
        (StepState::Done, Some(since), Some(end), _) => Some(text(words.took, end.seconds_since(since))),
        (StepState::Active | StepState::Failed, Some(since), ..) => {
            Some(text(words.so_far, now.seconds_since(since)))
        }
        (StepState::Pending | StepState::Active, _, _, Some(usual)) => Some(text(words.usually, usual)),
        _ => None,
    }
}

#[component]
fn StepItem(step: Step) -> AnyView {
    let clock = expect_context::<Clock>();
    let (tone, icon) = look(step.state);
    let for_time = step.clone();
    let for_why = step.clone();
    let progress = match (step.state, step.since, step.usual_seconds) {
        (StepState::Active, Some(since), Some(usual)) if usual > 0 => Some((since, usual)),
        _ => None,
    };
    let why = move || {
        let words = language().words();
        match for_why.state {
            StepState::Hidden => Some(words.step_hidden.to_owned()),
            StepState::Skipped => Some(words.step_skipped.to_owned()),
            _ => for_why.reason.as_ref().map(|reason| codes::reason(language(), reason)),
        }
    };
    let original = step.reason.as_ref().map(|r| r.message.clone()).filter(|m| !m.is_empty());
    view! {
        <li class=tone aria-current=(step.state == StepState::Active).then_some("step")>
            <span class="dot"><Icon name=icon/></span>
            <strong>{move || codes::step(language(), step.id)}</strong>
            <span class="when nums">{move || timing(&for_time, clock.now())}</span>
            {move || why().map(|text| view! { <p class="why">{text}</p> })}
            {original.map(|text| view! { <p class="why mono muted">{text}</p> })}
            {progress.map(|(since, usual)| view! {
                <div class="bar"><i style:width=move || {
                    // Never full before it is done: the usual time is a guess.
                    let share = clock.now().seconds_since(since).max(0) as f64 / usual as f64;
                    format!("{:.0}%", (share * 100.0).min(96.0))
                }></i></div>
            })}
        </li>
    }
    .into_any()
}
