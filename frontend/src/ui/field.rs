//! Form fields: label, help, error beside the control, tied together for screen readers.

use super::icon::Icon;
use leptos::prelude::*;

#[component]
pub fn Field(
    id: &'static str,
    label: impl Fn() -> &'static str + Send + Sync + 'static,
    #[prop(optional)] help: Option<Signal<String>>,
    error: Signal<Option<String>>,
    children: Children,
) -> AnyView {
    view! {
        <div class="field">
            <label for=id>{label}</label>
            {children()}
            {move || error.get().map(|text| view! {
                <span class="wrong" id=format!("{id}-wrong")><Icon name="alert"/>{text}</span>
            })}
            {help.map(|help| view! { <span class="help" id=format!("{id}-help")>{move || help.get()}</span> })}
        </div>
    }
    .into_any()
}

fn described(id: &str) -> String {
    format!("{id}-wrong {id}-help")
}

#[component]
pub fn TextInput(
    id: &'static str,
    value: Signal<String>,
    on_input: Callback<String>,
    error: Signal<Option<String>>,
) -> AnyView {
    view! {
        <input class="input" id=id name=id autocomplete="off" spellcheck="false" aria-describedby=described(id)
            aria-invalid=move || error.with(Option::is_some).then_some("true")
            prop:value=move || value.get() on:input=move |e| on_input.run(event_target_value(&e))/>
    }
    .into_any()
}

/// `options`: value and word.
#[component]
pub fn SelectInput(
    id: &'static str,
    value: Signal<String>,
    on_change: Callback<String>,
    options: Signal<Vec<(String, String)>>,
    error: Signal<Option<String>>,
) -> AnyView {
    view! {
        <select class="input" id=id name=id aria-describedby=described(id)
            aria-invalid=move || error.with(Option::is_some).then_some("true")
            // The list is read as well: a browser forgets the value when the options are replaced.
            prop:value=move || { options.track(); value.get() }
            on:change=move |e| on_change.run(event_target_value(&e))>
            {move || {
                let chosen = value.get();
                options.get().into_iter().map(|(id, word)| {
                    let selected = id == chosen;
                    view! { <option value=id selected=selected>{word}</option> }
                }).collect_view()
            }}
        </select>
    }
    .into_any()
}

#[component]
pub fn Check(
    id: &'static str,
    label: impl Fn() -> &'static str + Send + Sync + 'static,
    checked: Signal<bool>,
    on_change: Callback<bool>,
) -> AnyView {
    view! {
        <label class="check" for=id>
            <input type="checkbox" id=id prop:checked=move || checked.get() on:change=move |e| on_change.run(event_target_checked(&e))/>
            <span>{label}</span>
        </label>
    }
    .into_any()
}
