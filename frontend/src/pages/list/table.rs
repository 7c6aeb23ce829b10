//! The table itself: only the rows in view exist, the rest is two spacers of the right height.

use super::ListState;
use super::columns::{COLUMNS, Column};
use super::row::Row;
use crate::model::listing::{SortKey, window};
use crate::state::preferences::Preferences;
use crate::ui::icon::Icon;
use crate::words::say;
use leptos::html;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::query_signal_with_options;
use wasm_bindgen::JsCast;

/// Pixels; the same as `.grid td` in pages.css.
const ROW: f64 = 44.0;
/// Up to here every row is rendered, and the browser's own search finds all.
const PLAIN_LIMIT: usize = 200;

#[component]
pub fn Table(state: ListState) -> AnyView {
    let preferences = expect_context::<Preferences>();
    let pane = NodeRef::<html::Div>::new();
    let scroll = RwSignal::new(0.0);
    let height = RwSignal::new(900.0);
    let total = Memo::new(move |_| state.shown.with(Vec::len));
    let range = Memo::new(move |_| {
        let total = total.get();
        if total <= PLAIN_LIMIT { 0..total } else { window(scroll.get(), height.get(), ROW, total) }
    });
    let columns = Memo::new(move |_| {
        preferences.hidden_columns.with(|hidden| {
            COLUMNS.into_iter().filter(|c| !hidden.iter().any(|h| h == c.id)).collect::<Vec<Column>>()
        })
    });
    let visible = move || {
        let range = range.get();
        state.shown.with(|ids| {
            ids.get(range.clone()).unwrap_or_default().iter().cloned().zip(range).collect::<Vec<_>>()
        })
    };
    let measure = move || {
        if let Some(pane) = pane.get_untracked() {
            scroll.set(f64::from(pane.scroll_top()));
            height.set(f64::from(pane.client_height()));
        }
    };
    Effect::new(move |_| {
        pane.track();
        measure();
    });
    let pad = move |rows: usize| format!("{}px", rows as f64 * ROW);
    view! {
        <div class="grid" node_ref=pane on:scroll=move |_| measure() tabindex="-1">
            <table aria-rowcount=move || total.get() + 1 aria-label=say(|w| w.spaces)>
                <thead><tr aria-rowindex="1">
                    <th><SelectAll state/></th>
                    <HeadCell word=|w| w.col_name sort=Some(SortKey::Name) numeric=false state/>
                    {move || columns.get().into_iter().map(|c| view! {
                        <HeadCell word=c.word sort=c.sort numeric=c.numeric state/>
                    }).collect_view()}
                    <th><span class="hidden-visually">{say(|w| w.col_actions)}</span></th>
                </tr></thead>
                <tbody on:keydown=move_between_rows>
                    <tr class="pad" aria-hidden="true"><td style:height=move || pad(range.get().start)></td></tr>
                    <For each=visible key=|(id, _)| id.clone() let((id, index))>
                        <Row id index state columns/>
                    </For>
                    <tr class="pad" aria-hidden="true"><td style:height=move || pad(total.get().saturating_sub(range.get().end))></td></tr>
                </tbody>
            </table>
        </div>
    }
    .into_any()
}

#[component]
fn SelectAll(state: ListState) -> AnyView {
    let all = Memo::new(move |_| {
        state
            .shown
            .with(|ids| !ids.is_empty() && state.selected.with(|s| ids.iter().all(|id| s.contains(id))))
    });
    view! {
        <input type="checkbox" aria-label=say(|w| w.select_all) prop:checked=move || all.get()
            on:change=move |e| {
                let on = event_target_checked(&e);
                let ids = state.shown.get_untracked();
                state.selected.update(|s| if on { s.extend(ids) } else { s.clear() });
            }/>
    }
    .into_any()
}

#[component]
fn HeadCell(
    word: fn(&'static crate::words::Words) -> &'static str,
    sort: Option<SortKey>,
    numeric: bool,
    state: ListState,
) -> AnyView {
    let options = NavigateOptions { replace: true, scroll: false, ..NavigateOptions::default() };
    let (_, set_sort) = query_signal_with_options::<String>("sort", options);
    let class = if numeric { "num" } else { "" };
    let Some(key) = sort else {
        return view! { <th class=class scope="col">{say(word)}</th> }.into_any();
    };
    let direction = move || state.listing.with(|l| (l.sort == key).then_some(l.descending));
    let aria = move || match direction() {
        Some(true) => "descending",
        Some(false) => "ascending",
        None => "none",
    };
    let turn = move |_| {
        let minus = if direction() == Some(false) { "-" } else { "" };
        set_sort.set(Some(format!("{minus}{}", key.id())));
    };
    view! {
        <th class=class scope="col" aria-sort=aria>
            <button type="button" on:click=turn>
                {say(word)}
                {move || direction().map(|down| view! { <Icon name=if down { "down" } else { "up" }/> })}
            </button>
        </th>
    }
    .into_any()
}

/// Arrow keys move between rows; Enter opens the row's page; Space selects it.
fn move_between_rows(event: leptos::ev::KeyboardEvent) {
    let Some(row) = event.target().and_then(|t| t.dyn_into::<web_sys::HtmlElement>().ok()) else { return };
    if row.tag_name() != "TR" {
        return;
    }
    let next = match event.key().as_str() {
        "ArrowDown" => row.next_element_sibling(),
        "ArrowUp" => row.previous_element_sibling(),
        "Enter" => {
            click(&row, "a");
            return;
        }
        " " => {
            event.prevent_default();
            click(&row, "input[type=checkbox]");
            return;
        }
        _ => return,
    };
    event.prevent_default();
    if let Some(next) = next.and_then(|n| n.dyn_into::<web_sys::HtmlElement>().ok()) {
        // The spacers take no focus, which ends the walk.
        let _ = next.focus();
    }
}

fn click(row: &web_sys::HtmlElement, selector: &str) {
    let found = row.query_selector(selector).ok().flatten();
    if let Some(element) = found.and_then(|e| e.dyn_into::<web_sys::HtmlElement>().ok()) {
        element.click();
    }
}
