//! The command palette: pages, Spaces and settings by a few letters.

use super::Frame;
use super::settings::{LANGUAGES, theme_word};
use crate::live::Collection;
use crate::pages::clusters_of;
use crate::routes;
use crate::state::address::Address;
use crate::state::derive::{derived, watch};
use crate::state::preferences::{Preferences, Theme};
use crate::state::session::Session;
use crate::ui::icon::Icon;
use crate::words::{language, say};
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// Spaces shown at once; more letters narrow them.
const MOST_SPACES: usize = 12;

/// One thing to go to or to do.
#[derive(Clone)]
struct Entry {
    icon: &'static str,
    word: String,
    /// What kind of thing it is, in words.
    kind: &'static str,
    act: Act,
}

#[derive(Clone)]
enum Act {
    Go(String),
    Language(crate::words::Language),
    Theme(Theme),
    SignOut,
}

#[component]
pub fn Palette(frame: Frame) -> AnyView {
    listen(frame);
    let node = NodeRef::<html::Dialog>::new();
    watch(move || {
        let (Some(dialog), wanted) = (node.get(), frame.palette.get()) else { return };
        if wanted && !dialog.open() {
            // Fails only for an element out of the document, and then there is nothing to show.
            let _ = dialog.show_modal();
        } else if !wanted && dialog.open() {
            dialog.close();
        }
    });
    view! {
        <dialog class="palette" node_ref=node aria-label=say(|w| w.palette) on:close=move |_| frame.palette.set(false)
            on:click=move |event| if event.target() == event.current_target() { frame.palette.set(false) }>
            <Show when=move || frame.palette.get()><Search frame/></Show>
        </dialog>
    }
    .into_any()
}

/// Ctrl-K or ⌘K anywhere.
fn listen(frame: Frame) {
    let handle = window_event_listener(leptos::ev::keydown, move |event| {
        if (event.ctrl_key() || event.meta_key())
            && !event.shift_key()
            && event.key().eq_ignore_ascii_case("k")
        {
            event.prevent_default();
            frame.palette.update(|open| *open = !*open);
        }
    });
    on_cleanup(move || handle.remove());
}

fn standing_entries(session: Session, preferences: Preferences) -> Vec<Entry> {
    let w = language().words();
    let page = |icon, word: String, to| Entry { icon, word, kind: w.kind_page, act: Act::Go(to) };
    let mut all = vec![
        page("spaces", w.spaces.to_owned(), routes::spaces()),
        page("template", w.templates.to_owned(), routes::templates()),
    ];
    all.extend(
        clusters_of(session)
            .into_iter()
            .map(|cluster| page("plus", format!("{} · {cluster}", w.create_space), routes::create(&cluster))),
    );
    let action = |icon, word: String, act| Entry { icon, word, kind: w.kind_action, act };
    let chosen = preferences.language.0.get();
    all.extend(
        LANGUAGES
            .into_iter()
            .filter(|(language, _)| *language != chosen)
            .map(|(language, name)| action("globe", name.to_owned(), Act::Language(language))),
    );
    let theme = preferences.theme.get();
    all.extend(
        Theme::ALL
            .into_iter()
            .filter(|t| *t != theme)
            .map(|t| action("moon", format!("{}: {}", w.theme, theme_word(t)), Act::Theme(t))),
    );
    all.push(action("open", w.sign_out.to_owned(), Act::SignOut));
    all
}

fn space_entries(collection: Collection, wanted: &str) -> Vec<Entry> {
    let w = language().words();
    let listing = crate::model::listing::Listing { search: wanted.to_owned(), ..Default::default() };
    let ids = collection.arrange(|row| listing.matches(row), |a, b| listing.compare(a, b));
    let rows = ids.into_iter().take(MOST_SPACES).filter_map(|id| collection.row(&id));
    rows.map(|row| {
        row.with_untracked(|row| Entry {
            icon: "chevron",
            word: format!("{} · {}", row.display_name, row.namespace),
            kind: w.kind_space,
            act: Act::Go(routes::space(row)),
        })
    })
    .collect()
}

#[component]
fn Search(frame: Frame) -> AnyView {
    let session = expect_context::<Session>();
    let collection = expect_context::<Collection>();
    let preferences = expect_context::<Preferences>();
    let address = expect_context::<Address>();
    let typed = RwSignal::new(String::new());
    let at = RwSignal::new(0usize);
    let entries = derived(move || {
        collection.version.track();
        let wanted = typed.get();
        let folded = wanted.to_lowercase();
        let mut all = standing_entries(session, preferences);
        all.retain(|entry| folded.split_whitespace().all(|part| entry.word.to_lowercase().contains(part)));
        all.extend(space_entries(collection, &wanted));
        all
    });
    let run = Callback::new(move |act: Act| {
        frame.palette.set(false);
        match act {
            Act::Go(to) => address.go(&to),
            Act::Language(language) => preferences.language.0.set(language),
            Act::Theme(theme) => preferences.theme.set(theme),
            Act::SignOut => frame.leaving.set(true),
        }
    });
    let keydown = move |event: leptos::ev::KeyboardEvent| {
        let count = entries.with_untracked(Vec::len).max(1);
        match event.key().as_str() {
            "ArrowDown" => at.update(|i| *i = (*i + 1) % count),
            "ArrowUp" => at.update(|i| *i = (*i + count - 1) % count),
            "Enter" => {
                let found = entries.with_untracked(|all| all.get(at.get_untracked()).map(|e| e.act.clone()));
                if let Some(act) = found {
                    run.run(act);
                }
            }
            _ => return,
        }
        event.prevent_default();
        scroll_to_chosen();
    };
    view! {
        <input class="input" autofocus=true role="combobox" aria-expanded="true" aria-controls="palette-list" autocomplete="off"
            aria-label=say(|w| w.palette) placeholder=say(|w| w.palette) spellcheck="false"
            aria-activedescendant=move || format!("palette-{}", at.get())
            on:keydown=keydown on:input=move |e| { typed.set(event_target_value(&e)); at.set(0); }/>
        <ul id="palette-list" role="listbox" aria-label=say(|w| w.palette)>
            {move || entries.get().into_iter().enumerate().map(|(index, entry)| {
                let act = entry.act;
                view! {
                    <li role="option" id=format!("palette-{index}") aria-selected=move || (at.get() == index).to_string()
                        on:pointermove=move |_| if at.get_untracked() != index { at.set(index) }
                        on:click=move |_| run.run(act.clone())>
                        <Icon name=entry.icon/><span class="truncate">{entry.word}</span><small>{entry.kind}</small>
                    </li>
                }
            }).collect_view()}
        </ul>
        {move || entries.with(Vec::is_empty).then(|| view! { <p class="none muted">{say(|w| w.palette_none)}</p> })}
    }
    .into_any()
}

/// Keeps the chosen entry in sight once it is marked.
fn scroll_to_chosen() {
    request_animation_frame(|| {
        let found = document().query_selector("#palette-list [aria-selected='true']").ok().flatten();
        if let Some(element) = found.and_then(|e| e.dyn_into::<web_sys::Element>().ok()) {
            let options = web_sys::ScrollIntoViewOptions::new();
            options.set_block(web_sys::ScrollLogicalPosition::Nearest);
            element.scroll_into_view_with_scroll_into_view_options(&options);
        }
    });
}
