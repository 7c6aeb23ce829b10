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
use crate::shell::Shell;
use crate::state::clock::Clock;
use crate::state::confirm::Confirm;
use crate::state::preferences::Preferences;
use crate::state::session::{Session, Standing};
use crate::state::toasts::Toasts;
use crate::ui::states::{Failed, Skeleton};
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::components::{ParentRoute, Redirect, Route, Router, Routes};
use leptos_router::path;

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
    provide_context(clock);
    provide_context(session);
    provide_context(collection);
    provide_context(Toasts::new());
    provide_context(Confirm(RwSignal::new(None)));
    provide_context(Remote(RwSignal::new(None)));
    provide_context(live::start(collection, session, clock));
    spawn_local(session.load());
    let stage = Memo::new(move |_| match session.standing.get() {
        Standing::Asking => Stage::Asking,
        Standing::SignedOut => Stage::Outside,
        Standing::SignedIn | Standing::Expired => Stage::Inside,
        Standing::Failed(_) => Stage::Failed,
    });
    view! {
        <Router>
            {move || match stage.get() {
                Stage::Asking => view! { <main class="center"><Skeleton rows=3/></main> }.into_any(),
                Stage::Outside => view! { <SignInPage/> }.into_any(),
                Stage::Failed => view! { <NoPortal/> }.into_any(),
                Stage::Inside => view! { <Pages/><SignInAgain/> }.into_any(),
            }}
        </Router>
    }
    .into_any()
}

#[component]
fn Pages() -> AnyView {
    view! {
        <Routes fallback=NotFoundPage>
            <Route path=path!("/open/:cluster/:namespace/:name") view=OpenPage/>
            <ParentRoute path=path!("") view=Shell>
                <Route path=path!("/") view=|| view! { <Redirect path="/spaces"/> }/>
                <Route path=path!("/spaces") view=ListPage/>
                <Route path=path!("/clusters/:cluster/create") view=CreatePage/>
                <Route path=path!("/clusters/:cluster/namespaces/:namespace/spaces/:name") view=DetailPage/>
                <Route path=path!("/clusters/:cluster/namespaces/:namespace/spaces/:name/edit") view=EditPage/>
                <Route path=path!("/clusters/:cluster/namespaces/:namespace/templates/:name") view=TemplatePage/>
                <Route path=path!("/templates") view=TemplatesPage/>
                <Route path=path!("/*any") view=NotFoundPage/>
            </ParentRoute>
        </Routes>
        <ConfirmDialog/>
        <RemoteDialog/>
    }
    .into_any()
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
