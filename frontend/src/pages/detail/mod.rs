//! One Space: what it does, why, and everything that can be done with it.

mod evidence;
mod facts;
mod idle;
mod logs;
mod timeline;

pub use facts::{accelerator, cost};
pub use idle::idle_text;

use crate::api::{self, Failure};
use crate::live::Collection;
use crate::pages::actions::ActionBar;
use crate::pages::not_found::NotFoundPage;
use crate::routes::{self, Place};
use crate::state::clock::Clock;
use crate::state::derive::{derived, remembered, watch};
use crate::state::session::Session;
use crate::ui::badge::StatusBadge;
use crate::ui::banner::Banner;
use crate::ui::states::{Failed, Skeleton};
use crate::words::{codes, fill, language, say};
use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::space::SpaceRow;
use shared::space::explanation::Explanation;
use shared::space::status::Tone;

/// What the parts of the page share: the row, alive, and the explanation for its present version.
#[derive(Clone, Copy)]
pub struct Shown {
    pub row: Signal<SpaceRow>,
    pub explanation: RwSignal<Option<Result<Explanation, Failure>>>,
}

#[component]
pub fn DetailPage(place: Place) -> AnyView {
    let collection = expect_context::<Collection>();
    let of = place.cluster.clone();
    // The uid of the Space first shown pins the page: an object made again under the name is another Space.
    let found = remembered(move || {
        let row = collection.find(&place.cluster, &place.namespace, &place.name);
        row.map(|row| row.with_untracked(|r| r.id.clone()))
    });
    let loaded = remembered(move || collection.clusters.with(|all| all.get(&of).is_some_and(|c| c.loaded)));
    view! {
        {move || match (found.get(), loaded.get()) {
            (Some(id), _) => match collection.row(&id) {
                Some(row) => view! { <SpaceView row=row/> }.into_any(),
                None => view! { <Skeleton rows=6/> }.into_any(),
            },
            (None, false) => view! { <Skeleton rows=6/> }.into_any(),
            (None, true) => view! { <NotFoundPage/> }.into_any(),
        }}
    }
    .into_any()
}

#[component]
fn SpaceView(row: ArcRwSignal<SpaceRow>) -> AnyView {
    let row: Signal<SpaceRow> = derived(move || row.get());
    let shown = Shown { row, explanation: RwSignal::new(None) };
    follow_explanation(shown);
    let name = remembered(move || row.with(|r| r.name.clone()));
    let status = derived(move || row.with(|r| r.status));
    let clock = expect_context::<Clock>();
    let since = move || {
        let at = row.with(|r| r.status_since)?;
        let time = crate::words::duration(language(), clock.now().seconds_since(at));
        Some(fill(language().words().status_since, &[("time", &time)]))
    };
    let why = move || row.with(|r| r.reason.as_ref().map(|reason| codes::reason(language(), reason)));
    let odd = move || {
        row.with(|r| {
            let paths: Vec<&str> = r.oddities.iter().map(|o| o.path.as_str()).collect();
            (!paths.is_empty()).then(|| fill(language().words().odd_row, &[("paths", &paths.join(", "))]))
        })
    };
    view! {
        <nav class="crumbs" aria-label=say(|w| w.breadcrumb)>
            <a href=routes::spaces()>{say(|w| w.spaces)}</a><span>"›"</span>
            <span>{move || row.with(|r| r.cluster.clone())}</span><span>"›"</span>
            <span>{move || row.with(|r| r.namespace.clone())}</span>
        </nav>
        <div class="head">
            <div class="grow">
                <h1 tabindex="-1" class="truncate">{move || row.with(|r| r.display_name.clone())}</h1>
                <p class="muted mono">{name}</p>
            </div>
            <ActionBar row/>
        </div>
        <div class="notices">
            {move || odd().map(|text| view! { <Banner tone=Tone::Attention><p>{text}</p></Banner> })}
        </div>
        <div class="detail">
            <div class="stack">
                <section class="card">
                    <header>
                        <div class="chips"><StatusBadge status/><span>{why}</span></div>
                        <span class="muted">{since}</span>
                    </header>
                    <div class="body"><timeline::Timeline shown/></div>
                </section>
                <evidence::Evidence shown/>
            </div>
            <div class="stack">
                <facts::Facts row/>
                <facts::Sharing row/>
                <idle::Idle row/>
            </div>
        </div>
    }
    .into_any()
}

/// Asks for the explanation again whenever the row changes; an answer that comes late for an older version is
/// replaced by the next one.
fn follow_explanation(shown: Shown) {
    let session = expect_context::<Session>();
    let version = remembered(move || {
        shown.row.with(|r| (r.resource_version.clone(), r.status, r.reason.clone(), r.id.clone()))
    });
    watch(move || {
        version.track();
        let row = shown.row.get_untracked();
        spawn_local(async move {
            let answer = api::explanation(&row).await;
            if answer.as_ref().err().and_then(Failure::code)
                == Some(shared::error::ErrorCode::Unauthenticated)
            {
                session.expire();
            }
            // The last good explanation stays while the portal is away.
            if answer.is_ok() || shown.explanation.try_with_untracked(Option::is_none) == Some(true) {
                let _ = shown.explanation.try_set(Some(answer));
            }
        });
    });
}

/// A failed part of the page, small.
#[component]
pub fn PartFailed(failure: Failure, on_retry: Callback<()>) -> AnyView {
    view! { <Failed failure on_retry/> }.into_any()
}
