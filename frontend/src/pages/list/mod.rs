//! The Spaces list: one live table over all clusters, its filter and order in the address.

mod columns;
mod filters;
mod row;
mod table;

use crate::live::{Collection, Link};
use crate::model::listing::{Listing, SortKey};
use crate::pages::{actions, clusters_of};
use crate::routes;
use crate::state::address::Address;
use crate::state::confirm::{Confirm, Question};
use crate::state::derive::remembered;
use crate::state::session::Session;
use crate::ui::banner::Banner;
use crate::ui::icon::Icon;
use crate::ui::states::{Empty, Skeleton};
use crate::words::{codes, fill, language, say};
use leptos::prelude::*;
use shared::space::status::{SpaceStatus, Tone};
use shared::space::{Action, SpaceRow};
use std::collections::BTreeSet;

/// What the parts of the page share.
#[derive(Clone, Copy)]
pub struct ListState {
    pub listing: Memo<Listing>,
    /// Ids in order.
    pub shown: Memo<Vec<String>>,
    pub selected: RwSignal<BTreeSet<String>>,
    /// The search as typed: it filters at once, and reaches the address a moment later.
    pub search: RwSignal<String>,
}

fn status_of(id: &str) -> Option<SpaceStatus> {
    serde_json::from_value(serde_json::Value::String(id.to_owned()))
        .ok()
        .filter(|s| *s != SpaceStatus::Unknown)
}

/// Reads the address. Unknown values are passed over.
fn read_listing(get: impl Fn(&str) -> Option<String>, search: String, mine: Vec<String>) -> Listing {
    let sort = get("sort").unwrap_or_default();
    let key = SortKey::of_id(sort.trim_start_matches('-'));
    Listing {
        search,
        status: get("status").and_then(|s| status_of(&s)),
        namespace: get("namespace"),
        cluster: get("cluster"),
        owners: get("mine").map(|_| mine),
        sort: key.unwrap_or_default(),
        descending: key.is_some() && sort.starts_with('-'),
    }
}

#[component]
pub fn ListPage() -> AnyView {
    let collection = expect_context::<Collection>();
    let session = expect_context::<Session>();
    let address = expect_context::<Address>();
    let search = RwSignal::new(untrack(|| address.query("q")).unwrap_or_default());
    let listing = remembered(move || {
        let mine = session.me.with(|me| {
            me.iter().flat_map(|m| m.clusters.iter().filter_map(|c| c.username.clone())).collect()
        });
        read_listing(|key| address.query(key), search.get(), mine)
    });
    let shown = remembered(move || {
        collection.version.track();
        listing.with(|l| collection.arrange(|row| l.matches(row), |a, b| l.compare(a, b)))
    });
    let state = ListState { listing, shown, selected: RwSignal::new(BTreeSet::new()), search };
    let first = move || clusters_of(session).into_iter().next().unwrap_or_default();
    view! {
        <div class="head">
            <h1 class="grow" tabindex="-1">{say(|w| w.spaces)}</h1>
            <a class="button primary" href=move || routes::create(&listing.with(|l| l.cluster.clone()).unwrap_or_else(first))>
                <Icon name="plus"/>{say(|w| w.create_space)}
            </a>
        </div>
        <Partial/>
        <section class="card">
            <filters::Filters state/>
            <Bulk state/>
            <Body state/>
        </section>
    }
    .into_any()
}

/// Loading, denied, empty, filtered to nothing, or rows: five different things.
#[component]
fn Body(state: ListState) -> AnyView {
    #[derive(PartialEq, Clone, Copy)]
    enum Stage {
        Loading,
        Unreachable,
        Denied,
        Empty,
        NoMatch,
        Rows,
    }
    let collection = expect_context::<Collection>();
    let link = expect_context::<RwSignal<Link>>();
    let stage = remembered(move || {
        collection.version.track();
        if state.shown.with(|ids| !ids.is_empty()) {
            return Stage::Rows;
        }
        collection.clusters.with(|all| {
            if all.is_empty() || all.values().any(|c| !c.loaded) {
                // Nothing was ever heard: unknown is not empty.
                if matches!(link.get(), Link::Reconnecting(_)) { Stage::Unreachable } else { Stage::Loading }
            } else if collection.count() > 0 {
                Stage::NoMatch
            } else if all.values().all(|c| c.denied.is_some()) {
                Stage::Denied
            } else {
                Stage::Empty
            }
        })
    });
    let session = expect_context::<Session>();
    (move || match stage.get() {
        Stage::Loading => view! { <div class="body" style:padding="16px"><Skeleton rows=8/></div> }.into_any(),
        Stage::Unreachable => {
            view! { <Empty title=say(|w| w.offline_title) text=say(|w| w.offline_first)/> }.into_any()
        }
        Stage::Denied => view! { <Empty title=say(|w| w.denied_title) text=say(|w| w.denied_text)/> }.into_any(),
        Stage::Empty => {
            let cluster = clusters_of(session).into_iter().next().unwrap_or_default();
            view! {
                <Empty title=say(|w| w.empty_title) text=say(|w| w.empty_text)>
                    <a class="button primary" href=routes::create(&cluster)>{say(|w| w.create_space)}</a>
                </Empty>
            }
            .into_any()
        }
        Stage::NoMatch => view! {
            <Empty title=say(|w| w.nothing_matches) text=say(|w| w.search)>
                <a class="button" href=routes::spaces() on:click=move |_| state.search.set(String::new())>{say(|w| w.clear_filters)}</a>
            </Empty>
        }
        .into_any(),
        Stage::Rows => view! { <table::Table state/> }.into_any(),
    })
    .into_any()
}

/// Clusters of the person whose Spaces are not in the list: refused, or not heard of yet while others were.
#[component]
fn Partial() -> AnyView {
    let collection = expect_context::<Collection>();
    let session = expect_context::<Session>();
    let missing = remembered(move || {
        session.me.track();
        let names = clusters_of(session);
        collection.clusters.with(|all| {
            let heard = |name: &String| all.get(name).is_some_and(|c| c.loaded && c.denied.is_none());
            let (shown, missing): (Vec<String>, Vec<String>) = names.into_iter().partition(heard);
            if shown.is_empty() { Vec::new() } else { missing }
        })
    });
    (move || {
        let names = missing.get();
        (!names.is_empty()).then(|| {
            let text = fill(language().words().partial, &[("clusters", &names.join(", "))]);
            view! { <div class="notices"><Banner tone=Tone::Attention><p>{text}</p></Banner></div> }
        })
    })
    .into_any()
}

/// The bar over the table while rows are selected: each action with those it leaves out, and why.
#[component]
fn Bulk(state: ListState) -> AnyView {
    let collection = expect_context::<Collection>();
    let confirm = expect_context::<Confirm>();
    let owner = Owner::current();
    let ask = move |action: Action| {
        let chosen = state.selected.get_untracked();
        let mut rows = collection.collect(|row| chosen.contains(&row.id));
        rows.sort_by(|a, b| a.name.cmp(&b.name));
        let split = || split_by_decision(rows.clone(), action);
        let (spaces, left_out) = owner.as_ref().map_or_else(split, |owner| owner.with(split));
        confirm.0.set(Some(Question { action, spaces, left_out }));
    };
    let ask = StoredValue::new(ask);
    (move || {
        let count = state.selected.with(BTreeSet::len);
        (count > 0).then(|| {
            view! {
                <div class="bulk" role="toolbar">
                    <strong>{fill(language().words().selected, &[("n", &count.to_string())])}</strong>
                    {[Action::Start, Action::Stop, Action::Delete].map(|action| view! {
                        <button type="button" class="button" on:click=move |_| ask.with_value(|ask| ask(action))>
                            <Icon name=actions::icon(action)/>{codes::action(language(), action)}
                        </button>
                    }).collect_view()}
                    <button type="button" class="button plain" on:click=move |_| state.selected.update(BTreeSet::clear)>
                        {say(|w| w.clear_selection)}
                    </button>
                </div>
            }
        })
    })
    .into_any()
}

/// Those the action applies to, and the others with the reason.
fn split_by_decision(rows: Vec<SpaceRow>, action: Action) -> (Vec<SpaceRow>, Vec<(SpaceRow, String)>) {
    let (mut applies, mut left_out) = (Vec::new(), Vec::new());
    for row in rows {
        let decision = untrack(|| actions::decide_now(&row, action));
        match decision.reason {
            Some(denial) if !decision.allowed => {
                let why = untrack(|| codes::denial(language(), &denial));
                left_out.push((row, why));
            }
            _ => applies.push(row),
        }
    }
    (applies, left_out)
}
