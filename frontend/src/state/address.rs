//! The address bar: the page it names, its query, and every change of it.
//!
//! Links stay ordinary links. A click on one that leads to a page of the portal is turned into a change of the
//! address; everything else (new tabs, downloads, other origins, `rel="external"`) is left to the browser.

use crate::routes::Page;
use leptos::prelude::*;
use shared::path::{decode, encode};
use wasm_bindgen::JsCast;
use wasm_bindgen::JsValue;

#[derive(Clone, Copy)]
pub struct Address {
    path: RwSignal<String>,
    /// Without the question mark.
    query: RwSignal<String>,
}

impl Address {
    /// Begins with the present address and follows the browser's back and forward for as long as the tab lives.
    pub fn start() -> Address {
        let address = Address { path: RwSignal::new(String::new()), query: RwSignal::new(String::new()) };
        address.read();
        let _ = window_event_listener(leptos::ev::popstate, move |_| address.read());
        let _ = window_event_listener(leptos::ev::click, move |event| address.follow(&event));
        address
    }

    fn read(self) {
        let location = window().location();
        let query = location.search().unwrap_or_default().trim_start_matches('?').to_owned();
        let path = location.pathname().unwrap_or_default();
        // Written only when it differs: a change of the query is no change of the page.
        if self.query.with_untracked(|old| *old != query) {
            self.query.set(query);
        }
        if self.path.with_untracked(|old| *old != path) {
            self.path.set(path);
        }
    }

    /// Reactive.
    pub fn page(self) -> Page {
        self.path.with(|path| Page::of(path))
    }

    /// Reactive.
    pub fn path(self) -> String {
        self.path.get()
    }

    /// The whole query, as it stands; not reactive.
    pub fn query_string(self) -> String {
        self.query.get_untracked()
    }

    /// Reactive: a value of the query; nothing when absent, empty or unreadable.
    pub fn query(self, key: &str) -> Option<String> {
        self.query.with(|query| value_of(query, key))
    }

    /// Changes one value of the query in place: no new page, nothing for "back".
    pub fn set_query(self, key: &str, value: Option<String>) {
        let query = self.query.with_untracked(|query| with_value(query, key, value.as_deref()));
        let path = self.path.get_untracked();
        let url = if query.is_empty() { path } else { format!("{path}?{query}") };
        self.write(|history| history.replace_state_with_url(&JsValue::NULL, "", Some(&url)));
    }

    /// Goes to another page of the portal.
    pub fn go(self, url: &str) {
        self.write(|history| history.push_state_with_url(&JsValue::NULL, "", Some(url)));
        window().scroll_to_with_x_and_y(0.0, 0.0);
    }

    fn write(self, change: impl FnOnce(&web_sys::History) -> Result<(), JsValue>) {
        // A browser that refuses (too many changes a second) leaves the address; the next change writes it whole.
        if let Ok(history) = window().history() {
            let _ = change(&history);
        }
        self.read();
    }

    fn follow(self, event: &web_sys::MouseEvent) {
        let plain = event.button() == 0
            && !(event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key())
            && !event.default_prevented();
        let element = event.target().and_then(|t| t.dyn_into::<web_sys::Element>().ok());
        let link = element.filter(|_| plain).and_then(|e| e.closest("a[href]").ok().flatten());
        let Some(link) = link.and_then(|a| a.dyn_into::<web_sys::HtmlAnchorElement>().ok()) else { return };
        let outside = link.origin() != crate::routes::origin()
            || !link.target().is_empty()
            || link.has_attribute("download")
            || link.rel().split(' ').any(|rel| rel == "external");
        if !outside {
            event.prevent_default();
            self.go(&link.href());
        }
    }
}

fn value_of(query: &str, key: &str) -> Option<String> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let (_, value) = pairs.into_iter().find(|(name, _)| *name == key)?;
    decode(value).filter(|value| !value.is_empty())
}

fn with_value(query: &str, key: &str, value: Option<&str>) -> String {
    let others = query.split('&').filter(|pair| !pair.is_empty() && pair.split('=').next() != Some(key));
    let own = value.filter(|value| !value.is_empty()).map(|value| format!("{key}={}", encode(value)));
    others.map(str::to_owned).chain(own).collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_survives_the_query_and_leaves_the_others() {
        let query = with_value("sort=-age&q=old", "q", Some("a b&\u{5b9e}"));
        assert_eq!(value_of(&query, "q").as_deref(), Some("a b&\u{5b9e}"));
        assert_eq!(value_of(&query, "sort").as_deref(), Some("-age"));
        assert_eq!(with_value(&query, "q", None), "sort=-age");
        assert_eq!(with_value("sort=-age", "sort", Some("")), "");
    }

    #[test]
    fn nonsense_in_a_query_is_no_value() {
        for query in ["", "q", "q=", "q=%ff", "&&", "=x"] {
            assert_eq!(value_of(query, "q"), None, "{query}");
        }
    }
}
