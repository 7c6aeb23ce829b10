//! One row: reads its own signal, so that a change repaints its cells and nothing else.

use super::ListState;
use super::columns::{Column, cell};
use super::table::Walk;
use crate::live::Collection;
use crate::pages::actions::{self, decision, refusal};
use crate::routes;
use crate::state::derive::{derived, remembered};
use crate::ui::age::Age;
use crate::ui::badge::StatusBadge;
use crate::ui::icon::Icon;
use crate::ui::menu::{Menu, MenuItem};
use crate::words::{codes, fill, language};
use leptos::prelude::*;
use shared::space::{Action, SpaceRow};

#[component]
pub fn Row(id: String, walk: Walk, state: ListState, columns: Memo<Vec<Column>>) -> AnyView {
    let collection = expect_context::<Collection>();
    let Some(signal) = collection.row(&id) else { return ().into_any() };
    let row: Signal<SpaceRow> = derived(move || signal.get());
    let id = StoredValue::new(id);
    let chosen = remembered(move || state.selected.with(|s| id.with_value(|id| s.contains(id))));
    let name = remembered(move || row.with(|r| r.name.clone()));
    let display = remembered(move || row.with(|r| r.display_name.clone()));
    let odd = remembered(move || row.with(|r| !r.oddities.is_empty()));
    // The heading is row 1.
    let place = remembered(move || walk.places.with(|all| id.with_value(|id| all.get(id).map(|i| i + 2))));
    let is_stop = remembered(move || walk.stop.with(|stop| id.with_value(|id| stop.as_ref() == Some(id))));
    let select = move |on: bool| {
        state.selected.update(|s| {
            if on {
                s.insert(id.get_value());
            } else {
                s.remove(&id.get_value());
            }
        });
    };
    view! {
        <tr tabindex=move || if is_stop.get() { "0" } else { "-1" } aria-rowindex=move || place.get()
            aria-selected=move || chosen.get().to_string() on:focusin=move |_| walk.cursor.set(Some(id.get_value()))>
            <td><input type="checkbox" tabindex="-1" prop:checked=move || chosen.get()
                aria-label=move || fill(language().words().select_row, &[("name", &name.get())])
                on:change=move |e| select(event_target_checked(&e))/></td>
            <td>
                <a class="name" tabindex="-1" href=move || row.with(routes::space)>{name}</a>
                {move || odd.get().then(|| view! { " "<span class="tone-attention" style:color="var(--t)"><Icon name="alert"/></span> })}
                <span class="sub truncate">{move || (display.get() != name.get()).then(|| display.get())}</span>
            </td>
            {move || columns.get().into_iter().map(|column| view! { <Cell row column/> }).collect_view()}
            <td class="do"><OpenButton row name/><RowMenu row name/></td>
        </tr>
    }
    .into_any()
}

#[component]
fn Cell(row: Signal<SpaceRow>, column: Column) -> AnyView {
    match column.id {
        "status" => view! { <StatusCell row/> }.into_any(),
        "age" => view! { <td><Age at=derived(move || row.with(|r| r.created_at))/></td> }.into_any(),
        id => {
            let text = remembered(move || row.with(|r| cell(language(), r, id)));
            let class = if column.numeric { "num" } else { "" };
            view! { <td class=class title=move || text.get()>{text}</td> }.into_any()
        }
    }
}

/// Flashes once when the status really changed, not when the row scrolls into view.
#[component]
fn StatusCell(row: Signal<SpaceRow>) -> AnyView {
    let status = remembered(move || row.with(|r| r.status));
    let why =
        remembered(move || row.with(|r| r.reason.as_ref().map(|reason| codes::reason(language(), reason))));
    let changed = RwSignal::new(false);
    Effect::new(move |before: Option<_>| {
        let now = status.get();
        if before.is_some_and(|old| old != now) {
            changed.set(true);
        }
        now
    });
    view! {
        <td class="state-cell" class:flash=move || changed.get() on:animationend=move |_| changed.set(false) title=move || why.get()>
            <StatusBadge status=status.into()/>
            {move || why.get().map(|text| view! { <span class="why">{text}</span> })}
        </td>
    }
    .into_any()
}

/// The most frequent action without a menu; only where it would work.
#[component]
fn OpenButton(row: Signal<SpaceRow>, name: Memo<String>) -> AnyView {
    let performer = actions::performer();
    let decision = decision(row, Action::Open);
    let allowed = remembered(move || decision.with(|d| d.allowed));
    let label = move || format!("{}: {}", codes::action(language(), Action::Open), name.get());
    (move || {
        allowed.get().then(|| {
            view! {
                <button type="button" class="button plain square" tabindex="-1" aria-label=label title=label
                    on:click=move |_| performer.perform(Action::Open, row.get_untracked())><Icon name="open"/></button>
            }
        })
    })
    .into_any()
}

#[component]
fn RowMenu(row: Signal<SpaceRow>, name: Memo<String>) -> AnyView {
    let label = derived(move || fill(language().words().actions_for, &[("name", &name.get())]));
    view! {
        <Menu label=label face=ViewFn::from(|| view! { <Icon name="more"/> })>
            {[Action::Open, Action::OpenRemote, Action::Start, Action::Stop, Action::Edit, Action::Delete].map(|action| view! {
                <Entry row action/>
            }).collect_view()}
        </Menu>
    }
    .into_any()
}

#[component]
fn Entry(row: Signal<SpaceRow>, action: Action) -> AnyView {
    let performer = actions::performer();
    let disabled = refusal(decision(row, action));
    let click = Callback::new(move |()| performer.perform(action, row.get_untracked()));
    view! {
        <MenuItem icon=actions::icon(action) word=derived(move || codes::action(language(), action).to_owned())
            disabled=disabled on_click=click/>
    }
    .into_any()
}
