//! What lives as long as the tab, and which page an address shows.

use crate::live::{self, Collection};
use crate::pages::actions::{ConfirmDialog, Remote, RemoteDialog};
use crate::pages::create::CreatePage;
use crate::pages::detail::DetailPage;
use crate::pages::edit::EditPage;
use crate::pages::list::ListPage;
use crate::pages::not_found::NotFoundPage;
use crate::pages::open::OpenPage;
use crate::pages::sign_in::{SignInAgain, SignInPage};
use crate::pages::templates::{TemplatePage, TemplatesPage};
use crate::routes::Page;
use crate::shell::Shell;
use crate::state::address::Address;
use crate::state::clock::Clock;
use crate::state::confirm::Confirm;
use crate::state::derive::remembered;
use crate::state::preferences::Preferences;
use crate::state::session::{Session, Standing};
use crate::state::toasts::Toasts;
use crate::ui::states::{Failed, Skeleton};
use leptos::prelude::*;
use leptos::task::spawn_local;

/// What the whole page is about. A session that ends keeps the page below the sign-in.
#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Asking,
    Outside,
    Inside,
    Failed,
}

#[component]
pub fn App() -> AnyView {
    Preferences::provide();
    let clock = Clock::new();
    let session = Session::new(clock);
    let collection = Collection::new();
    provide_context(Address::start());
    provide_context(clock);
    provide_context(session);
    provide_context(collection);
    provide_context(Toasts::new());
    provide_context(Confirm(RwSignal::new(None)));
    provide_context(Remote(RwSignal::new(None)));
    provide_context(live::start(collection, session, clock));
    spawn_local(session.load());
    let stage = remembered(move || match session.standing.get() {
        Standing::Asking => Stage::Asking,
        Standing::SignedOut => Stage::Outside,
        Standing::SignedIn | Standing::Expired => Stage::Inside,
        Standing::Failed(_) => Stage::Failed,
    });
    (move || match stage.get() {
        Stage::Asking => view! { <main class="center"><Skeleton rows=3/></main> }.into_any(),
        Stage::Outside => view! { <SignInPage/> }.into_any(),
        Stage::Failed => view! { <NoPortal/> }.into_any(),
        Stage::Inside => view! { <Pages/><SignInAgain/> }.into_any(),
    })
    .into_any()
}

#[component]
fn Pages() -> AnyView {
    let address = expect_context::<Address>();
    let page = remembered(move || address.page());
    // The frame outlives the pages in it.
    let framed = remembered(move || page.with(|page| !matches!(page, Page::Open(_))));
    view! {
        {move || match (framed.get(), untrack(|| page.get())) {
            (false, Page::Open(place)) => view! { <OpenPage place/> }.into_any(),
            _ => view! { <Shell>{move || show(page.get())}</Shell> }.into_any(),
        }}
        <ConfirmDialog/>
        <RemoteDialog/>
    }
    .into_any()
}

fn show(page: Page) -> AnyView {
    match page {
        Page::Spaces => view! { <ListPage/> }.into_any(),
        Page::Templates => view! { <TemplatesPage/> }.into_any(),
        Page::Create { cluster } => view! { <CreatePage cluster/> }.into_any(),
        Page::Space(place) => view! { <DetailPage place/> }.into_any(),
        Page::Edit(place) => view! { <EditPage place/> }.into_any(),
        Page::Template(place) => view! { <TemplatePage place/> }.into_any(),
        Page::Open(_) | Page::Unknown => view! { <NotFoundPage/> }.into_any(),
    }
}

/// The portal did not answer the very first question.
#[component]
fn NoPortal() -> AnyView {
    let session = expect_context::<Session>();
    let retry = Callback::new(move |()| {
        spawn_local(session.load());
    });
    (move || match session.standing.get() {
        Standing::Failed(failure) => {
            view! { <main class="center"><Failed failure on_retry=retry/></main> }.into_any()
        }
        _ => ().into_any(),
    })
    .into_any()
}
