//! A button that can say why it is off. It stays focusable then, so that the reason can be read by everybody.

use leptos::prelude::*;

/// `kind`: "", "primary", "danger", "plain" or several. `disabled` holds the reason.
#[component]
pub fn Button(
    kind: &'static str,
    disabled: Signal<Option<String>>,
    on_click: Callback<()>,
    children: Children,
) -> AnyView {
    view! {
        <button type="button" class=format!("button {kind}")
            aria-disabled=move || disabled.with(Option::is_some).then_some("true")
            title=move || disabled.get()
            on:click=move |_| if disabled.with_untracked(Option::is_none) { on_click.run(()) }>
            {children()}
            {move || disabled.get().map(|reason| view! { <span class="hidden-visually">{format!(" ({reason})")}</span> })}
        </button>
    }
    .into_any()
}
