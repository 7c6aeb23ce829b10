//! Search, filters and the column chooser.

use super::ListState;
use super::columns::COLUMNS;
use crate::live::Collection;
use crate::state::address::Address;
use crate::state::derive::{derived, remembered};
use crate::state::preferences::Preferences;
use crate::ui::icon::Icon;
use crate::ui::menu::Menu;
use crate::words::{codes, fill, language, number, say};
use leptos::prelude::*;
use shared::space::status::SpaceStatus;
use std::collections::BTreeSet;
use std::time::Duration;

/// Quiet time before the search reaches the address.
const ADDRESS_DELAY: Duration = Duration::from_millis(400);

fn id_of(status: SpaceStatus) -> String {
    serde_json::to_value(status).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}

#[component]
pub fn Filters(state: ListState) -> AnyView {
    let collection = expect_context::<Collection>();
    let address = expect_context::<Address>();
    let status = remembered(move || address.query("status"));
    let namespace = remembered(move || address.query("namespace"));
    let mine = remembered(move || address.query("mine"));
    let serial = StoredValue::new(0u64);
    let type_search = move |text: String| {
        state.search.set(text.clone());
        serial.update_value(|n| *n += 1);
        let mine = serial.get_value();
        set_timeout(
            move || {
                if serial.try_get_value() == Some(mine) {
                    address.set_query("q", Some(text));
                }
            },
            ADDRESS_DELAY,
        );
    };
    let namespaces = remembered(move || {
        collection.clusters.with(|all| {
            all.values().flat_map(|c| c.access.iter().map(|a| a.namespace.clone())).collect::<BTreeSet<_>>()
        })
    });
    let found = move || {
        collection.version.track();
        let l = language();
        let (shown, total) = (state.shown.with(Vec::len), collection.count());
        fill(l.words().found, &[("shown", &number(l, shown as f64)), ("total", &number(l, total as f64))])
    };
    view! {
        <div class="filters" role="search">
            <div class="search">
                <Icon name="search"/>
                <input class="input" type="search" id="search" aria-label=say(|w| w.search) placeholder=say(|w| w.search)
                    prop:value=move || state.search.get() on:input=move |e| type_search(event_target_value(&e))/>
            </div>
            <select class="input" aria-label=say(|w| w.col_status) prop:value=move || status.get().unwrap_or_default()
                on:change=move |e| address.set_query("status", Some(event_target_value(&e)))>
                <option value="">{say(|w| w.filter_status)}</option>
                {move || SpaceStatus::ALL.into_iter().filter(|s| *s != SpaceStatus::Unknown).map(|s| {
                    let id = id_of(s);
                    let selected = status.get_untracked().as_ref() == Some(&id);
                    view! { <option value=id selected=selected>{codes::status(language(), s)}</option> }
                }).collect_view()}
            </select>
            <select class="input" aria-label=say(|w| w.col_namespace) prop:value=move || { namespaces.track(); namespace.get().unwrap_or_default() }
                on:change=move |e| address.set_query("namespace", Some(event_target_value(&e)))>
                <option value="">{say(|w| w.filter_namespace)}</option>
                {move || namespaces.get().into_iter().map(|name| {
                    let selected = namespace.get_untracked().as_ref() == Some(&name);
                    let value = name.clone();
                    view! { <option value=value selected=selected>{name}</option> }
                }).collect_view()}
            </select>
            <label class="check">
                <input type="checkbox" prop:checked=move || mine.get().is_some()
                    on:change=move |e| address.set_query("mine", event_target_checked(&e).then(|| "1".to_owned()))/>
                {say(|w| w.filter_mine)}
            </label>
            <span class="found nums" role="status">{found}</span>
            <ColumnChooser/>
        </div>
    }
    .into_any()
}

#[component]
fn ColumnChooser() -> AnyView {
    let preferences = expect_context::<Preferences>();
    let label = say(|w| w.columns);
    let toggle = move |id: &'static str| {
        preferences.hidden_columns.update(|hidden| match hidden.iter().position(|h| h == id) {
            Some(at) => {
                hidden.remove(at);
            }
            None => hidden.push(id.to_owned()),
        });
    };
    view! {
        <Menu label=derived(move || label().to_owned()) kind="button" face=ViewFn::from(move || view! { <Icon name="template"/>{label} })>
            {COLUMNS.map(|column| view! {
                <button type="button" role="menuitemcheckbox" tabindex="-1"
                    aria-checked=move || (!preferences.hidden_columns.with(|h| h.iter().any(|x| x == column.id))).to_string()
                    on:click=move |event| { event.stop_propagation(); toggle(column.id); }>
                    {move || (!preferences.hidden_columns.with(|h| h.iter().any(|x| x == column.id))).then(|| view! { <Icon name="check"/> })}
                    <span style:grid-column="2">{say(column.word)}</span>
                </button>
            }).collect_view()}
        </Menu>
    }
    .into_any()
}
