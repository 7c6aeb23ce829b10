//! The create form as it is typed, and the request it stands for.
//!
//! A field that nobody touched is `None` and follows the template, also when another template is chosen; a field that
//! was touched keeps what was typed. Texts are kept as typed: an error never clears one.

use shared::error::{FieldCode, FieldError};
use shared::quantity::{format_bytes, format_cpu};
use shared::space::check::{Measure, check_create, read_quantity};
use shared::space::create::{
    CreateSpace, EnvVar, IdleRequest, ResourceRequest, StorageRequest, VolumeRequest,
};
use shared::space::{Accelerator, DesiredStatus, ObjectRef, Sharing};
use shared::template::{NamespaceOptions, Template};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IdleChoice {
    #[default]
    Template,
    Off,
    On,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    pub namespace: String,
    pub name: String,
    /// `None` follows the name.
    pub display_name: Option<String>,
    pub template: Option<ObjectRef>,
    pub image: Option<String>,
    pub cpu: Option<String>,
    pub memory: Option<String>,
    /// Resource name; empty is "none".
    pub accelerator: Option<String>,
    pub count: Option<String>,
    pub instance_type: Option<String>,
    pub storage: Option<String>,
    pub storage_class: Option<String>,
    /// Claim and mount path.
    pub volumes: Vec<(String, String)>,
    pub env: Vec<(String, String)>,
    pub queue: Option<String>,
    pub priority_class: Option<String>,
    pub access_type: Option<Sharing>,
    pub ownership_type: Option<Sharing>,
    pub idle: IdleChoice,
    pub idle_minutes: String,
    pub stopped: bool,
}

impl Draft {
    /// A form filled by a link. Amounts that the link does not state stay with the template.
    pub fn from_request(request: CreateSpace) -> Draft {
        let some = |text: String| (!text.is_empty()).then_some(text);
        let resources = request.resources.as_ref();
        let accelerator = resources.and_then(|r| r.accelerator.as_ref());
        let positive = |value: i64| (value > 0).then_some(value);
        Draft {
            namespace: request.namespace,
            name: request.name,
            display_name: some(request.display_name),
            template: request.template,
            image: request.image,
            cpu: resources.and_then(|r| positive(r.cpu_millis)).map(format_cpu),
            memory: resources.and_then(|r| positive(r.memory_bytes)).map(format_bytes),
            accelerator: accelerator.map(|a| a.resource.clone()),
            count: accelerator.map(|a| a.count.to_string()),
            instance_type: resources.and_then(|r| r.instance_type.clone()),
            storage: request.storage.as_ref().and_then(|s| positive(s.size_bytes)).map(format_bytes),
            storage_class: request.storage.as_ref().and_then(|s| s.class_name.clone()),
            volumes: request.volumes.into_iter().map(|v| (v.claim, v.mount_path)).collect(),
            env: request.env.into_iter().map(|e| (e.name, e.value)).collect(),
            queue: request.queue,
            priority_class: request.priority_class,
            access_type: request.access_type,
            ownership_type: request.ownership_type,
            idle: match &request.idle {
                None => IdleChoice::Template,
                Some(idle) if idle.enabled => IdleChoice::On,
                Some(_) => IdleChoice::Off,
            },
            idle_minutes: request
                .idle
                .and_then(|i| i.timeout_minutes)
                .map_or(String::new(), |m| m.to_string()),
            stopped: request.desired_status == DesiredStatus::Stopped,
        }
    }

    /// Takes the verdict's smallest change that helps, as if it had been typed.
    pub fn take_suggestion(&mut self, path: &str, value: &str) {
        match (path, value.parse::<i64>()) {
            ("resources.cpuMillis", Ok(millis)) => self.cpu = Some(format_cpu(millis)),
            ("resources.memoryBytes", Ok(bytes)) => self.memory = Some(format_bytes(bytes)),
            ("resources.accelerator.count", Ok(_)) => self.count = Some(value.to_owned()),
            ("resources.instanceType", _) => self.instance_type = Some(value.to_owned()),
            _ => {}
        }
    }

    pub fn shown_cpu(&self, template: Option<&Template>) -> String {
        let default = template.and_then(|t| t.default_resources.cpu_millis).map(format_cpu);
        self.cpu.clone().or(default).unwrap_or_default()
    }

    pub fn shown_memory(&self, template: Option<&Template>) -> String {
        let default = template.and_then(|t| t.default_resources.memory_bytes).map(format_bytes);
        self.memory.clone().or(default).unwrap_or_default()
    }

    pub fn shown_accelerator(&self, template: Option<&Template>) -> String {
        let default =
            template.and_then(|t| t.default_resources.accelerator.as_ref()).map(|a| a.resource.clone());
        self.accelerator.clone().or(default).unwrap_or_default()
    }

    pub fn shown_count(&self, template: Option<&Template>) -> String {
        let default =
            template.and_then(|t| t.default_resources.accelerator.as_ref()).map(|a| a.count.to_string());
        self.count.clone().or(default).unwrap_or_else(|| "1".to_owned())
    }

    pub fn shown_storage(&self, template: Option<&Template>) -> String {
        let default = template.and_then(|t| t.storage.default_bytes).map(format_bytes);
        self.storage.clone().or(default).unwrap_or_default()
    }

    pub fn shown_display_name(&self) -> String {
        self.display_name.clone().unwrap_or_else(|| self.name.clone())
    }

    fn resources(
        &self,
        template: Option<&Template>,
        errors: &mut Vec<FieldError>,
    ) -> Option<ResourceRequest> {
        let touched = self.cpu.is_some()
            || self.memory.is_some()
            || self.accelerator.is_some()
            || self.count.is_some()
            || self.instance_type.as_ref().is_some_and(|t| !t.is_empty());
        let mut read = |path: &str, text: String, measure| {
            read_quantity(path, &text, measure).map_err(|error| errors.push(error)).unwrap_or(0)
        };
        if !touched {
            return None;
        }
        let accelerator = Some(self.shown_accelerator(template)).filter(|r| !r.is_empty()).map(|resource| {
            let count = read("resources.accelerator.count", self.shown_count(template), Measure::Count);
            Accelerator { resource, count }
        });
        Some(ResourceRequest {
            cpu_millis: read("resources.cpuMillis", self.shown_cpu(template), Measure::Cpu),
            memory_bytes: read("resources.memoryBytes", self.shown_memory(template), Measure::Bytes),
            accelerator,
            instance_type: self.instance_type.clone().filter(|t| !t.is_empty()),
        })
    }

    fn storage(&self, template: Option<&Template>, errors: &mut Vec<FieldError>) -> Option<StorageRequest> {
        if self.storage.is_none() && self.storage_class.is_none() {
            return None;
        }
        let size = read_quantity("storage.sizeBytes", &self.shown_storage(template), Measure::Bytes);
        let size_bytes = size.map_err(|error| errors.push(error)).unwrap_or(0);
        Some(StorageRequest { size_bytes, class_name: self.storage_class.clone(), mount_path: None })
    }

    fn idle(&self, errors: &mut Vec<FieldError>) -> Option<IdleRequest> {
        match self.idle {
            IdleChoice::Template => None,
            IdleChoice::Off => Some(IdleRequest { enabled: false, timeout_minutes: None }),
            IdleChoice::On => {
                let minutes = self.idle_minutes.trim().parse::<i64>();
                if minutes.is_err() {
                    let code = if self.idle_minutes.trim().is_empty() {
                        FieldCode::Required
                    } else {
                        FieldCode::InvalidFormat
                    };
                    errors.push(
                        FieldError::new("idle.timeoutMinutes", code, "whole minutes").with("form", "60"),
                    );
                }
                Some(IdleRequest { enabled: true, timeout_minutes: minutes.ok() })
            }
        }
    }

    /// The request, and everything that is wrong with it as far as the browser can tell. One error a field: what
    /// could not be read is not judged as well.
    pub fn assemble(
        &self,
        template: Option<&Template>,
        options: Option<&NamespaceOptions>,
    ) -> (CreateSpace, Vec<FieldError>) {
        let mut errors = Vec::new();
        let request = CreateSpace {
            namespace: self.namespace.clone(),
            name: self.name.clone(),
            display_name: self.shown_display_name(),
            template: self.template.clone(),
            image: self.image.clone(),
            resources: self.resources(template, &mut errors),
            storage: self.storage(template, &mut errors),
            volumes: self
                .volumes
                .iter()
                .map(|(claim, path)| VolumeRequest { claim: claim.clone(), mount_path: path.clone() })
                .collect(),
            env: self
                .env
                .iter()
                .map(|(name, value)| EnvVar { name: name.clone(), value: value.clone() })
                .collect(),
            queue: self.queue.clone().filter(|q| !q.is_empty()),
            priority_class: self.priority_class.clone().filter(|p| !p.is_empty()),
            access_type: self.access_type,
            ownership_type: self.ownership_type,
            idle: self.idle(&mut errors),
            desired_status: if self.stopped { DesiredStatus::Stopped } else { DesiredStatus::Running },
        };
        if self.template.is_none() {
            errors.push(FieldError::new("template", FieldCode::Required, "choose a template"));
        }
        for error in check_create(&request, template, options) {
            if !errors.iter().any(|known| known.path == error.path) {
                errors.push(error);
            }
        }
        (request, errors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named() -> Draft {
        Draft {
            namespace: "hyperpod-ns-team-a".into(),
            name: "lab".into(),
            template: Some(ObjectRef { namespace: "jupyter-k8s-system".into(), name: "t".into() }),
            ..Draft::default()
        }
    }

    #[test]
    fn an_untouched_form_leaves_amounts_to_the_template() {
        let (request, errors) = named().assemble(None, None);
        assert_eq!((request.resources, request.storage, request.idle), (None, None, None));
        assert_eq!(request.display_name, "lab");
        assert_eq!(errors, vec![]);
    }

    #[test]
    fn what_cannot_be_read_is_reported_once_beside_its_field() {
        for typed in ["1e", "0", "-1", "drei", ""] {
            let draft = Draft { cpu: Some(typed.into()), memory: Some("8Gi".into()), ..named() };
            let (_, errors) = draft.assemble(None, None);
            assert_eq!(
                errors.iter().map(|e| e.path.as_str()).collect::<Vec<_>>(),
                ["resources.cpuMillis"],
                "{typed}"
            );
        }
    }

    #[test]
    fn exponents_and_fractions_are_read_as_kubernetes_reads_them() {
        let draft = Draft { cpu: Some("1e3m".into()), memory: Some("1.5Gi".into()), ..named() };
        assert_eq!(draft.assemble(None, None).1.len(), 1);
        let draft = Draft { cpu: Some("1.5".into()), memory: Some("1.5Gi".into()), ..named() };
        let resources = draft.assemble(None, None).0.resources.expect("both amounts were typed");
        assert_eq!((resources.cpu_millis, resources.memory_bytes), (1500, 1_610_612_736));
    }

    #[test]
    fn a_suggestion_is_taken_as_if_typed() {
        let mut draft = named();
        draft.take_suggestion("resources.cpuMillis", "3500");
        draft.take_suggestion("resources.memoryBytes", "8589934592");
        draft.take_suggestion("resources.instanceType", "ml.g5.xlarge");
        draft.take_suggestion("something.else", "1");
        let resources = draft.assemble(None, None).0.resources.expect("amounts were taken");
        assert_eq!((resources.cpu_millis, resources.memory_bytes), (3500, 8 << 30));
        assert_eq!(resources.instance_type.as_deref(), Some("ml.g5.xlarge"));
    }

    #[test]
    fn idle_shutdown_without_a_time_asks_for_one() {
        let draft = Draft { idle: IdleChoice::On, ..named() };
        assert!(draft.assemble(None, None).1.iter().any(|e| e.path == "idle.timeoutMinutes"));
    }

    #[test]
    fn a_link_fills_the_form_and_the_form_makes_the_same_request() {
        let draft = Draft { cpu: Some("2".into()), memory: Some("8Gi".into()), stopped: true, ..named() };
        let (request, _) = draft.assemble(None, None);
        let query = shared::space::prefill::to_query(&request);
        let again = Draft::from_request(shared::space::prefill::from_query(&query));
        assert_eq!(again.assemble(None, None).0, request);
    }
}
