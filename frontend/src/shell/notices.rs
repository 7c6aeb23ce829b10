//! What is wrong with the connection or with one's identity, above every page until it is right again.

use crate::live::{Collection, Link};
use crate::state::clock::Clock;
use crate::state::derive::remembered;
use crate::state::session::Session;
use crate::ui::banner::Banner;
use crate::words::{fill, language, relative};
use leptos::prelude::*;
use shared::session::IdentityState;
use shared::space::status::Tone;
use shared::time::Timestamp;

/// A connection that comes back sooner than this (seconds) is not worth a banner; the dot shows it.
const PATIENCE: i64 = 4;

#[derive(Clone, PartialEq)]
enum Notice {
    Offline { since: Timestamp },
    Polling,
    Unreachable { cluster: String, since: Timestamp },
    Stranger { cluster: String },
}

#[component]
pub fn Notices() -> AnyView {
    let link = expect_context::<RwSignal<Link>>();
    let collection = expect_context::<Collection>();
    let session = expect_context::<Session>();
    let clock = expect_context::<Clock>();
    let all = remembered(move || {
        let mut found = Vec::new();
        match link.get() {
            Link::Reconnecting(since) if clock.now().seconds_since(since) > PATIENCE => {
                found.push(Notice::Offline { since });
            }
            Link::Polling => found.push(Notice::Polling),
            _ => {}
        }
        collection.clusters.with(|clusters| {
            found.extend(clusters.iter().filter_map(|(name, state)| {
                let since = state.stale_since?;
                Some(Notice::Unreachable { cluster: name.clone(), since })
            }));
        });
        session.me.with(|me| {
            let strangers =
                me.iter().flat_map(|me| &me.clusters).filter(|c| c.state == IdentityState::Mismatch);
            found.extend(strangers.map(|c| Notice::Stranger { cluster: c.cluster.clone() }));
        });
        found
    });
    view! {
        <div class="notices">
            {move || all.get().into_iter().map(|notice| view! { <Line notice/> }).collect_view()}
        </div>
    }
    .into_any()
}

#[component]
fn Line(notice: Notice) -> AnyView {
    let clock = expect_context::<Clock>();
    let tone = match notice {
        Notice::Stranger { .. } => Tone::Bad,
        _ => Tone::Attention,
    };
    let for_text = notice.clone();
    let title = move || {
        let w = language().words();
        match &notice {
            Notice::Offline { .. } => w.offline_title.to_owned(),
            Notice::Polling => w.polling.to_owned(),
            Notice::Unreachable { cluster, .. } => fill(w.unreachable_title, &[("cluster", cluster)]),
            Notice::Stranger { cluster } => fill(w.identity_mismatch, &[("cluster", cluster)]),
        }
    };
    let text = move || {
        let l = language();
        let w = l.words();
        let age = |since: Timestamp| relative(l, since, clock.now());
        match &for_text {
            Notice::Offline { since } => fill(w.offline_text, &[("age", &age(*since))]),
            Notice::Polling => w.polling_why.to_owned(),
            Notice::Unreachable { since, .. } => fill(w.unreachable_text, &[("age", &age(*since))]),
            Notice::Stranger { .. } => String::new(),
        }
    };
    view! { <Banner tone><p><strong>{title}</strong></p><p>{text}</p></Banner> }.into_any()
}
