//! Editing one Space: what it has, what changes, and what the change costs.

use crate::api::{self, Failure};
use crate::live::Collection;
use crate::model::edit::{EditDraft, restarts};
use crate::pages::actions::{decision, refusal};
use crate::pages::not_found::NotFoundPage;
use crate::routes::{self, Place};
use crate::state::address::Address;
use crate::state::derive::{derived, remembered};
use crate::ui::banner::Banner;
use crate::ui::button::Button;
use crate::ui::field::{Field, SelectInput, TextInput};
use crate::ui::states::{FailureText, Skeleton};
use crate::words::{Pick, codes, fill, language, resource_name, say};
use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::error::FieldError;
use shared::space::status::Tone;
use shared::space::{Action, DesiredStatus, Sharing, SpaceEdit, SpaceRow, SpaceStatus};
use shared::template::{NamespaceOptions, Template};

/// What the fields of the form share.
#[derive(Clone, Copy)]
struct Form {
    draft: RwSignal<EditDraft>,
    /// The Space as the form began with it: its version is what the save is checked against.
    row: StoredValue<SpaceRow>,
    options: RwSignal<Option<NamespaceOptions>>,
    changes: Memo<(SpaceEdit, Vec<FieldError>)>,
    refused: RwSignal<Option<Failure>>,
}

impl Form {
    fn new(row: SpaceRow) -> Form {
        let draft = RwSignal::new(EditDraft::of(&row));
        let options = RwSignal::new(None::<NamespaceOptions>);
        let row = StoredValue::new(row);
        let changes = remembered(move || {
            let template = options.with(|o| template_of(o.as_ref()?, &row.get_value()).cloned());
            draft.with(|d| d.changes(&row.get_value(), template.as_ref()))
        });
        Form { draft, row, options, changes, refused: RwSignal::new(None) }
    }

    /// Own errors first, then what the cluster said.
    fn error(self, path: &'static str) -> Signal<Option<String>> {
        derived(move || {
            let own = self.changes.with(|(_, errors)| errors.iter().find(|e| e.path == path).cloned());
            let theirs = || {
                self.refused.with(|refused| match refused {
                    Some(Failure::Refused(detail)) => detail.fields.iter().find(|f| f.path == path).cloned(),
                    _ => None,
                })
            };
            own.or_else(theirs).map(|error| codes::field(language(), &error))
        })
    }

    fn bind(
        self,
        read: fn(&EditDraft) -> String,
        write: fn(&mut EditDraft, String),
    ) -> (Signal<String>, Callback<String>) {
        let change = move |text: String| {
            self.refused.set(None);
            self.draft.update(|d| write(d, text));
        };
        (derived(move || self.draft.with(read)), Callback::new(change))
    }
}

fn template_of<'a>(options: &'a NamespaceOptions, row: &SpaceRow) -> Option<&'a Template> {
    let wanted = row.template.as_ref()?;
    options.templates.iter().find(|t| t.name == wanted.name && t.namespace == wanted.namespace)
}

#[component]
pub fn EditPage(place: Place) -> AnyView {
    let collection = expect_context::<Collection>();
    let Place { cluster, namespace, name } = place;
    let of = cluster.clone();
    let loaded = remembered(move || collection.clusters.with(|all| all.get(&of).is_some_and(|c| c.loaded)));
    // Only the first row found begins the form; later changes never touch what is typed.
    let found = Memo::new(move |before: Option<&Option<String>>| {
        before.cloned().flatten().or_else(|| {
            collection.find(&cluster, &namespace, &name).map(|row| row.with_untracked(|r| r.id.clone()))
        })
    });
    (move || match (found.get().and_then(|id| collection.row(&id)), loaded.get()) {
        (Some(row), _) => view! { <EditForm row/> }.into_any(),
        (None, false) => view! { <Skeleton rows=8/> }.into_any(),
        (None, true) => view! { <NotFoundPage/> }.into_any(),
    })
    .into_any()
}

#[component]
fn EditForm(row: ArcRwSignal<SpaceRow>) -> AnyView {
    let form = Form::new(row.get_untracked());
    load_options(form);
    let live: Signal<SpaceRow> = derived(move || row.get());
    let page = form.row.with_value(routes::space);
    let name = form.row.with_value(|r| r.name.clone());
    view! {
        <nav class="crumbs" aria-label=say(|w| w.breadcrumb)>
            <a href=routes::spaces()>{say(|w| w.spaces)}</a><span>"›"</span>
            <a href=page.clone()>{name.clone()}</a>
        </nav>
        <div class="head"><h1 class="grow">{move || fill(language().words().edit_title, &[("name", &name)])}</h1></div>
        <div class="notices"><Warnings form live/></div>
        <form class="form" novalidate=true on:submit=|event| event.prevent_default()>
            <div class="groups"><Basics form/><Compute form/><Reach form/></div>
            <aside><Save form live page/></aside>
        </form>
    }
    .into_any()
}

fn load_options(form: Form) {
    let (cluster, namespace) = form.row.with_value(|r| (r.cluster.clone(), r.namespace.clone()));
    spawn_local(async move {
        // Without options the browser checks less; the cluster still checks everything.
        if let Ok(options) = api::options(&cluster, &namespace).await {
            let _ = form.options.try_set(Some(options));
        }
    });
}

/// What the change does to a Space that runs or starts, and whether somebody else changed it meanwhile.
#[component]
fn Warnings(form: Form, live: Signal<SpaceRow>) -> AnyView {
    let restart = remembered(move || form.changes.with(|(edit, _)| restarts(edit)));
    let warning = move || {
        let w = language().words();
        let (wanted, status) = live.with(|r| (r.desired_status, r.status));
        match (restart.get(), wanted, status) {
            (true, DesiredStatus::Running, SpaceStatus::Running) => Some(w.edit_restart),
            (true, DesiredStatus::Running, _) => Some(w.edit_stuck),
            _ => None,
        }
    };
    let outdated = remembered(move || {
        let began = form.row.with_value(EditDraft::of);
        live.with(|r| EditDraft::of(r) != began)
    });
    view! {
        {move || warning().map(|text| view! { <Banner tone=Tone::Attention><p>{text}</p></Banner> })}
        {move || outdated.get().then(|| view! { <Banner tone=Tone::Attention><p>{say(|w| w.edit_outdated)}</p></Banner> })}
        {move || form.refused.get().map(|failure| view! { <Banner tone=Tone::Bad><FailureText failure/></Banner> })}
    }
    .into_any()
}

#[component]
fn Text(
    form: Form,
    id: &'static str,
    word: Pick,
    path: &'static str,
    read: fn(&EditDraft) -> String,
    write: fn(&mut EditDraft, String),
) -> AnyView {
    let (value, on_input) = form.bind(read, write);
    let error = form.error(path);
    view! { <Field id label=say(word) error><TextInput id value on_input error/></Field> }.into_any()
}

#[component]
fn Basics(form: Form) -> AnyView {
    let has_volume = form.row.with_value(|r| r.storage.is_some());
    view! {
        <section class="card">
            <header><h2>{say(|w| w.group_basics)}</h2></header>
            <div class="body two">
                <Text form id="display-name" word=|w| w.display_name path="displayName"
                    read=|d| d.display_name.clone() write=|d, v| d.display_name = v/>
                <Text form id="image" word=|w| w.image path="image" read=|d| d.image.clone() write=|d, v| d.image = v/>
                {has_volume.then(|| view! {
                    <Text form id="storage" word=|w| w.storage_size path="storageBytes"
                        read=|d| d.storage.clone() write=|d, v| d.storage = v/>
                })}
            </div>
        </section>
    }
    .into_any()
}

#[component]
fn Compute(form: Form) -> AnyView {
    let (accelerator, choose) = form.bind(|d| d.accelerator.clone(), |d, v| d.accelerator = v);
    // What the Space has is always among the choices, also when no node has it any more.
    let accelerators = derived(move || {
        let l = language();
        let mut all = vec![(String::new(), l.words().no_accelerator.to_owned())];
        let known = form.options.with(|o| {
            let list = o.as_ref().and_then(|o| o.accelerators.as_ref());
            list.into_iter().flatten().map(|a| a.resource.clone()).collect::<Vec<_>>()
        });
        let own = form.row.with_value(|r| r.resources.accelerator.as_ref().map(|a| a.resource.clone()));
        let own = own.filter(|own| !known.contains(own));
        all.extend(known.into_iter().chain(own).map(|id| (id.clone(), resource_name(l, &id))));
        all
    });
    let error = form.error("resources.accelerator.resource");
    view! {
        <section class="card">
            <header><h2>{say(|w| w.group_compute)}</h2></header>
            <div class="body two">
                <Text form id="cpu" word=|w| w.col_cpu path="resources.cpuMillis" read=|d| d.cpu.clone() write=|d, v| d.cpu = v/>
                <Text form id="memory" word=|w| w.col_memory path="resources.memoryBytes"
                    read=|d| d.memory.clone() write=|d, v| d.memory = v/>
                <Field id="accelerator" label=say(|w| w.accelerator) error>
                    <SelectInput id="accelerator" value=accelerator on_change=choose options=accelerators error/>
                </Field>
                <Show when=move || accelerator.with(|a| !a.is_empty())>
                    <Text form id="count" word=|w| w.count path="resources.accelerator.count"
                        read=|d| d.count.clone() write=|d, v| d.count = v/>
                </Show>
            </div>
        </section>
    }
    .into_any()
}

#[component]
fn Reach(form: Form) -> AnyView {
    let id = |sharing| if sharing == Sharing::Public { "Public" } else { "OwnerOnly" }.to_owned();
    let of = |id: String| if id == "Public" { Sharing::Public } else { Sharing::OwnerOnly };
    let options = derived(move || {
        let (namespace, owner) = form.row.with_value(|r| (r.namespace.clone(), r.owner.display_name.clone()));
        let w = language().words();
        vec![
            ("Public".to_owned(), fill(w.everybody_in, &[("namespace", &namespace)])),
            ("OwnerOnly".to_owned(), fill(w.only_owner, &[("owner", &owner)])),
        ]
    });
    let access = derived(move || form.draft.with(|d| id(d.access_type)));
    let owner = derived(move || form.draft.with(|d| id(d.ownership_type)));
    let (wrong_access, wrong_owner) = (form.error("accessType"), form.error("ownershipType"));
    view! {
        <section class="card">
            <header><h2>{say(|w| w.sharing)}</h2></header>
            <div class="body two">
                <Field id="access" label=say(|w| w.who_connects) error=wrong_access>
                    <SelectInput id="access" value=access options error=wrong_access
                        on_change=Callback::new(move |v| form.draft.update(|d| d.access_type = of(v)))/>
                </Field>
                <Field id="ownership" label=say(|w| w.who_edits) error=wrong_owner>
                    <SelectInput id="ownership" value=owner options error=wrong_owner
                        on_change=Callback::new(move |v| form.draft.update(|d| d.ownership_type = of(v)))/>
                </Field>
            </div>
        </section>
    }
    .into_any()
}

#[component]
fn Save(form: Form, live: Signal<SpaceRow>, page: String) -> AnyView {
    let sending = RwSignal::new(false);
    let address = expect_context::<Address>();
    let back = page.clone();
    let denied = refusal(decision(live, Action::Edit));
    let blocked = derived(move || {
        let w = language().words();
        let (edit, errors) = form.changes.get();
        let own = (!errors.is_empty()).then_some(w.fix_first);
        let nothing = (edit == SpaceEdit::default()).then_some(w.nothing_changed);
        let busy = sending.get().then_some(w.in_progress);
        denied.get().or_else(|| busy.or(own).or(nothing).map(str::to_owned))
    });
    let save = Callback::new(move |()| {
        let (edit, _) = form.changes.get_untracked();
        let row = form.row.get_value();
        let page = page.clone();
        sending.set(true);
        spawn_local(async move {
            let answer = api::edit(&row, &edit).await;
            let _ = sending.try_set(false);
            match answer {
                Ok(_) => address.go(&page),
                Err(failure) => {
                    let _ = form.refused.try_set(Some(failure));
                }
            }
        });
    });
    view! {
        <Button kind="primary" disabled=blocked on_click=save>{say(|w| w.save)}</Button>
        {move || blocked.get().map(|why| view! { <p class="muted">{why}</p> })}
        <a class="button plain" href=back>{say(|w| w.cancel)}</a>
    }
    .into_any()
}
