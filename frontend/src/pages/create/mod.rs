//! The create form: one page, live checks, a verdict, and a dry run whose answer belongs to what is shown.

mod checks;
mod compute;
mod groups;
mod side;

use crate::api::{self, Failure};
use crate::model::draft::Draft;
use crate::routes;
use crate::state::address::Address;
use crate::state::derive::{derived, remembered, watch};
use crate::state::session::Session;
use crate::ui::banner::Banner;
use crate::ui::button::Button;
use crate::ui::states::{Empty, Failed, Skeleton};
use crate::words::{codes, language, say};
use checks::{Checks, watch_dry_run};
use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::error::FieldError;
use shared::space::create::CreateSpace;
use shared::space::prefill;
use shared::space::status::Tone;
use shared::template::{NamespaceChoice, NamespaceOptions, Template};

/// Everything the parts of the form share.
#[derive(Clone, Copy)]
pub struct Form {
    pub cluster: StoredValue<String>,
    pub draft: RwSignal<Draft>,
    pub namespaces: RwSignal<Vec<NamespaceChoice>>,
    pub options: RwSignal<Option<NamespaceOptions>>,
    pub template: Memo<Option<Template>>,
    pub request: Memo<(CreateSpace, Vec<FieldError>)>,
    pub checks: Checks,
    /// Errors are shown beside untouched fields only after the first try to submit.
    pub tried: RwSignal<bool>,
}

impl Form {
    fn new(cluster: String, draft: Draft) -> Form {
        let draft = RwSignal::new(draft);
        let options = RwSignal::new(None::<NamespaceOptions>);
        let template = remembered(move || {
            let wanted = draft.with(|d| d.template.clone())?;
            options.with(|o| {
                let found = o.as_ref()?.templates.iter();
                found.into_iter().find(|t| t.name == wanted.name && t.namespace == wanted.namespace).cloned()
            })
        });
        let request = remembered(move || {
            template.with(|t| options.with(|o| draft.with(|d| d.assemble(t.as_ref(), o.as_ref()))))
        });
        Form {
            cluster: StoredValue::new(cluster),
            draft,
            namespaces: RwSignal::new(Vec::new()),
            options,
            template,
            request,
            checks: Checks::new(),
            tried: RwSignal::new(false),
        }
    }

    /// The error beside a field: the browser's own, else the cluster's for exactly this request.
    pub fn error(self, path: &'static str) -> Signal<Option<String>> {
        derived(move || {
            let found =
                self.request.with(|(_, errors)| errors.iter().find(|e| covers(path, &e.path)).cloned());
            let own = found.filter(|e| self.tried.get() || e.code != shared::error::FieldCode::Required);
            let theirs = || {
                let request = self.request.with(|(request, _)| request.clone());
                self.checks.refusals(&request).into_iter().find(|e| covers(path, &e.path))
            };
            own.or_else(theirs).map(|error| codes::field(language(), &error))
        })
    }
}

/// An error belongs to the field itself or, for groups, to a part of it.
fn covers(field: &str, path: &str) -> bool {
    path == field || (path.starts_with(field) && path[field.len()..].starts_with(['.', '[']))
}

#[component]
pub fn CreatePage(cluster: String) -> AnyView {
    let query = expect_context::<Address>().query_string();
    let prefilled = !query.is_empty();
    let form = Form::new(cluster.clone(), Draft::from_request(prefill::from_query(&query)));
    let state = RwSignal::new(None::<Result<(), Failure>>);
    let reload = move || {
        state.set(None);
        let cluster = form.cluster.get_value();
        spawn_local(async move {
            let answer = api::namespaces(&cluster).await;
            let _ = state.try_set(Some(answer.map(|found| adopt(form, found))));
        });
    };
    reload();
    load_options(form);
    watch_dry_run(form);
    view! {
        <div class="head"><h1 class="grow">{say(|w| w.new_space)}</h1></div>
        {move || match state.get() {
            None => view! { <Skeleton rows=8/> }.into_any(),
            Some(Err(failure)) => view! { <Failed failure on_retry=Callback::new(move |()| reload())/> }.into_any(),
            Some(Ok(())) if form.namespaces.with(|all| !all.iter().any(|n| n.create.allowed)) => view! {
                <Empty title=say(|w| w.no_namespace) text=say(|w| w.denied_text)/>
            }.into_any(),
            Some(Ok(())) => view! { <FormBody form prefilled/> }.into_any(),
        }}
    }
    .into_any()
}

/// Takes the namespaces and chooses the only sensible one when the link named none.
fn adopt(form: Form, found: Vec<NamespaceChoice>) {
    let first = found.iter().find(|n| n.create.allowed).map(|n| n.namespace.clone());
    form.namespaces.set(found);
    if let Some(first) = first {
        form.draft.update(|d| {
            if d.namespace.is_empty() {
                d.namespace = first;
            }
        });
    }
}

/// Loads the options of the chosen namespace; an answer for another namespace than the one shown is dropped.
fn load_options(form: Form) {
    let namespace = remembered(move || form.draft.with(|d| d.namespace.clone()));
    watch(move || {
        let wanted = namespace.get();
        if wanted.is_empty() {
            return;
        }
        let cluster = form.cluster.get_value();
        spawn_local(async move {
            let Ok(options) = api::options(&cluster, &wanted).await else { return };
            if namespace.try_get_untracked().as_ref() != Some(&wanted) {
                return;
            }
            let default = options.templates.iter().find(|t| t.is_default).or(options.templates.first());
            let default = default
                .map(|t| shared::space::ObjectRef { namespace: t.namespace.clone(), name: t.name.clone() });
            let _ = form.options.try_set(Some(options));
            let _ = form.draft.try_update(|d| {
                if d.template.is_none() {
                    d.template = default;
                }
            });
        });
    });
}

#[component]
fn FormBody(form: Form, prefilled: bool) -> AnyView {
    let sending = RwSignal::new(false);
    let refused = RwSignal::new(None::<Failure>);
    let address = expect_context::<Address>();
    let session = expect_context::<Session>();
    // One key for this form: pressing Create again after a lost answer finds the first one's success.
    let key = StoredValue::new(format!("{}-{}", js_sys::Date::now(), js_sys::Math::random()));
    let submit = Callback::new(move |()| {
        form.tried.set(true);
        let (request, errors) = form.request.get_untracked();
        if !errors.is_empty() {
            focus_first_error();
            return;
        }
        sending.set(true);
        let cluster = form.cluster.get_value();
        spawn_local(async move {
            let answer = api::create(&cluster, &request, &key.get_value()).await;
            let _ = sending.try_set(false);
            match answer {
                Ok(row) => address.go(&routes::space(&row)),
                Err(failure) => {
                    if failure.code() == Some(shared::error::ErrorCode::Unauthenticated) {
                        session.expire();
                    }
                    form.checks.keep_refusal(&request, &failure);
                    let _ = refused.try_set(Some(failure));
                    focus_first_error();
                }
            }
        });
    });
    let blocked = derived(move || {
        let words = language().words();
        if sending.get() {
            return Some(words.in_progress.to_owned());
        }
        (form.tried.get() && form.request.with(|(_, errors)| !errors.is_empty()))
            .then(|| words.fix_first.to_owned())
    });
    view! {
        <div class="notices">
            {prefilled.then(|| view! { <Banner tone=Tone::Moving><p>{say(|w| w.prefilled)}</p></Banner> })}
            {move || refused.get().map(|failure| view! {
                <Banner tone=Tone::Bad><crate::ui::states::FailureText failure/></Banner>
            })}
        </div>
        <form class="form" novalidate=true on:submit=move |event| {
            event.prevent_default();
            submit.run(());
        }>
            <div class="groups">
                <groups::Basics form/>
                <compute::Compute form/>
                <groups::Storage form/>
                <groups::Software form/>
                <groups::Sharing form/>
                <groups::Governance form/>
            </div>
            <aside>
                <side::Side form/>
                <Button kind="primary" disabled=blocked on_click=submit>{say(|w| w.create)}</Button>
            </aside>
        </form>
    }
    .into_any()
}

/// Focus goes to the first marked field once the marks are rendered.
fn focus_first_error() {
    request_animation_frame(|| {
        use wasm_bindgen::JsCast;
        let found = document().query_selector("[aria-invalid='true']").ok().flatten();
        if let Some(element) = found.and_then(|e| e.dyn_into::<web_sys::HtmlElement>().ok()) {
            // An element that cannot take focus is no reason to fail.
            let _ = element.focus();
        }
    });
}
