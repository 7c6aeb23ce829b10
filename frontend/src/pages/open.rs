//! The page behind every "Open": mints a connection and leaves for it. Reached from elsewhere it asks first: a link may
//! come from anybody.

use crate::api::{self, Failure};
use crate::routes::{self, Place};
use crate::state::address::Address;
use crate::state::derive::derived;
use crate::ui::button::Button;
use crate::ui::states::Failed;
use crate::words::{fill, language, say};
use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::path;
use shared::space::actions::WEB_UI;

#[component]
pub fn OpenPage(place: Place) -> AnyView {
    let Place { cluster, namespace, name } = place;
    let kind = expect_context::<Address>().query("type").unwrap_or_else(|| WEB_UI.to_owned());
    let failed = RwSignal::new(None::<Failure>);
    let going = RwSignal::new(false);
    let shown = name.clone();
    let shown_again = name.clone();
    let mint = Callback::new(move |()| {
        failed.set(None);
        going.set(true);
        let (cluster, namespace, name, kind) =
            (cluster.clone(), namespace.clone(), name.clone(), kind.clone());
        spawn_local(async move {
            match api::connect(&cluster, &namespace, &name, &kind).await {
                // `replace`: the one-time address never enters the history.
                Ok(connection) if is_web(&connection.url) => {
                    let _ = window().location().replace(&connection.url);
                }
                Ok(_) => {
                    let _ = failed.try_set(Some(Failure::Unreachable));
                }
                Err(failure) => {
                    let _ = going.try_set(false);
                    let _ = failed.try_set(Some(failure));
                }
            }
        });
    });
    if came_from_portal() {
        mint.run(());
    }
    let free = derived(|| None);
    view! {
        <main id="main" class="center">
            {move || match (failed.get(), going.get()) {
                (Some(failure), _) => view! { <Failed failure on_retry=mint/> }.into_any(),
                (None, true) => {
                    let text = fill(language().words().opening, &[("name", &shown)]);
                    view! { <div class="state" role="status"><h1>{text}</h1></div> }.into_any()
                }
                (None, false) => {
                    let words = language().words();
                    let title = fill(words.open_now, &[("name", &shown_again)]);
                    let text = fill(words.open_ask, &[("name", &shown_again)]);
                    view! {
                        <div class="state">
                            <h1>{title.clone()}</h1>
                            <p>{text}</p>
                            <Button kind="primary" disabled=free on_click=mint>{title}</Button>
                            <a href=routes::spaces()>{say(|w| w.back_to_spaces)}</a>
                        </div>
                    }.into_any()
                }
            }}
        </main>
    }
    .into_any()
}

/// Only web addresses are followed here; IDE links are shown to be clicked.
fn is_web(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

/// The portal's own pages mark the tab they open; a mark from another origin cannot be set.
fn came_from_portal() -> bool {
    let Some(storage) = window().local_storage().ok().flatten() else { return false };
    let mark = storage.get_item(OPENING_MARK).ok().flatten();
    // One mark opens one tab.
    let _ = storage.remove_item(OPENING_MARK);
    let fresh = |at: f64| js_sys::Date::now() - at < 10_000.0;
    mark.and_then(|m| m.parse::<f64>().ok()).is_some_and(fresh)
}

const OPENING_MARK: &str = "spaceport.opening";

/// Opens a Space in a tab of its own. False when the browser blocked it.
pub fn open_in_tab(cluster: &str, namespace: &str, name: &str) -> bool {
    if let Some(storage) = window().local_storage().ok().flatten() {
        // Without storage the page asks for a click, which is safe.
        let _ = storage.set_item(OPENING_MARK, &js_sys::Date::now().to_string());
    }
    let url = path::open(cluster, namespace, name, WEB_UI);
    // `noopener` makes the answer always null, so a blocked tab cannot be told from an open one by it.
    window().open_with_url_and_target_and_features(&url, "_blank", "noopener").is_ok()
}
