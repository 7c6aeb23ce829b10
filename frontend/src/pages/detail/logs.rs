//! The log of a Space's container, as it is written.

use super::{PartFailed, Shown};
use crate::api::{self, Answer};
use crate::state::derive::{derived, remembered, watch};
use crate::ui::button::Button;
use crate::ui::field::Check;
use crate::ui::states::Skeleton;
use crate::words::{language, say};
use leptos::html;
use leptos::prelude::*;
use leptos::task::spawn_local;
use web_sys::AbortController;

/// Lines asked for at the beginning; older ones are on the node.
const TAIL: u32 = 500;
/// Bytes kept in the page; the oldest lines go first.
const KEPT: usize = 512 * 1024;

/// Appends and cuts at a line.
fn append(text: &mut String, piece: &str) {
    text.push_str(piece);
    if text.len() > KEPT {
        let surplus = text.len() - KEPT;
        let line = text.as_bytes()[surplus..].iter().position(|b| *b == b'\n');
        // A byte after a line break begins a character.
        text.drain(..line.map_or(text.len(), |at| surplus + at + 1));
    }
}

/// One stream at a time: a new one ends the one before.
#[derive(Clone, Copy)]
struct Stream {
    shown: Shown,
    text: RwSignal<String>,
    /// How the stream ended; nothing while it runs.
    ended: RwSignal<Option<Answer<()>>>,
    controller: StoredValue<Option<AbortController>, LocalStorage>,
}

impl Stream {
    fn new(shown: Shown) -> Stream {
        Stream {
            shown,
            text: RwSignal::new(String::new()),
            ended: RwSignal::new(None),
            controller: StoredValue::new_local(None),
        }
    }

    fn stop(self) {
        if let Some(Some(controller)) = self.controller.try_update_value(Option::take) {
            controller.abort();
        }
    }

    fn start(self) {
        self.stop();
        let Ok(controller) = AbortController::new() else { return };
        let signal = controller.signal();
        self.controller.set_value(Some(controller));
        self.text.set(String::new());
        self.ended.set(None);
        let row = self.shown.row.get_untracked();
        spawn_local(async move {
            let take = |piece: String| {
                let _ = self.text.try_update(|text| append(text, &piece));
            };
            let answer = api::follow_logs(&row, TAIL, &signal, take).await;
            // An aborted stream has a successor, or nobody looks any more.
            if !signal.aborted() {
                let _ = self.ended.try_set(Some(answer));
            }
        });
    }
}

#[component]
pub fn Logs(shown: Shown) -> AnyView {
    let stream = Stream::new(shown);
    let status = remembered(move || shown.row.with(|r| (r.id.clone(), r.status)));
    watch(move || {
        status.track();
        // A stream that runs outlives a change of status; one that ended is tried again by it.
        if untrack(|| stream.ended.with(Option::is_some)) || stream.controller.with_value(Option::is_none) {
            stream.start();
        }
    });
    on_cleanup(move || stream.stop());
    let again = Callback::new(move |()| stream.start());
    view! {
        <div class="stack">
            {move || match stream.ended.get() {
                Some(Err(failure)) => view! { <PartFailed failure on_retry=again/> }.into_any(),
                Some(Ok(())) => view! { <Ended again/> }.into_any(),
                None if stream.text.with(String::is_empty) => view! { <Skeleton rows=6/> }.into_any(),
                None => ().into_any(),
            }}
            <Show when=move || !stream.text.with(String::is_empty)><Pane text=stream.text/></Show>
        </div>
    }
    .into_any()
}

#[component]
fn Ended(again: Callback<()>) -> AnyView {
    let free = derived(|| None);
    view! {
        <div class="head" role="status">
            <p class="grow muted">{say(|w| w.logs_ended)}</p>
            <Button kind="" disabled=free on_click=again>{say(|w| w.retry)}</Button>
        </div>
    }
    .into_any()
}

#[component]
fn Pane(text: RwSignal<String>) -> AnyView {
    let follow = RwSignal::new(true);
    let pane = NodeRef::<html::Pre>::new();
    watch(move || {
        text.track();
        if follow.get()
            && let Some(pane) = pane.get()
        {
            pane.set_scroll_top(pane.scroll_height());
        }
    });
    view! {
        <Check id="follow" label=say(|w| w.logs_follow) checked=follow.into() on_change=Callback::new(move |on| follow.set(on))/>
        <pre class="log" tabindex="0" role="log" aria-live="off" aria-label=move || language().words().detail_logs
            node_ref=pane>{move || text.get()}</pre>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_log_loses_whole_lines_from_its_beginning() {
        let mut text = "first\n".to_owned();
        append(&mut text, &format!("{}\nlast \u{5b9e}\n", "x".repeat(KEPT)));
        assert_eq!(text, "last \u{5b9e}\n");
        append(&mut text, "more");
        assert_eq!(text, "last \u{5b9e}\nmore");
    }

    #[test]
    fn one_line_longer_than_all_is_dropped_whole() {
        let mut text = String::new();
        append(&mut text, &"\u{5b9e}".repeat(KEPT));
        assert_eq!(text, "");
    }
}
