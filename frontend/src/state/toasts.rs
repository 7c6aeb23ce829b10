//! Short messages about things that are not visible on the page.

use leptos::prelude::*;
use shared::space::status::Tone;
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct Toast {
    pub id: u32,
    pub tone: Tone,
    pub text: String,
}

#[derive(Clone, Copy)]
pub struct Toasts {
    pub list: RwSignal<Vec<Toast>>,
    next: RwSignal<u32>,
}

impl Toasts {
    pub fn new() -> Toasts {
        Toasts { list: RwSignal::new(Vec::new()), next: RwSignal::new(0) }
    }

    /// Shows a message for eight seconds; errors stay until closed.
    pub fn show(self, tone: Tone, text: String) {
        let id = self.next.try_update(|n| {
            *n += 1;
            *n
        });
        let Some(id) = id else { return };
        let _ = self.list.try_update(|list| list.push(Toast { id, tone, text }));
        if tone != Tone::Bad {
            set_timeout(move || self.close(id), Duration::from_secs(8));
        }
    }

    pub fn close(self, id: u32) {
        let _ = self.list.try_update(|list| list.retain(|t| t.id != id));
    }
}
