//! Signing in: the first page, and the same choice over a page whose session has ended.

use crate::api::{self, Answer};
use crate::shell::settings::Settings;
use crate::state::derive::{derived, watch};
use crate::state::session::{Session, Standing};
use crate::ui::dialog::Dialog;
use crate::ui::icon::Icon;
use crate::ui::states::{Failed, FailureText, Skeleton};
use crate::words::{codes, language, say};
use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::session::{PersonaOption, SignInOptions};

#[component]
pub fn SignInPage() -> AnyView {
    view! {
        <div class="welcome">
            <section class="poster" aria-labelledby="tagline">
                <p class="brand"><crate::shell::Mark/><span>{say(|w| w.product)}</span></p>
                <h1 id="tagline">{say(|w| w.tagline)}</h1>
                <p>{say(|w| w.pitch)}</p>
                <ul>
                    <li><Icon name="check"/>{say(|w| w.point_live)}</li>
                    <li><Icon name="check"/>{say(|w| w.point_kept)}</li>
                    <li><Icon name="check"/>{say(|w| w.point_rules)}</li>
                </ul>
            </section>
            <main class="desk">
                <div class="bar"><Settings/></div>
                <h2>{say(|w| w.sign_in_as)}</h2>
                <Choice/>
            </main>
        </div>
    }
    .into_any()
}

/// Over the page, which stays as it is: nothing typed is lost. It cannot be closed without signing in.
#[component]
pub fn SignInAgain() -> AnyView {
    let session = expect_context::<Session>();
    let open = RwSignal::new(false);
    watch(move || open.set(session.standing.get() == Standing::Expired));
    // Escape closes a native dialog; the session is still over then.
    watch(move || {
        if !open.get() && session.standing.get_untracked() == Standing::Expired {
            open.set(true);
        }
    });
    view! {
        <Dialog open title=derived(move || language().words().sign_in.to_owned())>
            <p>{say(|w| w.signed_out_again)}</p>
            <Choice/>
        </Dialog>
    }
    .into_any()
}

#[component]
fn Choice() -> AnyView {
    let state = RwSignal::new(None::<Answer<SignInOptions>>);
    let ask = move || {
        spawn_local(async move {
            let _ = state.try_set(Some(api::sign_in_options().await));
        });
    };
    ask();
    (move || match state.get() {
        None => view! { <Skeleton rows=6/> }.into_any(),
        Some(Err(failure)) => view! { <Failed failure on_retry=Callback::new(move |()| ask())/> }.into_any(),
        Some(Ok(options)) => view! { <People options/> }.into_any(),
    })
    .into_any()
}

#[component]
fn People(options: SignInOptions) -> AnyView {
    let session = expect_context::<Session>();
    let refused = RwSignal::new(None::<api::Failure>);
    let going = RwSignal::new(None::<String>);
    let enter = Callback::new(move |name: String| {
        if going.get_untracked().is_some() {
            return;
        }
        going.set(Some(name.clone()));
        refused.set(None);
        spawn_local(async move {
            let answer = api::sign_in(&name).await;
            let _ = going.try_set(None);
            match answer {
                Ok(me) => session.arrive(me),
                Err(failure) => {
                    let _ = refused.try_set(Some(failure));
                }
            }
        });
    });
    let sandbox = options.sandbox;
    view! {
        {sandbox.then(|| view! { <p class="muted">{say(|w| w.sandbox_note)}</p> })}
        <div class="people">
            {options.personas.into_iter().map(|persona| view! { <Person persona enter going/> }).collect_view()}
        </div>
        <div role="alert">{move || refused.get().map(|failure| view! { <FailureText failure/> })}</div>
    }
    .into_any()
}

#[component]
fn Person(persona: PersonaOption, enter: Callback<String>, going: RwSignal<Option<String>>) -> AnyView {
    let name = persona.name.clone();
    let own = name.clone();
    let role = persona.role;
    let projects = persona.projects.join(", ");
    view! {
        <button type="button" class="person" aria-busy=move || going.with(|g| g.as_ref() == Some(&own)).to_string()
            on:click=move |_| enter.run(name.clone())>
            <span class="face" data-face=initials(&persona.name)></span>
            <span>
                <strong>{persona.name.clone()}</strong>
                <span class="muted">{move || codes::role(language(), role)}
                    {(!projects.is_empty()).then(|| format!(" · {projects}"))}</span>
            </span>
            <Icon name="chevron"/>
        </button>
    }
    .into_any()
}

/// Up to two letters that stand for a person.
pub fn initials(name: &str) -> String {
    let parts: Vec<&str> = name.split(['-', ' ', '.', '_']).filter(|p| !p.is_empty()).collect();
    match parts.as_slice() {
        [] => String::new(),
        [only] => only.chars().take(2).collect::<String>().to_uppercase(),
        [first, .., last] => {
            first.chars().take(1).chain(last.chars().take(2)).collect::<String>().to_uppercase()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::initials;

    #[test]
    fn initials_tell_the_personas_apart() {
        assert_eq!(initials("ds-a1"), "DA1");
        assert_eq!(initials("ds-b1"), "DB1");
        assert_eq!(initials("admin"), "AD");
        assert_eq!(initials(""), "");
    }
}
