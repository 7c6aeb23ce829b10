//! What can be done with Spaces, one by one or many at once: decisions, buttons, the dialog that asks before, the results.

use crate::api;
use crate::live::{Collection, Link};
use crate::pages::open::open_in_tab;
use crate::routes;
use crate::state::address::Address;
use crate::state::confirm::{Confirm, Question};
use crate::state::derive::{derived, remembered, watch};
use crate::state::session::Session;
use crate::state::toasts::Toasts;
use crate::ui::button::Button;
use crate::ui::copy::CopyBlock;
use crate::ui::dialog::Dialog;
use crate::ui::icon::Icon;
use crate::ui::states::FailureText;
use crate::words::{Language, codes, fill, language, say};
use futures::future::join_all;
use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::error::Layer;
use shared::space::actions::{DenialCode, decide};
use shared::space::status::Tone;
use shared::space::{Action, Connection, Decision, DesiredStatus, SpaceRow};

pub const fn icon(action: Action) -> &'static str {
    match action {
        Action::Start => "play",
        Action::Stop => "stop",
        Action::Open => "open",
        Action::OpenRemote => "ide",
        Action::Edit => "edit",
        Action::Delete => "trash",
    }
}

/// Reactive: whether the person may do this now. While the cluster cannot be reached nothing may be done.
pub fn decide_now(row: &SpaceRow, action: Action) -> Decision {
    let collection = expect_context::<Collection>();
    let link = expect_context::<RwSignal<Link>>();
    if collection.is_stale(&row.cluster) || matches!(link.get(), Link::Reconnecting(_)) {
        return Decision::deny(DenialCode::Unreachable, Layer::Cluster, &row.cluster);
    }
    let access = collection.access(&row.cluster, &row.namespace);
    let session = expect_context::<Session>();
    session.me.with(|me| {
        me.as_ref().map_or_else(
            || Decision::deny(DenialCode::Unreachable, Layer::Cluster, &row.cluster),
            |me| decide(row, &access, me, action),
        )
    })
}

pub fn decision(row: Signal<SpaceRow>, action: Action) -> Signal<Decision> {
    let owner = Owner::current();
    derived(move || {
        let judge = || row.with(|row| decide_now(row, action));
        owner.as_ref().map_or_else(judge, |owner| owner.with(judge))
    })
}

pub fn refusal(decision: Signal<Decision>) -> Signal<Option<String>> {
    derived(move || {
        decision.with(|d| {
            (!d.allowed).then(|| d.reason.as_ref().map_or(String::new(), |r| codes::denial(language(), r)))
        })
    })
}

/// Does what was clicked. Captured in a component's body, used in its callbacks.
#[derive(Clone, Copy)]
pub struct Performer {
    confirm: Confirm,
    remote: Remote,
    address: Address,
}

pub fn performer() -> Performer {
    Performer {
        confirm: expect_context::<Confirm>(),
        remote: expect_context::<Remote>(),
        address: expect_context::<Address>(),
    }
}

impl Performer {
    /// Opens at once, asks first for everything that costs something.
    pub fn perform(self, action: Action, row: SpaceRow) {
        match action {
            Action::Open => {
                open_in_tab(&row.cluster, &row.namespace, &row.name);
            }
            Action::OpenRemote => self.remote.0.set(Some(row)),
            Action::Edit => self.address.go(&routes::edit(&row)),
            Action::Start | Action::Stop | Action::Delete => {
                self.confirm.0.set(Some(Question { action, spaces: vec![row], left_out: Vec::new() }));
            }
        }
    }
}

/// The buttons at the head of a Space's page. Only what the access strategy offers has a button.
#[component]
pub fn ActionBar(row: Signal<SpaceRow>) -> AnyView {
    let performer = performer();
    let offered = remembered(move || {
        row.with(|row| {
            let has = |wanted: fn(&str) -> bool| row.connection_types.iter().any(|t| wanted(t));
            let stopped = row.desired_status == DesiredStatus::Stopped;
            [
                (Action::Open, has(|t| t == "web-ui"), "primary"),
                (Action::OpenRemote, has(|t| t.ends_with("-remote")), ""),
                (Action::Start, stopped, ""),
                (Action::Stop, !stopped, ""),
                (Action::Edit, true, ""),
                (Action::Delete, true, "danger"),
            ]
        })
    });
    view! {
        <div class="tools">
            {move || offered.get().into_iter().filter(|(_, offered, _)| *offered).map(|(action, _, kind)| {
                let disabled = refusal(decision(row, action));
                let click = Callback::new(move |()| performer.perform(action, row.get_untracked()));
                view! {
                    <Button kind=kind disabled=disabled on_click=click>
                        <Icon name=icon(action)/>{move || codes::action(language(), action)}
                    </Button>
                }
            }).collect_view()}
        </div>
    }
    .into_any()
}

/// The Space whose IDE links are shown.
#[derive(Clone, Copy)]
pub struct Remote(pub RwSignal<Option<SpaceRow>>);

/// What happened to one Space of a question.
#[derive(Clone)]
struct Attempt {
    row: SpaceRow,
    answer: api::Answer<()>,
}

async fn carry_out(action: Action, row: SpaceRow) -> Attempt {
    let answer = match action {
        Action::Start => api::switch(&row, "start").await,
        Action::Stop => api::switch(&row, "stop").await,
        Action::Delete => api::delete(&row).await,
        Action::Open | Action::OpenRemote | Action::Edit => Ok(()),
    };
    Attempt { row, answer }
}

/// Names one Space, counts several.
fn title(l: Language, question: &Question) -> String {
    let w = l.words();
    let (one, many) = match question.action {
        Action::Start => (w.start_one, w.start_many),
        Action::Stop => (w.stop_one, w.stop_many),
        _ => (w.delete_one, w.delete_many),
    };
    match question.spaces.as_slice() {
        [row] => fill(one, &[("name", &row.name)]),
        rows => fill(many, &[("n", &rows.len().to_string())]),
    }
}

fn consequence(l: Language, action: Action) -> &'static str {
    let w = l.words();
    match action {
        Action::Start => w.start_text,
        Action::Stop => w.stop_text,
        _ => w.delete_text,
    }
}

/// The dialog of the whole application: names, consequences, typed confirmation for data, and the result of each.
#[component]
pub fn ConfirmDialog() -> AnyView {
    let Confirm(question) = expect_context::<Confirm>();
    let open = RwSignal::new(false);
    let shown = RwSignal::new(None::<Question>);
    watch(move || {
        if let Some(asked) = question.get() {
            shown.set(Some(asked));
            open.set(true);
        }
    });
    watch(move || {
        if !open.get() && question.with_untracked(Option::is_some) {
            question.set(None);
        }
    });
    let heading = derived(move || shown.with(|q| q.as_ref().map_or(String::new(), |q| title(language(), q))));
    view! {
        <Dialog open title=heading>
            {move || shown.get().map(|question| view! { <Ask question open/> })}
        </Dialog>
    }
    .into_any()
}

#[component]
fn Ask(question: Question, open: RwSignal<bool>) -> AnyView {
    let toasts = expect_context::<Toasts>();
    let action = question.action;
    let typed = RwSignal::new(String::new());
    let sending = RwSignal::new(false);
    let refused = RwSignal::new(Vec::<Attempt>::new());
    let word = question.spaces.first().map_or(String::new(), |row| row.name.clone());
    let needed = word.clone();
    let blocked = derived(move || {
        let w = language().words();
        if sending.get() {
            return Some(w.in_progress.to_owned());
        }
        (action == Action::Delete && typed.get() != needed)
            .then(|| fill(w.delete_confirm, &[("word", &needed)]))
    });
    let rows = question.spaces.clone();
    let go = Callback::new(move |()| {
        let rows = rows.clone();
        sending.set(true);
        spawn_local(async move {
            let total = rows.len();
            let results = join_all(rows.into_iter().map(|row| carry_out(action, row))).await;
            let failed: Vec<Attempt> = results.into_iter().filter(|r| r.answer.is_err()).collect();
            let accepted = total - failed.len();
            let _ = sending.try_set(false);
            if failed.is_empty() {
                let _ = open.try_set(false);
            }
            if total > 1 {
                let text = fill(
                    untrack(language).words().results,
                    &[("ok", &accepted.to_string()), ("n", &total.to_string())],
                );
                toasts.show(if failed.is_empty() { Tone::Good } else { Tone::Attention }, text);
            }
            let _ = refused.try_set(failed);
        });
    });
    let kind = if action == Action::Delete { "danger solid" } else { "primary" };
    let nobody = question.spaces.is_empty();
    view! {
        <p>{move || consequence(language(), action)}</p>
        <ul class="names">
            {question.spaces.iter().map(|row| view! {
                <li><strong>{row.name.clone()}</strong>" "<span class="muted">{row.namespace.clone()}</span></li>
            }).collect_view()}
        </ul>
        {(!question.left_out.is_empty()).then(|| view! {
            <div>
                <h3>{say(|w| w.skipped_title)}</h3>
                <ul class="names">{question.left_out.iter().map(|(row, why)| view! {
                    <li><strong>{row.name.clone()}</strong>" "<span class="muted">{why.clone()}</span></li>
                }).collect_view()}</ul>
            </div>
        })}
        {(action == Action::Delete).then(|| view! {
            <div class="field">
                <label for="confirm-word">{move || fill(language().words().delete_confirm, &[("word", &word)])}</label>
                <input class="input" id="confirm-word" autocomplete="off" prop:value=move || typed.get()
                    on:input=move |e| typed.set(event_target_value(&e))/>
            </div>
        })}
        {move || refused.get().into_iter().filter_map(|r| r.answer.err().map(|failure| view! {
            <div class="banner tone-bad" role="alert"><Icon name="alert"/><div class="grow">
                <p><strong>{r.row.name}</strong></p><FailureText failure/>
            </div></div>
        })).collect_view()}
        <div class="foot">
            <button type="button" class="button" autofocus=true on:click=move |_| open.set(false)>{say(|w| w.cancel)}</button>
            <Button kind=kind disabled=derived(move || blocked.get().or_else(|| nobody.then(String::new))) on_click=go>
                {move || codes::action(language(), action)}
            </Button>
        </div>
    }
    .into_any()
}

/// IDE links: what is needed on one's own machine, then a link minted on request.
#[component]
pub fn RemoteDialog() -> AnyView {
    let Remote(chosen) = expect_context::<Remote>();
    let open = RwSignal::new(false);
    watch(move || open.set(chosen.with(Option::is_some)));
    watch(move || {
        // Only a change may be written back, or the two effects would wake each other for ever.
        if !open.get() && chosen.with_untracked(Option::is_some) {
            chosen.set(None);
        }
    });
    view! {
        <Dialog open title=derived(move || say(|w| w.open_ide_title)().to_owned())>
            {move || chosen.get().map(|row| view! { <RemoteLinks row/> })}
            <div class="foot">
                <button type="button" class="button" autofocus=true on:click=move |_| open.set(false)>{say(|w| w.close)}</button>
            </div>
        </Dialog>
    }
    .into_any()
}

fn ide_name(kind: &str) -> String {
    match kind {
        "vscode-remote" => "VS Code".to_owned(),
        "kiro-remote" => "Kiro".to_owned(),
        "cursor-remote" => "Cursor".to_owned(),
        other => other.trim_end_matches("-remote").to_owned(),
    }
}

#[component]
fn RemoteLinks(row: SpaceRow) -> AnyView {
    let minted = RwSignal::new(None::<api::Answer<Connection>>);
    let kinds: Vec<String> =
        row.connection_types.iter().filter(|t| t.ends_with("-remote")).cloned().collect();
    let row = StoredValue::new(row);
    let free = derived(|| None);
    view! {
        <p>{say(|w| w.open_ide_needs)}</p>
        <div class="head">
            {kinds.into_iter().map(|kind| {
                let name = ide_name(&kind);
                let mint = Callback::new(move |()| {
                    let (row, kind) = (row.get_value(), kind.clone());
                    spawn_local(async move {
                        let answer = api::connect(&row.cluster, &row.namespace, &row.name, &kind).await;
                        let _ = minted.try_set(Some(answer));
                    });
                });
                view! { <Button kind="" disabled=free on_click=mint><Icon name="ide"/>{name}</Button> }
            }).collect_view()}
        </div>
        {move || minted.get().map(|answer| match answer {
            Ok(connection) => {
                let url = connection.url.clone();
                view! {
                    <p class="muted">{say(|w| w.open_ide_secret)}</p>
                    <a class="button primary" rel="noopener noreferrer" href=is_ide(&connection.url).then(|| connection.url.clone())>
                        <Icon name="open"/>{codes::action(language(), Action::OpenRemote)}
                    </a>
                    <CopyBlock text=derived(move || url.clone())/>
                }.into_any()
            }
            Err(failure) => view! { <FailureText failure/> }.into_any(),
        })}
    }
    .into_any()
}

/// Only schemes of known IDEs become a link; anything else is text.
fn is_ide(url: &str) -> bool {
    ["vscode://", "kiro://", "cursor://"].iter().any(|scheme| url.starts_with(scheme))
}
