//! A small menu behind a button: arrow keys, Escape, closes when the focus leaves it.

use super::icon::Icon;
use crate::state::derive::watch;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

#[component]
pub fn Menu(
    #[prop(into)] label: Signal<String>,
    /// Inside the button; the label is its accessible name.
    face: ViewFn,
    #[prop(default = "button plain square")] kind: &'static str,
    children: ChildrenFn,
) -> AnyView {
    let open = RwSignal::new(false);
    let list = NodeRef::<html::Div>::new();
    let children = StoredValue::new(children);
    let button = NodeRef::<html::Button>::new();
    let leave = move |event: leptos::ev::FocusEvent| {
        let inside = event
            .related_target()
            .and_then(|t| t.dyn_into::<web_sys::Node>().ok())
            .is_some_and(|to| list.get_untracked().is_some_and(|list| list.contains(Some(&to))));
        if !inside {
            open.set(false);
        }
    };
    watch(move || {
        if open.get()
            && let (Some(list), Some(button)) = (list.get(), button.get())
        {
            place(&list, &button);
            focus_item(&list, 0, true);
        }
    });
    let close = move || {
        open.set(false);
        if let Some(button) = button.get_untracked() {
            // An element that cannot take focus is no reason to fail.
            let _ = button.focus();
        }
    };
    view! {
        <div class="menu">
            <button type="button" class=kind node_ref=button aria-haspopup="menu" aria-label=move || label.get()
                title=move || label.get() aria-expanded=move || open.get().to_string()
                // Pressing the button of an open menu would close it by lost focus and open it again by the click.
                on:pointerdown=move |event| if open.get_untracked() { event.prevent_default() }
                on:click=move |_| open.update(|o| *o = !*o)>
                {face.run()}
            </button>
            <Show when=move || open.get()>
                <div role="menu" popover="manual" tabindex="-1" node_ref=list aria-label=move || label.get() on:focusout=leave
                    on:keydown=move |event| match event.key().as_str() {
                        "ArrowDown" => { event.prevent_default(); event.stop_propagation(); move_focus(list, 1); }
                        "ArrowUp" => { event.prevent_default(); event.stop_propagation(); move_focus(list, -1); }
                        "Escape" => { event.stop_propagation(); close(); }
                        "Tab" => close(),
                        _ => {}
                    }
                    on:click=move |_| close()>
                    {children.with_value(|children| children())}
                </div>
            </Show>
        </div>
    }
    .into_any()
}

/// In the top layer, so that no table clips it: below the button, or above it where there is no room below.
fn place(list: &web_sys::HtmlDivElement, button: &web_sys::HtmlButtonElement) {
    const GAP: f64 = 4.0;
    // Fails only where popovers are unknown, and there the menu is placed all the same.
    let _ = list.show_popover();
    let (at, own) = (button.get_bounding_client_rect(), list.get_bounding_client_rect());
    let size = |value: Result<wasm_bindgen::JsValue, wasm_bindgen::JsValue>| {
        value.ok().and_then(|v| v.as_f64()).unwrap_or(0.0)
    };
    let (width, height) = (size(window().inner_width()), size(window().inner_height()));
    let left = (at.right() - own.width()).clamp(GAP, (width - own.width() - GAP).max(GAP));
    let fits_below = at.bottom() + GAP + own.height() <= height;
    let top = if fits_below { at.bottom() + GAP } else { (at.top() - GAP - own.height()).max(GAP) };
    // The element's own method, not the view trait's of the same name.
    let style = web_sys::HtmlElement::style(list);
    // Valid property names; a browser that refuses leaves the menu at the corner.
    let _ = style.set_property("left", &format!("{left}px"));
    let _ = style.set_property("top", &format!("{top}px"));
}

fn items(list: &web_sys::HtmlDivElement) -> Vec<web_sys::HtmlElement> {
    let Ok(found) = list.query_selector_all("[role^='menuitem']") else { return Vec::new() };
    (0..found.length()).filter_map(|i| found.item(i)?.dyn_into().ok()).collect()
}

fn focus_item(list: &web_sys::HtmlDivElement, index: i32, wrap: bool) {
    let all = items(list);
    let count = all.len() as i32;
    if count == 0 {
        return;
    }
    let index = if wrap { index.rem_euclid(count) } else { index.clamp(0, count - 1) };
    // An element that cannot take focus is no reason to fail.
    let _ = all[index as usize].focus();
}

fn move_focus(list: NodeRef<html::Div>, step: i32) {
    let Some(list) = list.get_untracked() else { return };
    let active = document().active_element();
    let at =
        items(&list).iter().position(|item| active.as_ref() == Some(item.as_ref())).map_or(-1, |i| i as i32);
    focus_item(&list, at + step, true);
}

/// One entry. `disabled` holds the reason, which is shown below the word.
#[component]
pub fn MenuItem(
    icon: &'static str,
    #[prop(into)] word: Signal<String>,
    #[prop(optional, into)] disabled: Signal<Option<String>>,
    on_click: Callback<()>,
) -> AnyView {
    view! {
        <button type="button" role="menuitem" tabindex="-1" aria-disabled=move || disabled.with(Option::is_some).then_some("true")
            on:click=move |event| {
                if disabled.with_untracked(Option::is_some) { event.stop_propagation(); } else { on_click.run(()); }
            }>
            <Icon name=icon/><span>{move || word.get()}</span>
            {move || disabled.get().map(|reason| view! { <small>{reason}</small> })}
        </button>
    }
    .into_any()
}
