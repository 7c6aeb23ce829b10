//! A modal dialog on the native element: focus is trapped, Escape closes, and focus starts on Cancel.

use crate::state::derive::watch;
use leptos::html;
use leptos::prelude::*;

/// The content is made anew at each opening. Mark the button that takes the focus with `autofocus`.
#[component]
pub fn Dialog(open: RwSignal<bool>, #[prop(into)] title: Signal<String>, children: ChildrenFn) -> AnyView {
    let node = NodeRef::<html::Dialog>::new();
    let children = StoredValue::new(children);
    watch(move || {
        let (Some(dialog), wanted) = (node.get(), open.get()) else { return };
        if wanted && !dialog.open() {
            // Fails only for an element out of the document, and then there is nothing to show.
            let _ = dialog.show_modal();
        } else if !wanted && dialog.open() {
            dialog.close();
        }
    });
    view! {
        <dialog node_ref=node aria-labelledby="dialog-title" on:close=move |_| open.set(false)>
            <Show when=move || open.get()>
                <div class="sheet">
                    <h2 id="dialog-title">{move || title.get()}</h2>
                    {children.with_value(|children| children())}
                </div>
            </Show>
        </dialog>
    }
    .into_any()
}
