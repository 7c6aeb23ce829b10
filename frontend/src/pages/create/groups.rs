//! The groups of the form but compute: basics, storage, software, sharing, governance.

use super::Form;
use crate::model::draft::{Draft, IdleChoice};
use crate::state::derive::{derived, remembered};
use crate::ui::field::{Check, Field, SelectInput, TextInput};
use crate::ui::icon::Icon;
use crate::words::{fill, language, say};
use leptos::prelude::*;
use shared::space::name::name_budget;
use shared::space::{ObjectRef, Sharing as Share};
use shared::template::Template;

/// One card of the form.
#[component]
pub fn Group(title: &'static str, #[prop(into)] heading: Signal<String>, children: Children) -> AnyView {
    let id = format!("group-{title}");
    let heading_id = id.clone();
    view! {
        <section class="card" aria-labelledby=id>
            <header><h2 id=heading_id>{heading}</h2></header>
            <div class="body">{children()}</div>
        </section>
    }
    .into_any()
}

/// Two-way binding of one text of the draft.
pub fn bind(
    form: Form,
    read: fn(&Draft) -> String,
    write: fn(&mut Draft, String),
) -> (Signal<String>, Callback<String>) {
    let value = derived(move || form.draft.with(read));
    (value, Callback::new(move |text: String| form.draft.update(|d| write(d, text))))
}

#[component]
pub fn Basics(form: Form) -> AnyView {
    let (name, set_name) = bind(form, |d| d.name.clone(), |d, v| d.name = v);
    let (display, set_display) =
        bind(form, Draft::shown_display_name, |d, v| d.display_name = Some(v).filter(|v| !v.is_empty()));
    let (namespace, set_namespace) = bind(form, |d| d.namespace.clone(), |d, v| d.namespace = v);
    let name_help = derived(move || {
        let words = language().words();
        let web = form.template.with(|t| t.as_ref().and_then(|t| t.web_access)).unwrap_or(true);
        let (max, used) = form.draft.with(|d| (name_budget(&d.namespace, web), d.name.chars().count()));
        if max == 0 {
            return words.name_budget_zero.to_owned();
        }
        fill(words.name_help, &[("left", &max.saturating_sub(used).to_string()), ("max", &max.to_string())])
    });
    let namespaces = derived(move || {
        form.namespaces.with(|all| {
            all.iter()
                .filter(|n| n.create.allowed)
                .map(|n| (n.namespace.clone(), format!("{} · {}", n.project, n.namespace)))
                .collect::<Vec<_>>()
        })
    });
    view! {
        <Group title="basics" heading=derived(move || say(|w| w.group_basics)().to_owned())>
            <Templates form/>
            <div class="two">
                <Field id="name" label=say(|w| w.name) help=name_help error=form.error("name")>
                    <TextInput id="name" value=name on_input=set_name error=form.error("name")/>
                </Field>
                <Field id="display-name" label=say(|w| w.display_name)
                    help=derived(move || say(|w| w.display_name_help)().to_owned()) error=form.error("displayName")>
                    <TextInput id="display-name" value=display on_input=set_display error=form.error("displayName")/>
                </Field>
                <Field id="namespace" label=say(|w| w.namespace) error=form.error("namespace")>
                    <SelectInput id="namespace" value=namespace on_change=set_namespace options=namespaces error=form.error("namespace")/>
                </Field>
            </div>
        </Group>
    }
    .into_any()
}

#[component]
fn Templates(form: Form) -> AnyView {
    let error = form.error("template");
    let cards = move || form.options.with(|o| o.as_ref().map(|o| o.templates.clone()).unwrap_or_default());
    view! {
        <fieldset class="choices" aria-describedby="template-wrong">
            <legend class="hidden-visually">{say(|w| w.choose_template)}</legend>
            <For each=cards key=|t| (t.namespace.clone(), t.name.clone()) let:template>
                <TemplateCard form template/>
            </For>
        </fieldset>
        <span id="template-wrong">{move || error.get().map(|text| view! {
            <span class="field"><span class="wrong" role="alert"><Icon name="alert"/>{text}</span></span>
        })}</span>
    }
    .into_any()
}

#[component]
fn TemplateCard(form: Form, template: Template) -> AnyView {
    let reference = ObjectRef { namespace: template.namespace.clone(), name: template.name.clone() };
    let own = reference.clone();
    let chosen = move || form.draft.with(|d| d.template.as_ref() == Some(&own));
    let kind = template.app_type.clone().unwrap_or_default();
    view! {
        <label class="choice">
            <input type="radio" name="template" prop:checked=chosen
                on:change=move |_| form.draft.update(|d| d.template = Some(reference.clone()))/>
            <strong>{template.display_name.clone()}" "
                {template.is_default.then(|| view! { <span class="chip">{say(|w| w.recommended)}</span> })}
            </strong>
            <span>{template.description.clone().unwrap_or(kind)}</span>
            <span class="mono truncate">{template.name.clone()}</span>
        </label>
    }
    .into_any()
}

#[component]
pub fn Storage(form: Form) -> AnyView {
    let size = derived(move || form.template.with(|t| form.draft.with(|d| d.shown_storage(t.as_ref()))));
    let set_size = Callback::new(move |text: String| form.draft.update(|d| d.storage = Some(text)));
    let help = derived(move || {
        form.template
            .with(|t| {
                let bounds = t.as_ref().map(|t| &t.storage)?;
                let text = |bytes: i64| crate::words::bytes(language(), bytes);
                let (min, max) = (bounds.min_bytes.map(text)?, bounds.max_bytes.map(text)?);
                Some(fill(language().words().from_to, &[("min", &min), ("max", &max)]))
            })
            .unwrap_or_default()
    });
    let (class, set_class) = bind(
        form,
        |d| d.storage_class.clone().unwrap_or_default(),
        |d, v| d.storage_class = Some(v).filter(|v| !v.is_empty()),
    );
    let classes = derived(move || {
        let words = language().words();
        let mut all = vec![(String::new(), words.idle_default.to_owned())];
        form.options.with(|o| {
            let known = o.as_ref().and_then(|o| o.storage_classes.as_ref());
            all.extend(known.into_iter().flatten().map(|c| (c.name.clone(), c.name.clone())));
        });
        all
    });
    view! {
        <Group title="storage" heading=derived(move || say(|w| w.group_storage)().to_owned())>
            <div class="two">
                <Field id="storage" label=say(|w| w.storage_size) help=help error=form.error("storage.sizeBytes")>
                    <TextInput id="storage" value=size on_input=set_size error=form.error("storage.sizeBytes")/>
                </Field>
                <Field id="storage-class" label=say(|w| w.storage_class) error=form.error("storage.className")>
                    <SelectInput id="storage-class" value=class on_change=set_class options=classes error=form.error("storage.className")/>
                </Field>
            </div>
            <p class="muted">{say(|w| w.storage_kept)}</p>
            <Pairs form label=say(|w| w.shared_volumes) first=say(|w| w.claim) second=say(|w| w.mount_path)
                read=|d| &d.volumes write=|d| &mut d.volumes error=form.error("volumes") choices=Some(claims(form)) id="volume"/>
        </Group>
    }
    .into_any()
}

/// The claims of the namespace that a Space may mount beside its own disk.
fn claims(form: Form) -> Signal<Vec<String>> {
    derived(move || {
        form.options.with(|o| {
            let known = o.as_ref().and_then(|o| o.claims.as_ref());
            known.into_iter().flatten().filter(|c| c.owned_by.is_none()).map(|c| c.name.clone()).collect()
        })
    })
}

/// Rows of two texts that can be added and removed.
#[component]
pub fn Pairs(
    form: Form,
    label: impl Fn() -> &'static str + Copy + Send + Sync + 'static,
    first: impl Fn() -> &'static str + Copy + Send + Sync + 'static,
    second: impl Fn() -> &'static str + Copy + Send + Sync + 'static,
    read: fn(&Draft) -> &Vec<(String, String)>,
    write: fn(&mut Draft) -> &mut Vec<(String, String)>,
    error: Signal<Option<String>>,
    choices: Option<Signal<Vec<String>>>,
    id: &'static str,
) -> AnyView {
    let count = remembered(move || form.draft.with(|d| read(d).len()));
    let list = format!("{id}-choices");
    let list_id = list.clone();
    view! {
        <div class="field">
            <span class="label">{label}</span>
            <div class="rows">
                {choices.map(|choices| view! {
                    <datalist id=list_id><For each=move || choices.get() key=Clone::clone let:name><option value=name/></For></datalist>
                })}
                <For each=move || 0..count.get() key=|i| *i let:i>
                    <div class="row">
                        <input class="input" aria-label=first list=list.clone()
                            aria-invalid=move || error.get().is_some().then_some("true")
                            prop:value=move || form.draft.with(|d| read(d).get(i).map(|p| p.0.clone()).unwrap_or_default())
                            on:input=move |e| form.draft.update(|d| if let Some(p) = write(d).get_mut(i) { p.0 = event_target_value(&e); })/>
                        <input class="input" aria-label=second
                            prop:value=move || form.draft.with(|d| read(d).get(i).map(|p| p.1.clone()).unwrap_or_default())
                            on:input=move |e| form.draft.update(|d| if let Some(p) = write(d).get_mut(i) { p.1 = event_target_value(&e); })/>
                        <button type="button" class="button plain square" aria-label=say(|w| w.remove)
                            on:click=move |_| form.draft.update(|d| if i < write(d).len() { write(d).remove(i); })>
                            <Icon name="close"/>
                        </button>
                    </div>
                </For>
                {move || error.get().map(|text| view! { <span class="wrong" role="alert"><Icon name="alert"/>{text}</span> })}
                <div><button type="button" class="button" on:click=move |_| form.draft.update(|d| write(d).push(Default::default()))>
                    <Icon name="plus"/>{say(|w| w.add)}
                </button></div>
            </div>
        </div>
    }
    .into_any()
}

#[component]
pub fn Software(form: Form) -> AnyView {
    let (image, set_image) = bind(
        form,
        |d| d.image.clone().unwrap_or_default(),
        |d, v| d.image = Some(v).filter(|v| !v.is_empty()),
    );
    let images = derived(move || {
        form.template.with(|t| {
            let template = t.as_ref();
            let default = template.map(|t| t.default_image.clone()).unwrap_or_default();
            let mut all = vec![(String::new(), default.clone())];
            let others = template.map(|t| t.allowed_images.clone()).unwrap_or_default();
            all.extend(others.into_iter().filter(|i| *i != default).map(|i| (i.clone(), i)));
            all
        })
    });
    let custom =
        remembered(move || form.template.with(|t| t.as_ref().is_some_and(|t| t.allow_custom_images)));
    view! {
        <Group title="software" heading=derived(move || say(|w| w.group_software)().to_owned())>
            <Field id="image" label=say(|w| w.image) error=form.error("image")>
                {move || if custom.get() {
                    view! { <TextInput id="image" value=image on_input=set_image error=form.error("image")/> }.into_any()
                } else {
                    view! { <SelectInput id="image" value=image on_change=set_image options=images error=form.error("image")/> }.into_any()
                }}
            </Field>
            <Pairs form label=say(|w| w.env) first=say(|w| w.variable) second=say(|w| w.value)
                read=|d| &d.env write=|d| &mut d.env error=form.error("env") choices=None id="env"/>
        </Group>
    }
    .into_any()
}

fn shared_with(form: Form, own: Option<Share>, default: fn(&Template) -> Share) -> Share {
    own.or_else(|| form.template.with(|t| t.as_ref().map(default))).unwrap_or_default()
}

#[component]
pub fn Sharing(form: Form) -> AnyView {
    let access =
        derived(move || shared_with(form, form.draft.with(|d| d.access_type), |t| t.default_access_type));
    let owner = derived(move || {
        shared_with(form, form.draft.with(|d| d.ownership_type), |t| t.default_ownership_type)
    });
    view! {
        <Group title="sharing" heading=derived(move || say(|w| w.group_sharing)().to_owned())>
            <div class="two">
                <Who form label=say(|w| w.who_connects) name="access" value=access write=|d, s| d.access_type = Some(s)/>
                <Who form label=say(|w| w.who_edits) name="ownership" value=owner write=|d, s| d.ownership_type = Some(s)/>
            </div>
            <Idle form/>
            <Check id="stopped" label=say(|w| w.start_later) checked=derived(move || form.draft.with(|d| d.stopped))
                on_change=Callback::new(move |on| form.draft.update(|d| d.stopped = on))/>
        </Group>
    }
    .into_any()
}

/// One choice of sharing, with whom it really reaches in plain words.
#[component]
fn Who(
    form: Form,
    label: impl Fn() -> &'static str + Copy + Send + Sync + 'static,
    name: &'static str,
    value: Signal<Share>,
    write: fn(&mut Draft, Share),
) -> AnyView {
    let reach = move || {
        let namespace = form.draft.with(|d| d.namespace.clone());
        fill(language().words().everybody_in, &[("namespace", &namespace)])
    };
    let only = move || fill(language().words().only_owner, &[("owner", language().words().you)]);
    view! {
        <fieldset class="field choices">
            <legend class="label">{label}</legend>
            <label class="choice">
                <input type="radio" name=name prop:checked=move || value.get() != Share::OwnerOnly
                    on:change=move |_| form.draft.update(|d| write(d, Share::Public))/>
                <strong>{say(|w| w.access_public)}</strong><span>{reach}</span>
            </label>
            <label class="choice">
                <input type="radio" name=name prop:checked=move || value.get() == Share::OwnerOnly
                    on:change=move |_| form.draft.update(|d| write(d, Share::OwnerOnly))/>
                <strong>{say(|w| w.access_owner)}</strong><span>{only}</span>
            </label>
        </fieldset>
    }
    .into_any()
}

#[component]
fn Idle(form: Form) -> AnyView {
    let (minutes, set_minutes) = bind(form, |d| d.idle_minutes.clone(), |d, v| d.idle_minutes = v);
    let choice = derived(move || {
        form.draft
            .with(|d| match d.idle {
                IdleChoice::Template => "template",
                IdleChoice::Off => "off",
                IdleChoice::On => "on",
            })
            .to_owned()
    });
    let set_choice = Callback::new(move |chosen: String| {
        form.draft.update(|d| {
            d.idle = match chosen.as_str() {
                "off" => IdleChoice::Off,
                "on" => IdleChoice::On,
                _ => IdleChoice::Template,
            };
        });
    });
    let options = derived(move || {
        let w = language().words();
        [("template", w.idle_default), ("off", w.idle_off), ("on", w.idle_on)]
            .map(|(v, t)| (v.to_owned(), t.to_owned()))
            .to_vec()
    });
    view! {
        <div class="two">
            <Field id="idle" label=say(|w| w.idle_title) help=derived(move || say(|w| w.idle_text)().to_owned()) error=form.error("idle.enabled")>
                <SelectInput id="idle" value=choice on_change=set_choice options=options error=form.error("idle.enabled")/>
            </Field>
            {move || (choice.get() == "on").then(|| view! {
                <Field id="idle-minutes" label=say(|w| w.minutes) error=form.error("idle.timeoutMinutes")>
                    <TextInput id="idle-minutes" value=minutes on_input=set_minutes error=form.error("idle.timeoutMinutes")/>
                </Field>
            })}
        </div>
    }
    .into_any()
}

/// Queue and priority, where there is anything to choose.
#[component]
pub fn Governance(form: Form) -> AnyView {
    let lists = remembered(move || {
        form.options.with(|o| {
            let o = o.as_ref()?;
            let queues = o.queues.clone().unwrap_or_default();
            (o.governed || !queues.is_empty())
                .then(|| (queues, o.priority_classes.clone().unwrap_or_default()))
        })
    });
    let with_none = |names: Vec<String>| {
        let none = (String::new(), language().words().none.to_owned());
        std::iter::once(none).chain(names.into_iter().map(|n| (n.clone(), n))).collect::<Vec<_>>()
    };
    let queues = derived(move || with_none(lists.get().unwrap_or_default().0));
    let priorities = derived(move || with_none(lists.get().unwrap_or_default().1));
    let (queue, set_queue) = bind(form, |d| d.queue.clone().unwrap_or_default(), |d, v| d.queue = Some(v));
    let (priority, set_priority) =
        bind(form, |d| d.priority_class.clone().unwrap_or_default(), |d, v| d.priority_class = Some(v));
    (move || {
        lists.get().map(|_| {
            view! {
                <Group title="governance" heading=derived(move || say(|w| w.group_governance)().to_owned())>
                    <div class="two">
                        <Field id="queue" label=say(|w| w.queue) error=form.error("queue")>
                            <SelectInput id="queue" value=queue on_change=set_queue options=queues error=form.error("queue")/>
                        </Field>
                        <Field id="priority" label=say(|w| w.priority) error=form.error("priorityClass")>
                            <SelectInput id="priority" value=priority on_change=set_priority options=priorities error=form.error("priorityClass")/>
                        </Field>
                    </div>
                </Group>
            }
        })
    })
    .into_any()
}
