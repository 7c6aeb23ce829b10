//! Compute: vCPU, memory, accelerator and instance type, with the bounds beside them.

use super::Form;
use super::groups::Group;
use crate::model::draft::Draft;
use crate::state::derive::derived;
use crate::ui::field::{Field, SelectInput, TextInput};
use crate::words::{Pick, fill, language, say};
use leptos::prelude::*;
use shared::space::MIG_PREFIX;
use shared::template::Template;

#[component]
pub fn Compute(form: Form) -> AnyView {
    let shown = move |read: fn(&Draft, Option<&Template>) -> String| {
        derived(move || form.template.with(|t| form.draft.with(|d| read(d, t.as_ref()))))
    };
    let write = move |set: fn(&mut Draft, String)| {
        Callback::new(move |text: String| form.draft.update(|d| set(d, text)))
    };
    let accelerator = shown(Draft::shown_accelerator);
    view! {
        <Group title="compute" heading=derived(move || say(|w| w.group_compute)().to_owned())>
            <div class="two">
                <Field id="cpu" label=say(|w| w.col_cpu) help=help(form, "cpu", |w| w.cpu_help) error=form.error("resources.cpuMillis")>
                    <TextInput id="cpu" value=shown(Draft::shown_cpu) on_input=write(|d, v| d.cpu = Some(v)) error=form.error("resources.cpuMillis")/>
                </Field>
                <Field id="memory" label=say(|w| w.col_memory) help=help(form, "memory", |w| w.memory_help) error=form.error("resources.memoryBytes")>
                    <TextInput id="memory" value=shown(Draft::shown_memory) on_input=write(|d, v| d.memory = Some(v)) error=form.error("resources.memoryBytes")/>
                </Field>
                <Field id="accelerator" label=say(|w| w.accelerator) error=form.error("resources.accelerator")>
                    <SelectInput id="accelerator" value=accelerator options=accelerators(form)
                        on_change=write(|d, v| d.accelerator = Some(v)) error=form.error("resources.accelerator")/>
                </Field>
                {move || (!accelerator.get().is_empty()).then(|| view! {
                    <Field id="count" label=say(|w| w.count) error=form.error("resources.accelerator.count")>
                        <TextInput id="count" value=shown(Draft::shown_count) on_input=write(|d, v| d.count = Some(v)) error=form.error("resources.accelerator.count")/>
                    </Field>
                })}
                <Field id="instance-type" label=say(|w| w.instance_type) error=form.error("resources.instanceType")>
                    <SelectInput id="instance-type" options=instance_types(form)
                        value=derived(move || form.draft.with(|d| d.instance_type.clone().unwrap_or_default()))
                        on_change=write(|d, v| d.instance_type = Some(v)) error=form.error("resources.instanceType")/>
                </Field>
            </div>
        </Group>
    }
    .into_any()
}

/// The template's bounds for a resource, else how the amount is written.
fn help(form: Form, resource: &'static str, example: Pick) -> Signal<String> {
    derived(move || {
        let words = language().words();
        let bound = form
            .template
            .with(|t| t.as_ref().and_then(|t| t.bounds.iter().find(|b| b.resource == resource).cloned()));
        bound.map_or_else(
            || example(words).to_owned(),
            |b| fill(words.from_to, &[("min", &b.min), ("max", &b.max)]),
        )
    })
}

/// Accelerators that some node really has; whole GPUs and MIG slices are told apart.
fn accelerators(form: Form) -> Signal<Vec<(String, String)>> {
    derived(move || {
        let words = language().words();
        let mut all = vec![(String::new(), words.no_accelerator.to_owned())];
        form.options.with(|o| {
            let known = o.as_ref().and_then(|o| o.accelerators.as_ref());
            all.extend(known.into_iter().flatten().map(|a| {
                let kind = match a.resource.strip_prefix(MIG_PREFIX) {
                    Some(profile) => fill(words.mig_slice, &[("profile", profile)]),
                    None if a.resource == shared::space::GPU_RESOURCE => words.whole_gpu.to_owned(),
                    None => a.resource.clone(),
                };
                (a.resource.clone(), format!("{kind} · {}", a.instance_types.join(", ")))
            }));
        });
        all
    })
}

fn instance_types(form: Form) -> Signal<Vec<(String, String)>> {
    derived(move || {
        let mut names: Vec<String> = form.options.with(|o| {
            let nodes = o.as_ref().and_then(|o| o.nodes.as_ref());
            nodes.into_iter().flatten().map(|n| n.instance_type.clone()).collect()
        });
        names.sort();
        names.dedup();
        let any = (String::new(), language().words().any_instance.to_owned());
        std::iter::once(any).chain(names.into_iter().map(|n| (n.clone(), n))).collect()
    })
}
