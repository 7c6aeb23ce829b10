//! "Ready" and "failed" while nobody looks: in the tab's title, and as a notification where a person allowed it.

use crate::live::Collection;
use crate::state::derive::watch;
use crate::state::session::Session;
use crate::words::{fill, language};
use leptos::prelude::*;
use shared::space::SpaceRow;
use shared::space::actions::is_owner;
use shared::space::status::Tone;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Notification, NotificationPermission};

/// Whether asking makes sense: notifications exist and nobody has answered yet.
pub fn can_ask() -> bool {
    has_notifications() && Notification::permission() == NotificationPermission::Default
}

fn has_notifications() -> bool {
    js_sys::Reflect::has(&window(), &"Notification".into()).unwrap_or(false)
}

/// Only ever from a click: browsers block pages that ask by themselves.
pub fn ask_permission() {
    if has_notifications() {
        // The answer is read from `permission` when there is something to tell.
        let _ = Notification::request_permission();
    }
}

/// Own Spaces that turned since the tab was last looked at.
#[derive(Clone, Copy, Default, PartialEq)]
struct Tally {
    ready: usize,
    failed: usize,
}

/// Keeps the tab's title: what is new first, then the page.
pub fn keep_title(page: Memo<String>) {
    let tally = RwSignal::new(Tally::default());
    gather(tally);
    forget_when_seen(tally);
    watch(move || {
        let w = language().words();
        let Tally { ready, failed } = tally.get();
        let mut parts = Vec::new();
        if ready > 0 {
            parts.push(fill(w.title_ready, &[("n", &ready.to_string())]));
        }
        if failed > 0 {
            parts.push(fill(w.title_failed, &[("n", &failed.to_string())]));
        }
        parts.push(page.get());
        parts.push(w.product.to_owned());
        document().set_title(&parts.join(" · "));
    });
}

fn gather(tally: RwSignal<Tally>) {
    let collection = expect_context::<Collection>();
    let session = expect_context::<Session>();
    watch(move || {
        let Some(row) = collection.turned.get() else { return };
        let own = session.me.with_untracked(|me| me.as_ref().is_some_and(|me| is_owner(&row, me)));
        if !own || !document().hidden() {
            return;
        }
        let words = untrack(language).words();
        match row.status.tone() {
            Tone::Good => {
                tally.update(|t| t.ready += 1);
                notify(&row, words.ready_note);
            }
            Tone::Bad | Tone::Attention => {
                tally.update(|t| t.failed += 1);
                notify(&row, words.failed_note);
            }
            _ => {}
        }
    });
}

fn forget_when_seen(tally: RwSignal<Tally>) {
    let callback = Closure::<dyn Fn()>::new(move || {
        if !document().hidden() {
            let _ = tally.try_set(Tally::default());
        }
    });
    // Registering a listener on the document cannot fail.
    let _ =
        document().add_event_listener_with_callback("visibilitychange", callback.as_ref().unchecked_ref());
    // Lives as long as the tab.
    callback.forget();
}

fn notify(row: &SpaceRow, text: &str) {
    if has_notifications() && Notification::permission() == NotificationPermission::Granted {
        // A browser that refuses after all (embedded, policy) leaves the title.
        let _ = Notification::new(&fill(text, &[("name", &row.display_name)]));
    }
}
