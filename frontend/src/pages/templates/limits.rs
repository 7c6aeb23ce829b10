//! Defaults and bounds of a template as a person reads them.

use crate::words::{Language, amount, bytes, cores, duration, fill, resource_name};
use shared::template::{IdleBounds, Template};

/// What a Space gets when it asks for nothing.
pub fn defaults(l: Language, template: &Template) -> String {
    let resources = &template.default_resources;
    let accelerator =
        resources.accelerator.as_ref().map(|a| format!("{} × {}", a.count, resource_name(l, &a.resource)));
    let parts = [
        resources.cpu_millis.map(|c| format!("{} vCPU", cores(l, c))),
        resources.memory_bytes.map(|b| bytes(l, b)),
        accelerator,
        template.storage.default_bytes.map(|b| format!("{} {}", l.words().col_storage, bytes(l, b))),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn range(l: Language, min: Option<String>, max: Option<String>) -> Option<String> {
    let w = l.words();
    match (min, max) {
        (Some(min), Some(max)) => Some(fill(w.from_to, &[("min", &min), ("max", &max)])),
        (Some(min), None) => Some(fill(w.at_least, &[("min", &min)])),
        (None, Some(max)) => Some(fill(w.at_most, &[("max", &max)])),
        (None, None) => None,
    }
}

/// Label and value of each bound that is set.
pub fn rows(l: Language, template: &Template) -> Vec<(String, String)> {
    let w = l.words();
    let of_resource = |b: &shared::template::ResourceBound| {
        let text = |quantity: &str| Some(amount(l, &b.resource, quantity)).filter(|t| !t.is_empty());
        Some((resource_name(l, &b.resource), range(l, text(&b.min), text(&b.max))?))
    };
    let mut rows: Vec<(String, String)> = template.bounds.iter().filter_map(of_resource).collect();
    let size = |value: Option<i64>| value.map(|b| bytes(l, b));
    let storage = range(l, size(template.storage.min_bytes), size(template.storage.max_bytes));
    rows.extend(storage.map(|text| (w.col_storage.to_owned(), text)));
    rows.extend(idle(l, &template.idle).map(|text| (w.idle_title.to_owned(), text)));
    rows
}

/// The idle policy: what it sets, and how far a Space may differ.
pub fn idle(l: Language, idle: &IdleBounds) -> Option<String> {
    let w = l.words();
    let time = |minutes: Option<i64>| minutes.map(|m| duration(l, m.saturating_mul(60)));
    let default = match (idle.default_enabled, time(idle.default_timeout_minutes)) {
        (Some(true), Some(after)) => Some(fill(w.idle_after, &[("time", &after)])),
        (Some(true), None) => Some(w.idle_on.to_owned()),
        (Some(false), _) => Some(w.idle_off.to_owned()),
        (None, _) => None,
    };
    let bounds = range(l, time(idle.min_timeout_minutes), time(idle.max_timeout_minutes));
    let locked = (idle.may_override == Some(false)).then(|| w.fixed.to_owned());
    let parts: Vec<String> = [default, bounds, locked].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}
