//! Checks of a create request and of an edit against a template: while typing in the browser, and before the
//! upstream call in the gateway.
//!
//! The bounds are those that the add-on's webhook enforces (docs/ARCHITECTURE.md, Bounds). Patterns of environment
//! variables are Go regular expressions and are left to the server's dry run.

use super::create::{CreateSpace, EnvVar, IdleRequest, ResourceRequest, StorageRequest, VolumeRequest};
use super::manifest::has_idle_endpoint;
use super::{Accelerator, GPU_RESOURCE, MIG_PREFIX, SpaceEdit, SpaceRow, name};
use crate::error::{FieldCode, FieldError};
use crate::quantity::{Quantity, QuantityError, format_bytes};
use crate::template::{ClaimOption, NamespaceOptions, Template};
use std::collections::BTreeSet;

/// Least memory where remote access is installed (the add-on's `hyperpod-workspace-memory-policy`).
pub const REMOTE_MEMORY_MINIMUM: i64 = 8 << 30;

/// What a typed text measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Milli-cores.
    Cpu,
    /// Bytes.
    Bytes,
    /// Whole devices.
    Count,
}

/// Reads a quantity as a person types it (`1e3`, `1.5Gi`, `500m`) into milli-cores, bytes or devices. Zero and
/// negative amounts are refused: a Space that asks for none leaves the field out.
pub fn read_quantity(path: &str, text: &str, measure: Measure) -> Result<i64, FieldError> {
    let fail = |code, message: &str| FieldError::new(path, code, message).with("value", text.trim());
    let quantity = Quantity::parse(text.trim()).map_err(|error| match error {
        QuantityError::Empty => fail(FieldCode::Required, "a value is required"),
        QuantityError::Malformed => {
            fail(FieldCode::InvalidFormat, "not a quantity").with("form", "500m, 2, 1.5Gi")
        }
        QuantityError::OutOfRange => fail(FieldCode::AboveMaximum, "too large").with("max", i64::MAX),
    })?;
    let value = match measure {
        Measure::Cpu => quantity.millis(),
        Measure::Bytes | Measure::Count => quantity.units(),
    };
    if value <= 0 {
        return Err(fail(FieldCode::BelowMinimum, "must be more than zero").with("min", 1));
    }
    if measure == Measure::Count && !quantity.is_whole() {
        return Err(fail(FieldCode::InvalidFormat, "devices are whole").with("form", "1"));
    }
    Ok(value)
}

/// Joins the form's two accelerator fields. Whole GPUs and MIG slices exclude each other.
pub fn join_accelerator(
    gpus: Option<i64>,
    mig: Option<(&str, i64)>,
) -> Result<Option<Accelerator>, FieldError> {
    match (gpus, mig) {
        (Some(_), Some(_)) => Err(FieldError::new(
            "resources.accelerator",
            FieldCode::MixedAccelerators,
            "whole GPUs and MIG slices cannot be combined",
        )),
        (Some(count), None) => Ok(Some(Accelerator { resource: GPU_RESOURCE.into(), count })),
        (None, Some((profile, count))) => {
            Ok(Some(Accelerator { resource: format!("{MIG_PREFIX}{profile}"), count }))
        }
        (None, None) => Ok(None),
    }
}

/// All that is wrong with a create request as far as template and options tell. `options` are those of the
/// request's namespace; a list in them that could not be read checks nothing.
pub fn check_create(
    request: &CreateSpace,
    template: Option<&Template>,
    options: Option<&NamespaceOptions>,
) -> Vec<FieldError> {
    let mut found = Findings::default();
    let web_access = template.and_then(|t| t.web_access).unwrap_or(true);
    found.add(name::check_name(&request.name, &request.namespace, web_access));
    if request.display_name.trim().is_empty() {
        found.fail("displayName", FieldCode::Required, "a display name is required");
    }
    if request.namespace.is_empty() {
        found.fail("namespace", FieldCode::Required, "a namespace is required");
    }
    if let (Some(reference), None, Some(options)) = (&request.template, template, options)
        && !options.templates.iter().any(|t| t.name == reference.name && t.namespace == reference.namespace)
    {
        found.fail("template", FieldCode::NotFound, "no such template");
    }
    if let Some(template) = template {
        check_image(&mut found, request.image.as_deref(), template);
        check_env_required(&mut found, &request.env, template);
    }
    check_resources(&mut found, request.resources.as_ref(), template);
    check_accelerator(&mut found, request.resources.as_ref(), options);
    check_storage(&mut found, request.storage.as_ref(), template, options);
    check_volumes(&mut found, request, template, options.and_then(|o| o.claims.as_deref()));
    check_env(&mut found, &request.env);
    check_idle(&mut found, request.idle.as_ref(), request.image.as_deref(), template);
    check_queue(&mut found, request, options);
    found.0
}

/// All that is wrong with an edit of `row`.
pub fn check_edit(row: &SpaceRow, edit: &SpaceEdit, template: Option<&Template>) -> Vec<FieldError> {
    let mut found = Findings::default();
    if edit.display_name.as_ref().is_some_and(|n| n.trim().is_empty()) {
        found.fail("displayName", FieldCode::Required, "a display name is required");
    }
    if let (Some(template), Some(image)) = (template, &edit.image) {
        check_image(&mut found, Some(image), template);
    }
    check_resources(&mut found, edit.resources.as_ref(), template.filter(|_| edit.resources.is_some()));
    check_accelerator(&mut found, edit.resources.as_ref(), None);
    if let Some(env) = &edit.env {
        check_env(&mut found, env);
        if let Some(template) = template {
            check_env_required(&mut found, env, template);
        }
    }
    check_idle(&mut found, edit.idle.as_ref(), edit.image.as_deref().or(row.image.as_deref()), template);
    check_growth(&mut found, row, edit, template);
    found.0
}

/// A volume exists or not from the start, and only grows.
fn check_growth(found: &mut Findings, row: &SpaceRow, edit: &SpaceEdit, template: Option<&Template>) {
    let Some(size) = edit.storage_bytes else { return };
    let Some(storage) = &row.storage else {
        return found.fail("storageBytes", FieldCode::Immutable, "this Space has no volume of its own");
    };
    if let Some(current) = storage.size_bytes.filter(|current| size < *current) {
        let error = FieldError::new("storageBytes", FieldCode::CannotShrink, "a volume can only grow");
        return found.0.push(error.with("current", format_bytes(current)));
    }
    if let Some(template) = template {
        found.bound(
            "storageBytes",
            size,
            template.storage.min_bytes,
            template.storage.max_bytes,
            format_bytes,
        );
    }
}

fn check_image(found: &mut Findings, image: Option<&str>, template: &Template) {
    let Some(image) = image else { return };
    if image.trim().is_empty() || image.contains(char::is_whitespace) {
        return found.fail("image", FieldCode::InvalidFormat, "not an image reference");
    }
    let listed = if template.allowed_images.is_empty() {
        std::slice::from_ref(&template.default_image)
    } else {
        &template.allowed_images
    };
    if !template.allow_custom_images && !listed.iter().any(|allowed| allowed == image) {
        let error = FieldError::new("image", FieldCode::NotAllowed, "the template does not allow this image");
        found.0.push(error.with("allowed", listed.join(", ")));
    }
}

fn check_resources(found: &mut Findings, request: Option<&ResourceRequest>, template: Option<&Template>) {
    let Some(request) = request else { return };
    for (path, value) in
        [("resources.cpuMillis", request.cpu_millis), ("resources.memoryBytes", request.memory_bytes)]
    {
        if value <= 0 {
            found.0.push(
                FieldError::new(path, FieldCode::BelowMinimum, "must be more than zero").with("min", 1),
            );
        }
    }
    let Some(template) = template else { return };
    for bound in &template.bounds {
        let (path, value) = match (bound.resource.as_str(), &request.accelerator) {
            ("cpu", _) => ("resources.cpuMillis", Quantity::from_millis(request.cpu_millis)),
            ("memory", _) => ("resources.memoryBytes", Quantity::from_units(request.memory_bytes)),
            (resource, Some(a)) if a.resource == resource => {
                ("resources.accelerator.count", Quantity::from_units(a.count))
            }
            _ => continue,
        };
        // A bound that cannot be read is the template's fault; the server's dry run says so.
        if let Ok(min) = Quantity::parse(&bound.min)
            && value < min
        {
            found.beyond(path, FieldCode::BelowMinimum, "min", &bound.min);
        }
        if let Ok(max) = Quantity::parse(&bound.max)
            && value > max
        {
            found.beyond(path, FieldCode::AboveMaximum, "max", &bound.max);
        }
    }
    if !template.remote_types.is_empty() && request.memory_bytes < REMOTE_MEMORY_MINIMUM {
        found.beyond("resources.memoryBytes", FieldCode::BelowMinimum, "min", "8Gi");
    }
}

fn check_accelerator(
    found: &mut Findings,
    request: Option<&ResourceRequest>,
    options: Option<&NamespaceOptions>,
) {
    let Some(accelerator) = request.and_then(|r| r.accelerator.as_ref()) else { return };
    if !Accelerator::is_accelerator(&accelerator.resource) {
        return found.fail("resources.accelerator.resource", FieldCode::NotAllowed, "not an accelerator");
    }
    if accelerator.count < 1 {
        found.beyond("resources.accelerator.count", FieldCode::BelowMinimum, "min", "1");
    }
    let known = options.and_then(|o| o.accelerators.as_deref());
    if known.is_some_and(|list| !list.iter().any(|a| a.resource == accelerator.resource)) {
        found.fail("resources.accelerator.resource", FieldCode::NotFound, "no node has this accelerator");
    }
}

fn check_storage(
    found: &mut Findings,
    storage: Option<&StorageRequest>,
    template: Option<&Template>,
    options: Option<&NamespaceOptions>,
) {
    let Some(storage) = storage else { return };
    if storage.size_bytes <= 0 {
        found.beyond("storage.sizeBytes", FieldCode::BelowMinimum, "min", "1");
    } else if let Some(bounds) = template.map(|t| &t.storage) {
        found.bound(
            "storage.sizeBytes",
            storage.size_bytes,
            bounds.min_bytes,
            bounds.max_bytes,
            format_bytes,
        );
    }
    if storage.mount_path.as_ref().is_some_and(|path| !is_mount_path(path)) {
        found.mount_path("storage.mountPath");
    }
    let classes = options.and_then(|o| o.storage_classes.as_deref());
    if let (Some(class), Some(classes)) = (&storage.class_name, classes)
        && !classes.iter().any(|c| c.name == *class)
    {
        found.fail("storage.className", FieldCode::NotFound, "no such storage class");
    }
}

fn is_mount_path(path: &str) -> bool {
    path.len() > 1
        && path.starts_with('/')
        && !path.contains(':')
        && !path.split('/').any(|part| part == "..")
}

fn check_volumes(
    found: &mut Findings,
    request: &CreateSpace,
    template: Option<&Template>,
    claims: Option<&[ClaimOption]>,
) {
    if !request.volumes.is_empty() && template.is_some_and(|t| !t.allow_secondary_storages) {
        found.fail("volumes", FieldCode::NotAllowed, "the template does not allow more volumes");
    }
    let own_path = request.storage.as_ref().and_then(|s| s.mount_path.as_deref());
    let mut paths: BTreeSet<&str> = own_path.into_iter().collect();
    let mut zones = BTreeSet::new();
    for (index, volume) in request.volumes.iter().enumerate() {
        let path = format!("volumes[{index}].mountPath");
        if !is_mount_path(&volume.mount_path) {
            found.mount_path(&path);
        } else if !paths.insert(&volume.mount_path) {
            let error = FieldError::new(path, FieldCode::Duplicate, "mounted twice");
            found.0.push(error.with("value", &volume.mount_path));
        }
        zones.extend(check_claim(found, index, volume, claims));
    }
    if zones.len() > 1 {
        let error = FieldError::new("volumes", FieldCode::ZoneConflict, "the volumes lie in different zones");
        found.0.push(error.with("zones", zones.into_iter().collect::<Vec<_>>().join(", ")));
    }
}

/// Checks one claim and answers its zone.
fn check_claim<'a>(
    found: &mut Findings,
    index: usize,
    volume: &VolumeRequest,
    claims: Option<&'a [ClaimOption]>,
) -> Option<&'a str> {
    let path = format!("volumes[{index}].claim");
    if volume.claim.is_empty() {
        found.fail(&path, FieldCode::Required, "a claim is required");
        return None;
    }
    let Some(claim) = claims?.iter().find(|c| c.name == volume.claim) else {
        found.fail(&path, FieldCode::NotFound, "no such claim in this namespace");
        return None;
    };
    if let Some(owner) = &claim.owned_by {
        let error = FieldError::new(path, FieldCode::NotAllowed, "it is the disk of another Space");
        found.0.push(error.with("space", owner));
    }
    claim.zone.as_deref()
}

fn check_env(found: &mut Findings, env: &[EnvVar]) {
    let mut names = BTreeSet::new();
    for (index, variable) in env.iter().enumerate() {
        let path = format!("env[{index}].name");
        let name = &variable.name;
        if name.is_empty() {
            found.fail(&path, FieldCode::Required, "a name is required");
        } else if !name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
            || name.starts_with(|c: char| c.is_ascii_digit())
        {
            let error = FieldError::new(&path, FieldCode::InvalidFormat, "letters, digits, _ . - only");
            found.0.push(error.with("form", "[-._a-zA-Z][-._a-zA-Z0-9]*"));
        } else if !names.insert(name) {
            let error = FieldError::new(&path, FieldCode::Duplicate, "set twice");
            found.0.push(error.with("value", name));
        }
    }
}

fn check_env_required(found: &mut Findings, env: &[EnvVar], template: &Template) {
    for demand in template.env_requirements.iter().filter(|r| r.required) {
        let is_set = |list: &[EnvVar]| list.iter().any(|v| v.name == demand.name);
        if !is_set(env) && !is_set(&template.base_env) {
            let error = FieldError::new("env", FieldCode::Required, "the template requires this variable");
            found.0.push(error.with("name", &demand.name));
        }
    }
}

/// The template's idle policy: without one nothing is checked; a locked one pins everything but a timeout within
/// bounds, and a bound that is not set pins that too.
fn check_idle(
    found: &mut Findings,
    idle: Option<&IdleRequest>,
    image: Option<&str>,
    template: Option<&Template>,
) {
    let Some(idle) = idle else { return };
    if idle.timeout_minutes.is_some_and(|minutes| minutes < 1) {
        return found.beyond("idle.timeoutMinutes", FieldCode::BelowMinimum, "min", "1");
    }
    let bounds = template.map(|t| &t.idle);
    if idle.enabled
        && idle.timeout_minutes.is_none()
        && bounds.is_none_or(|b| b.default_timeout_minutes.is_none())
    {
        found.fail("idle.timeoutMinutes", FieldCode::Required, "idle shutdown needs a timeout");
    }
    let image = image.or(template.map(|t| t.default_image.as_str()));
    if idle.enabled && !bounds.is_some_and(|b| b.has_detection) && !image.is_some_and(has_idle_endpoint) {
        found.fail("idle.enabled", FieldCode::NoDetection, "nothing in this image tells when it is idle");
    }
    let Some(bounds) = bounds else { return };
    let (min, max) = (bounds.min_timeout_minutes, bounds.max_timeout_minutes);
    match bounds.may_override {
        None => {}
        Some(true) => {
            if let Some(minutes) = idle.timeout_minutes {
                found.bound("idle.timeoutMinutes", minutes, min, max, |m| m.to_string());
            }
        }
        Some(false) => {
            if Some(idle.enabled) != bounds.default_enabled {
                found.fail("idle.enabled", FieldCode::Immutable, "the template fixes idle shutdown");
            }
            let pinned = bounds.default_timeout_minutes;
            if let Some(minutes) = idle.timeout_minutes.filter(|m| Some(*m) != pinned) {
                match (min, max) {
                    (Some(_), Some(_)) => {
                        found.bound("idle.timeoutMinutes", minutes, min, max, |m| m.to_string())
                    }
                    _ => found.fail(
                        "idle.timeoutMinutes",
                        FieldCode::Immutable,
                        "the template fixes the timeout",
                    ),
                }
            }
        }
    }
}

fn check_queue(found: &mut Findings, request: &CreateSpace, options: Option<&NamespaceOptions>) {
    let Some(options) = options else { return };
    match (&request.queue, &options.queues) {
        (None, _) if options.governed => {
            found.fail("queue", FieldCode::QueueRequired, "this namespace is under task governance");
        }
        (Some(queue), Some(known)) if !known.contains(queue) => {
            found.fail("queue", FieldCode::NotFound, "no such queue in this namespace");
        }
        _ => {}
    }
    if let (Some(class), Some(known)) = (&request.priority_class, &options.priority_classes)
        && !known.contains(class)
    {
        found.fail("priorityClass", FieldCode::NotFound, "no such priority class");
    }
}

/// The errors found so far.
#[derive(Default)]
struct Findings(Vec<FieldError>);

impl Findings {
    fn add(&mut self, result: Result<(), FieldError>) {
        self.0.extend(result.err());
    }

    fn fail(&mut self, path: &str, code: FieldCode, message: &str) {
        self.0.push(FieldError::new(path, code, message));
    }

    fn mount_path(&mut self, path: &str) {
        let error = FieldError::new(path, FieldCode::InvalidFormat, "an absolute path");
        self.0.push(error.with("form", "/data"));
    }

    fn beyond(&mut self, path: &str, code: FieldCode, name: &str, bound: &str) {
        let message = if code == FieldCode::BelowMinimum { "below the minimum" } else { "above the maximum" };
        self.0.push(FieldError::new(path, code, message).with(name, bound));
    }

    fn bound(&mut self, path: &str, value: i64, min: Option<i64>, max: Option<i64>, show: fn(i64) -> String) {
        if let Some(min) = min.filter(|min| value < *min) {
            self.beyond(path, FieldCode::BelowMinimum, "min", &show(min));
        }
        if let Some(max) = max.filter(|max| value > *max) {
            self.beyond(path, FieldCode::AboveMaximum, "max", &show(max));
        }
    }
}

#[cfg(test)]
mod tests;
