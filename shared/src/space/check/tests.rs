//! Each bound, and each way to type a quantity.

use super::super::sample::{create, row, template};
use super::*;
use crate::space::SpaceStorage;
use crate::template::{AcceleratorOption, PatternRequirement, StorageClassOption};
use FieldCode::*;
use proptest::prelude::*;

fn found(request: &CreateSpace, template: &Template) -> Vec<(String, FieldCode)> {
    check_create(request, Some(template), None).into_iter().map(|e| (e.path, e.code)).collect()
}

fn one(path: &str, code: FieldCode) -> Vec<(String, FieldCode)> {
    vec![(path.to_owned(), code)]
}

fn sized(cpu_millis: i64, memory_bytes: i64) -> CreateSpace {
    let mut request = create();
    request.resources =
        Some(ResourceRequest { cpu_millis, memory_bytes, accelerator: None, instance_type: None });
    request
}

#[test]
fn an_ordinary_request_passes() {
    assert_eq!(found(&create(), &template()), []);
}

#[test]
fn quantities_are_read_as_typed() {
    for (text, measure, expected) in [
        ("1e3", Measure::Cpu, Ok(1_000_000)),
        ("500m", Measure::Cpu, Ok(500)),
        ("1.5Gi", Measure::Bytes, Ok(3 << 29)),
        (" 8Gi ", Measure::Bytes, Ok(8 << 30)),
        ("2", Measure::Count, Ok(2)),
        ("0", Measure::Cpu, Err(BelowMinimum)),
        ("-1", Measure::Bytes, Err(BelowMinimum)),
        ("1.5", Measure::Count, Err(InvalidFormat)),
        ("eight", Measure::Cpu, Err(InvalidFormat)),
        ("", Measure::Cpu, Err(Required)),
        ("1e30", Measure::Bytes, Err(AboveMaximum)),
    ] {
        assert_eq!(read_quantity("x", text, measure).map_err(|e| e.code), expected, "{text}");
    }
}

#[test]
fn resources_stay_within_the_template() {
    assert_eq!(found(&sized(100, 16 << 30), &template()), one("resources.cpuMillis", BelowMinimum));
    assert_eq!(found(&sized(9000, 16 << 30), &template()), one("resources.cpuMillis", AboveMaximum));
    assert_eq!(found(&sized(1000, 33 << 30), &template()), one("resources.memoryBytes", AboveMaximum));
    let error = check_create(&sized(9000, 16 << 30), Some(&template()), None).swap_remove(0);
    assert_eq!(error.params["max"], "8");
    let mut gpus = create();
    gpus.resources.as_mut().expect("stated").accelerator =
        Some(Accelerator { resource: GPU_RESOURCE.into(), count: 5 });
    assert_eq!(found(&gpus, &template()), one("resources.accelerator.count", AboveMaximum));
}

#[test]
fn remote_access_needs_its_memory() {
    let remote = Template { remote_types: vec!["vscode-remote".into()], ..template() };
    assert_eq!(found(&sized(1000, 4 << 30), &remote), one("resources.memoryBytes", BelowMinimum));
}

#[test]
fn whole_gpus_and_slices_exclude_each_other() {
    let mixed = join_accelerator(Some(1), Some(("1g.5gb", 1))).map_err(|e| e.code);
    assert_eq!(mixed, Err(MixedAccelerators));
    let slice = join_accelerator(None, Some(("1g.5gb", 2)));
    assert_eq!(slice, Ok(Some(Accelerator { resource: "nvidia.com/mig-1g.5gb".into(), count: 2 })));
}

#[test]
fn images_are_compared_exactly() {
    let mut request = create();
    request.image = Some("public.ecr.aws/sagemaker/sagemaker-distribution:latest-gpu".into());
    assert_eq!(found(&request, &template()), one("image", NotAllowed));
    assert_eq!(found(&request, &Template { allow_custom_images: true, ..template() }), []);
    let listed = Template { allowed_images: request.image.iter().cloned().collect(), ..template() };
    assert_eq!(found(&request, &listed), []);
}

#[test]
fn storage_has_bounds_and_an_absolute_path() {
    let mut request = create();
    let storage = |size_bytes, path: Option<&str>| {
        Some(StorageRequest { size_bytes, class_name: None, mount_path: path.map(str::to_owned) })
    };
    request.storage = storage(101 << 30, None);
    assert_eq!(found(&request, &template()), one("storage.sizeBytes", AboveMaximum));
    request.storage = storage(0, None);
    assert_eq!(found(&request, &template()), one("storage.sizeBytes", BelowMinimum));
    request.storage = storage(5 << 30, Some("home"));
    assert_eq!(found(&request, &template()), one("storage.mountPath", InvalidFormat));
}

fn options() -> NamespaceOptions {
    let claim = |name: &str, zone: &str, owner: Option<&str>| ClaimOption {
        name: name.into(),
        size_bytes: None,
        zone: Some(zone.into()),
        access_modes: vec![],
        owned_by: owner.map(str::to_owned),
    };
    NamespaceOptions {
        templates: vec![template()],
        queues: Some(vec!["hyperpod-ns-team-a-localqueue".into()]),
        priority_classes: Some(vec!["interactive-priority".into()]),
        claims: Some(vec![claim("a", "z1", None), claim("b", "z2", None), claim("c", "z1", Some("other"))]),
        storage_classes: Some(vec![StorageClassOption {
            name: "gp3".into(),
            is_default: true,
            can_expand: false,
        }]),
        accelerators: Some(vec![AcceleratorOption {
            resource: GPU_RESOURCE.into(),
            instance_types: vec![],
            max_per_node: 8,
        }]),
        nodes: None,
        governed: true,
        denied: vec![],
    }
}

fn with_volumes(claims: &[(&str, &str)]) -> Vec<FieldCode> {
    let mut request = create();
    request.volumes = claims
        .iter()
        .map(|(claim, path)| VolumeRequest { claim: (*claim).into(), mount_path: (*path).into() })
        .collect();
    check_create(&request, Some(&template()), Some(&options())).into_iter().map(|e| e.code).collect()
}

#[test]
fn volumes_must_exist_lie_together_and_belong_to_nobody_else() {
    assert_eq!(with_volumes(&[("a", "/a")]), []);
    assert_eq!(with_volumes(&[("a", "/a"), ("b", "/b")]), [ZoneConflict]);
    assert_eq!(with_volumes(&[("a", "/a"), ("a", "/a")]), [Duplicate]);
    assert_eq!(with_volumes(&[("c", "/c")]), [NotAllowed]);
    assert_eq!(with_volumes(&[("none", "/n")]), [NotFound]);
    assert_eq!(with_volumes(&[("", "../n")]), [InvalidFormat, Required]);
}

#[test]
fn a_governed_namespace_needs_a_queue() {
    let check = |request: &CreateSpace| {
        let errors = check_create(request, Some(&template()), Some(&options()));
        errors.into_iter().map(|e| (e.path, e.code)).collect::<Vec<_>>()
    };
    assert_eq!(check(&CreateSpace { queue: None, ..create() }), one("queue", QueueRequired));
    assert_eq!(check(&CreateSpace { queue: Some("x".into()), ..create() }), one("queue", NotFound));
}

#[test]
fn variables_have_names_once_and_the_required_ones_exist() {
    let variable = |name: &str| EnvVar { name: name.into(), value: String::new() };
    let mut request = create();
    request.env = vec![variable("A"), variable("A"), variable("1B"), variable("")];
    let codes: Vec<_> = found(&request, &template()).into_iter().map(|(_, code)| code).collect();
    assert_eq!(codes, [Duplicate, InvalidFormat, Required]);
    let demand = PatternRequirement { name: "TEAM".into(), required: true, pattern: None };
    let strict = Template { env_requirements: vec![demand], ..template() };
    assert_eq!(found(&create(), &strict), one("env", Required));
}

#[test]
fn idle_rules_follow_the_templates_policy() {
    let check = |minutes: Option<i64>, enabled: bool, change: fn(&mut Template)| {
        let mut policy = template();
        change(&mut policy);
        let idle = Some(IdleRequest { enabled, timeout_minutes: minutes });
        found(&CreateSpace { idle, ..create() }, &policy)
            .into_iter()
            .map(|(_, code)| code)
            .collect::<Vec<_>>()
    };
    let locked = |t: &mut Template| {
        t.idle.may_override = Some(false);
        t.idle.default_enabled = Some(true);
        t.idle.default_timeout_minutes = Some(60);
    };
    assert_eq!(check(Some(30), true, |_| {}), []);
    assert_eq!(check(None, true, |_| {}), [Required]);
    assert_eq!(check(Some(0), true, |_| {}), [BelowMinimum]);
    assert_eq!(check(Some(60), true, locked), []);
    assert_eq!(check(Some(30), true, locked), [Immutable]);
    assert_eq!(check(None, false, locked), [Immutable]);
    let ranged = |t: &mut Template| {
        t.idle.may_override = Some(true);
        t.idle.max_timeout_minutes = Some(120);
    };
    assert_eq!(check(Some(121), true, ranged), [AboveMaximum]);
}

#[test]
fn idle_shutdown_without_detection_is_refused() {
    let open = Template { allow_custom_images: true, ..template() };
    let idle = Some(IdleRequest { enabled: true, timeout_minutes: Some(30) });
    let request = CreateSpace { idle, image: Some("quay.io/x/y".into()), ..create() };
    assert_eq!(found(&request, &open), one("idle.enabled", NoDetection));
}

#[test]
fn an_edit_checks_only_what_it_touches() {
    let check = |edit: SpaceEdit| {
        let mut space = row();
        space.storage = Some(SpaceStorage { size_bytes: Some(20 << 30), class_name: None, zone: None });
        let errors = check_edit(&space, &edit, Some(&template()));
        errors.into_iter().map(|e| e.code).collect::<Vec<_>>()
    };
    assert_eq!(check(SpaceEdit::default()), []);
    assert_eq!(check(SpaceEdit { storage_bytes: Some(10 << 30), ..SpaceEdit::default() }), [CannotShrink]);
    assert_eq!(check(SpaceEdit { storage_bytes: Some(101 << 30), ..SpaceEdit::default() }), [AboveMaximum]);
    assert_eq!(check(SpaceEdit { display_name: Some(" ".into()), ..SpaceEdit::default() }), [Required]);
    assert_eq!(check(SpaceEdit { image: Some("other".into()), ..SpaceEdit::default() }), [NotAllowed]);
}

#[test]
fn a_volume_cannot_be_added_later() {
    let edit = SpaceEdit { storage_bytes: Some(1), ..SpaceEdit::default() };
    let codes: Vec<_> = check_edit(&row(), &edit, None).into_iter().map(|e| e.code).collect();
    assert_eq!(codes, [Immutable]);
}

proptest! {
    #[test]
    fn any_numbers_are_checked_without_a_panic(cpu in any::<i64>(), memory in any::<i64>(), name in "\\PC{0,70}") {
        let mut request = sized(cpu, memory);
        request.name = name;
        let _ = check_create(&request, Some(&template()), Some(&options()));
    }
}
