//! A create request as the query string of a link, and back: links fill in the form and never submit it.

use super::create::{CreateSpace, EnvVar, IdleRequest, ResourceRequest, StorageRequest, VolumeRequest};
use super::{Accelerator, DesiredStatus, ObjectRef, Sharing};
use crate::path::encode;
use crate::quantity::{Quantity, format_bytes, format_cpu};

/// The request without `?`. What is not stated is left out.
pub fn to_query(request: &CreateSpace) -> String {
    let mut pairs: Vec<(&str, String)> = Vec::new();
    for (key, value) in
        [("namespace", &request.namespace), ("name", &request.name), ("displayName", &request.display_name)]
    {
        if !value.is_empty() {
            pairs.push((key, value.clone()));
        }
    }
    let mut optional = |key, value: Option<String>| pairs.extend(value.map(|v| (key, v)));
    optional("template", request.template.as_ref().map(|t| format!("{}/{}", t.namespace, t.name)));
    optional("image", request.image.clone());
    if let Some(resources) = &request.resources {
        optional("cpu", Some(format_cpu(resources.cpu_millis)));
        optional("memory", Some(format_bytes(resources.memory_bytes)));
        let accelerator = resources.accelerator.as_ref();
        optional("accelerator", accelerator.map(|a| format!("{}:{}", a.resource, a.count)));
        optional("instanceType", resources.instance_type.clone());
    }
    if let Some(storage) = &request.storage {
        optional("storage", Some(format_bytes(storage.size_bytes)));
        optional("storageClass", storage.class_name.clone());
        optional("mountPath", storage.mount_path.clone());
    }
    for volume in &request.volumes {
        optional("volume", Some(format!("{}:{}", volume.claim, volume.mount_path)));
    }
    for variable in &request.env {
        optional("env", Some(format!("{}={}", variable.name, variable.value)));
    }
    optional("queue", request.queue.clone());
    optional("priorityClass", request.priority_class.clone());
    optional("accessType", request.access_type.map(show_sharing));
    optional("ownershipType", request.ownership_type.map(show_sharing));
    optional("idle", request.idle.as_ref().map(show_idle));
    optional(
        "desiredStatus",
        (request.desired_status == DesiredStatus::Stopped).then(|| "Stopped".to_owned()),
    );
    pairs.iter().map(|(key, value)| format!("{key}={}", encode(value))).collect::<Vec<_>>().join("&")
}

/// Reads a link. Unknown keys and unreadable values are passed over: the form shows what is missing.
pub fn from_query(query: &str) -> CreateSpace {
    let mut request = CreateSpace::default();
    for pair in query.trim_start_matches('?').split('&') {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        if let Some(value) = decode(value).filter(|v| !v.is_empty()) {
            apply(&mut request, key, value);
        }
    }
    request
}

fn apply(request: &mut CreateSpace, key: &str, value: String) {
    match key {
        "namespace" => request.namespace = value,
        "name" => request.name = value,
        "displayName" => request.display_name = value,
        "template" => {
            request.template = value
                .split_once('/')
                .map(|(namespace, name)| ObjectRef { namespace: namespace.into(), name: name.into() });
        }
        "image" => request.image = Some(value),
        "volume" => {
            request.volumes.extend(
                value
                    .split_once(':')
                    .map(|(claim, path)| VolumeRequest { claim: claim.into(), mount_path: path.into() }),
            );
        }
        "env" => request.env.extend(
            value.split_once('=').map(|(name, value)| EnvVar { name: name.into(), value: value.into() }),
        ),
        "queue" => request.queue = Some(value),
        "priorityClass" => request.priority_class = Some(value),
        "accessType" => request.access_type = read_sharing(&value),
        "ownershipType" => request.ownership_type = read_sharing(&value),
        "idle" => request.idle = read_idle(&value),
        "desiredStatus" if value == "Stopped" => request.desired_status = DesiredStatus::Stopped,
        _ => apply_amount(request, key, value),
    }
}

fn apply_amount(request: &mut CreateSpace, key: &str, value: String) {
    let amount = || Quantity::parse(&value).ok().filter(|q| !q.is_negative());
    let storage = |request: &mut CreateSpace, set: &dyn Fn(&mut StorageRequest)| {
        let empty = StorageRequest { size_bytes: 0, class_name: None, mount_path: None };
        set(request.storage.get_or_insert(empty));
    };
    match key {
        "storage" => {
            if let Some(size) = amount() {
                storage(request, &|s| s.size_bytes = size.units());
            }
        }
        "storageClass" => storage(request, &|s| s.class_name = Some(value.clone())),
        "mountPath" => storage(request, &|s| s.mount_path = Some(value.clone())),
        "cpu" | "memory" | "accelerator" | "instanceType" => {
            let resources = request.resources.get_or_insert(ResourceRequest {
                cpu_millis: 0,
                memory_bytes: 0,
                accelerator: None,
                instance_type: None,
            });
            match key {
                "cpu" => resources.cpu_millis = amount().map_or(0, Quantity::millis),
                "memory" => resources.memory_bytes = amount().map_or(0, Quantity::units),
                "accelerator" => resources.accelerator = read_accelerator(&value),
                _ => resources.instance_type = Some(value),
            }
        }
        _ => {}
    }
}

fn read_accelerator(value: &str) -> Option<Accelerator> {
    let (resource, count) = value.rsplit_once(':')?;
    Some(Accelerator { resource: resource.to_owned(), count: count.parse().ok()? })
}

fn show_sharing(sharing: Sharing) -> String {
    if sharing == Sharing::Public { "Public".into() } else { "OwnerOnly".into() }
}

fn read_sharing(value: &str) -> Option<Sharing> {
    match value {
        "Public" => Some(Sharing::Public),
        "OwnerOnly" => Some(Sharing::OwnerOnly),
        _ => None,
    }
}

/// `off`, `on`, or a timeout in minutes.
fn show_idle(idle: &IdleRequest) -> String {
    match (idle.enabled, idle.timeout_minutes) {
        (false, _) => "off".into(),
        (true, None) => "on".into(),
        (true, Some(minutes)) => minutes.to_string(),
    }
}

fn read_idle(value: &str) -> Option<IdleRequest> {
    match value {
        "off" => Some(IdleRequest { enabled: false, timeout_minutes: None }),
        "on" => Some(IdleRequest { enabled: true, timeout_minutes: None }),
        _ => value.parse().ok().map(|m| IdleRequest { enabled: true, timeout_minutes: Some(m) }),
    }
}

/// Percent-decoding of one value; `None` when it is not UTF-8. `+` is a space, as forms write it.
fn decode(value: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        match (first, tail) {
            (b'%', [high, low, after @ ..]) => {
                let digit = |b: &u8| char::from(*b).to_digit(16);
                let byte = digit(high)? * 16 + digit(low)?;
                bytes.push(u8::try_from(byte).ok()?);
                rest = after;
            }
            (b'%', _) => return None,
            (b'+', _) => bytes.push(b' '),
            _ => bytes.push(*first),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::super::sample::create;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_full_request_survives_the_link() {
        let mut request = create();
        request.volumes = vec![VolumeRequest { claim: "data".into(), mount_path: "/data".into() }];
        request.env = vec![EnvVar { name: "A".into(), value: "x=y&z 实".into() }];
        request.idle = Some(IdleRequest { enabled: true, timeout_minutes: Some(45) });
        request.desired_status = DesiredStatus::Stopped;
        let resources = request.resources.as_mut().expect("stated");
        resources.accelerator = Some(Accelerator { resource: "nvidia.com/gpu".into(), count: 2 });
        resources.instance_type = Some("ml.g5.12xlarge".into());
        assert_eq!(from_query(&to_query(&request)), request);
    }

    #[test]
    fn nonsense_in_a_link_is_passed_over() {
        let request =
            from_query("?name=lab&cpu=eight&idle=soon&template=x&what=ever&&displayName=a+b&env=%ff");
        assert_eq!((request.name.as_str(), request.display_name.as_str()), ("lab", "a b"));
        assert_eq!((request.idle, request.template, request.env.len()), (None, None, 0));
    }

    proptest! {
        #[test]
        fn any_words_survive_the_link(name in "\\PC{1,20}", image in "\\PC{1,20}", value in "\\PC{0,20}") {
            let mut request = create();
            request.name = name;
            request.image = Some(image);
            request.env = vec![EnvVar { name: "A".into(), value }];
            prop_assert_eq!(from_query(&to_query(&request)), request);
        }

        #[test]
        fn any_link_is_read_without_a_panic(query in "\\PC{0,80}") {
            let _ = from_query(&query);
        }
    }
}
