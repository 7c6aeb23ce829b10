//! The server's clock as this tab sees it: ages stay right when the machine's own clock is wrong.

use leptos::prelude::*;
use shared::time::Timestamp;

/// Ticks once a second; `now` is the server's time.
#[derive(Clone, Copy)]
pub struct Clock {
    /// Server minus browser, milliseconds.
    offset: RwSignal<i64>,
    tick: RwSignal<i64>,
}

impl Clock {
    pub fn new() -> Clock {
        let clock = Clock { offset: RwSignal::new(0), tick: RwSignal::new(browser_millis()) };
        let tick = clock.tick;
        // Lives as long as the tab; the handle is not needed.
        let _ = set_interval_with_handle(
            move || {
                let _ = tick.try_set(browser_millis());
            },
            std::time::Duration::from_secs(1),
        );
        clock
    }

    /// Takes the server's time from an answer just received.
    pub fn correct(self, server: Timestamp) {
        let _ = self.offset.try_set(server.0 - browser_millis());
    }

    /// Reactive: changes each second.
    pub fn now(self) -> Timestamp {
        Timestamp(self.tick.get() + self.offset.get())
    }

    /// Without subscribing.
    pub fn instant(self) -> Timestamp {
        Timestamp(browser_millis() + self.offset.try_get_untracked().unwrap_or(0))
    }
}

fn browser_millis() -> i64 {
    js_sys::Date::now() as i64
}
