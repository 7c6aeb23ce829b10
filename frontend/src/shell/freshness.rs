//! How fresh the data is: a dot, a word, and the age behind it.

use crate::live::{Collection, Link};
use crate::state::clock::Clock;
use crate::state::derive::remembered;
use crate::ui::badge::tone_class;
use crate::words::{fill, language, relative};
use leptos::prelude::*;
use shared::space::status::Tone;
use shared::time::Timestamp;

/// The oldest data on the screen: since when a cluster is stale, or when the last message came.
pub fn data_from(collection: Collection) -> Option<Timestamp> {
    collection.clusters.with(|all| all.values().filter_map(|c| c.stale_since.or(c.updated_at)).min())
}

fn judge(link: Link, stale: bool) -> Tone {
    match (link, stale) {
        (Link::Live, false) => Tone::Good,
        (Link::Connecting, _) => Tone::Moving,
        _ => Tone::Attention,
    }
}

#[component]
pub fn Freshness() -> AnyView {
    let link = expect_context::<RwSignal<Link>>();
    let collection = expect_context::<Collection>();
    let clock = expect_context::<Clock>();
    let stale =
        remembered(move || collection.clusters.with(|all| all.values().any(|c| c.stale_since.is_some())));
    let tone = remembered(move || judge(link.get(), stale.get()));
    let word = remembered(move || {
        let words = language().words();
        match (link.get(), stale.get()) {
            (Link::Connecting, _) => words.connecting,
            (Link::Reconnecting(_), _) => words.reconnecting,
            (_, true) => words.stale,
            (Link::Polling, false) => words.polling,
            (Link::Live, false) => words.live,
        }
    });
    let age = move || {
        let l = language();
        data_from(collection).map(|at| fill(l.words().data_age, &[("age", &relative(l, at, clock.now()))]))
    };
    // The age is said beside the word only when it matters; it would be noise while everything is live.
    let shown_age = move || {
        let since = data_from(collection).filter(|_| tone.get() == Tone::Attention)?;
        Some(format!(" · {}", relative(language(), since, clock.now())))
    };
    view! {
        <span class=move || format!("fresh {}", tone_class(tone.get())) title=age>
            <i></i><span role="status">{word}</span><span class="nums" aria-hidden="true">{shown_age}</span>
        </span>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_data_is_never_shown_as_live() {
        assert_eq!(judge(Link::Live, false), Tone::Good);
        for (link, stale) in
            [(Link::Live, true), (Link::Polling, false), (Link::Reconnecting(Timestamp(0)), false)]
        {
            assert_eq!(judge(link, stale), Tone::Attention);
        }
    }
}
