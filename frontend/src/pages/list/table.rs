//! The table itself: only the rows in view exist, the rest is two spacers of the right height.

use super::ListState;
use super::columns::{COLUMNS, Column};
use super::row::Row;
use crate::live::Collection;
use crate::model::listing::{SortKey, window};
use crate::state::address::Address;
use crate::state::derive::{remembered, watch};
use crate::state::preferences::Preferences;
use crate::ui::icon::Icon;
use crate::words::{Pick, say};
use leptos::html;
use leptos::prelude::*;
use std::collections::{BTreeSet, HashMap};
use wasm_bindgen::JsCast;

/// Pixels; the same as `.grid td` in pages.css.
const ROW: f64 = 44.0;
/// Up to here every row is rendered, and the browser's own search finds all.
const PLAIN_LIMIT: usize = 200;

/// Where rows stand, and which of them the keyboard is at.
#[derive(Clone, Copy)]
pub struct Walk {
    /// Index in the whole list by id, of the rows that exist.
    pub places: Memo<HashMap<String, usize>>,
    pub stop: Memo<Option<String>>,
    pub cursor: RwSignal<Option<String>>,
}

/// Columns that would say the same in every row.
fn uniform(collection: Collection) -> Vec<&'static str> {
    collection.clusters.with(|all| {
        let namespaces: BTreeSet<&str> =
            all.values().flat_map(|c| c.access.iter().map(|a| a.namespace.as_str())).collect();
        let one_namespace = (namespaces.len() < 2).then_some("namespace");
        let one_cluster = (all.len() < 2).then_some("cluster");
        one_namespace.into_iter().chain(one_cluster).collect()
    })
}

#[component]
pub fn Table(state: ListState) -> AnyView {
    let preferences = expect_context::<Preferences>();
    let pane = NodeRef::<html::Div>::new();
    let scroll = RwSignal::new(0.0);
    let height = RwSignal::new(900.0);
    let total = remembered(move || state.shown.with(Vec::len));
    let range = remembered(move || {
        let total = total.get();
        if total <= PLAIN_LIMIT { 0..total } else { window(scroll.get(), height.get(), ROW, total) }
    });
    let collection = expect_context::<Collection>();
    let uniform = remembered(move || uniform(collection));
    let columns = remembered(move || {
        let uniform = uniform.get();
        preferences.hidden_columns.with(|hidden| {
            let shown = COLUMNS.into_iter().filter(|c| !hidden.iter().any(|h| h == c.id));
            shown.filter(|c| !uniform.contains(&c.id)).collect::<Vec<Column>>()
        })
    });
    let visible = remembered(move || {
        let range = range.get();
        state.shown.with(|ids| ids.get(range).unwrap_or_default().to_vec())
    });
    // Rows outlive a new order, so each asks for its place.
    let places = remembered(move || {
        let first = range.get().start;
        visible.with(|ids| ids.iter().cloned().zip(first..).collect::<HashMap<String, usize>>())
    });
    // One row of the table is a stop of the Tab key: the one last in focus, else the first in sight.
    let cursor = RwSignal::new(None::<String>);
    let stop = remembered(move || {
        visible.with(|ids| cursor.get().filter(|id| ids.contains(id)).or_else(|| ids.first().cloned()))
    });
    let walk = Walk { places, stop, cursor };
    let measure = move || {
        if let Some(pane) = pane.get_untracked() {
            scroll.set(f64::from(pane.scroll_top()));
            height.set(f64::from(pane.client_height()));
        }
    };
    watch(move || {
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
                    <For each=move || visible.get() key=Clone::clone let:id>
                        <Row id walk state columns/>
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
    let all = remembered(move || {
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
fn HeadCell(word: Pick, sort: Option<SortKey>, numeric: bool, state: ListState) -> AnyView {
    let address = expect_context::<Address>();
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
        address.set_query("sort", Some(format!("{minus}{}", key.id())));
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
        "Home" => row.parent_element().and_then(|body| body.query_selector("tr[tabindex]").ok().flatten()),
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
