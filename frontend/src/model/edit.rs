//! The edit of a Space as it is typed. Only what differs from the Space is sent: a field that nobody touched can not
//! be reset by a form that did not show it.

use shared::error::FieldError;
use shared::quantity::{format_bytes, format_cpu};
use shared::space::check::{Measure, check_edit, read_quantity};
use shared::space::create::ResourceRequest;
use shared::space::{Accelerator, Sharing, SpaceEdit, SpaceRow};
use shared::template::Template;

/// Texts as typed, begun with what the Space has.
#[derive(Clone, Debug, PartialEq)]
pub struct EditDraft {
    pub display_name: String,
    pub image: String,
    pub cpu: String,
    pub memory: String,
    /// Resource name; empty is "none".
    pub accelerator: String,
    pub count: String,
    pub instance_type: String,
    pub storage: String,
    pub access_type: Sharing,
    pub ownership_type: Sharing,
}

impl EditDraft {
    pub fn of(row: &SpaceRow) -> EditDraft {
        let accelerator = row.resources.accelerator.as_ref();
        let size = row.storage.as_ref().and_then(|s| s.size_bytes);
        EditDraft {
            display_name: row.display_name.clone(),
            image: row.image.clone().unwrap_or_default(),
            cpu: row.resources.cpu_millis.map(format_cpu).unwrap_or_default(),
            memory: row.resources.memory_bytes.map(format_bytes).unwrap_or_default(),
            accelerator: accelerator.map(|a| a.resource.clone()).unwrap_or_default(),
            count: accelerator.map_or(1, |a| a.count).to_string(),
            instance_type: row.resources.instance_type.clone().unwrap_or_default(),
            storage: size.map(format_bytes).unwrap_or_default(),
            access_type: row.access_type,
            ownership_type: row.ownership_type,
        }
    }

    /// The changes against the Space the form began with, and all that is wrong with them.
    pub fn changes(&self, row: &SpaceRow, template: Option<&Template>) -> (SpaceEdit, Vec<FieldError>) {
        let before = EditDraft::of(row);
        let mut errors = Vec::new();
        let changed = |now: &String, then: &String| (now != then).then(|| now.trim().to_owned());
        let edit = SpaceEdit {
            display_name: changed(&self.display_name, &before.display_name),
            image: changed(&self.image, &before.image),
            resources: self.resources(&before, &mut errors),
            storage_bytes: (self.storage != before.storage)
                .then(|| read("storageBytes", &self.storage, Measure::Bytes, &mut errors)),
            access_type: (self.access_type != before.access_type).then_some(self.access_type),
            ownership_type: (self.ownership_type != before.ownership_type).then_some(self.ownership_type),
            ..SpaceEdit::default()
        };
        for error in check_edit(row, &edit, template) {
            if !errors.iter().any(|known| known.path == error.path) {
                errors.push(error);
            }
        }
        (edit, errors)
    }

    /// Resources go as a whole or not at all, as the object holds them.
    fn resources(&self, before: &EditDraft, errors: &mut Vec<FieldError>) -> Option<ResourceRequest> {
        let all = |d: &EditDraft| {
            let count = if d.accelerator.is_empty() { String::new() } else { d.count.clone() };
            [d.cpu.clone(), d.memory.clone(), d.accelerator.clone(), count, d.instance_type.clone()]
        };
        if all(self) == all(before) {
            return None;
        }
        let accelerator = (!self.accelerator.is_empty()).then(|| Accelerator {
            resource: self.accelerator.clone(),
            count: read("resources.accelerator.count", &self.count, Measure::Count, errors),
        });
        Some(ResourceRequest {
            cpu_millis: read("resources.cpuMillis", &self.cpu, Measure::Cpu, errors),
            memory_bytes: read("resources.memoryBytes", &self.memory, Measure::Bytes, errors),
            accelerator,
            instance_type: Some(self.instance_type.clone()).filter(|t| !t.is_empty()),
        })
    }
}

/// Zero stands for what cannot be read; the error keeps it from being sent.
fn read(path: &str, text: &str, measure: Measure, errors: &mut Vec<FieldError>) -> i64 {
    read_quantity(path, text, measure).unwrap_or_else(|error| {
        errors.push(error);
        0
    })
}

/// Whether the edit restarts a running Space: everything that reaches its pod does.
pub fn restarts(edit: &SpaceEdit) -> bool {
    edit.image.is_some() || edit.resources.is_some() || edit.env.is_some() || edit.idle.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shared::error::FieldCode;
    use shared::space::{DesiredStatus, IdleRule, Owner, SpaceResources, SpaceStatus, SpaceStorage};

    fn row() -> SpaceRow {
        SpaceRow {
            id: "uid-1".into(),
            cluster: "sandbox".into(),
            namespace: "hyperpod-ns-team-a".into(),
            name: "lab".into(),
            display_name: "Lab".into(),
            app_type: None,
            status: SpaceStatus::Running,
            reason: None,
            desired_status: DesiredStatus::Running,
            status_since: None,
            owner: Owner::from_username(None),
            access_type: Sharing::Public,
            ownership_type: Sharing::Public,
            template: None,
            image: Some("img:1".into()),
            resources: SpaceResources::new(Some(2000), Some(8 << 30), None),
            storage: Some(SpaceStorage { size_bytes: Some(20 << 30), class_name: None, zone: None }),
            queue: None,
            priority_class: None,
            idle: IdleRule::default(),
            cost_per_hour: None,
            created_at: None,
            resource_version: "7".into(),
            connection_types: vec![],
            oddities: vec![],
        }
    }

    fn changes(edit: impl FnOnce(&mut EditDraft)) -> (SpaceEdit, Vec<(String, FieldCode)>) {
        let mut draft = EditDraft::of(&row());
        edit(&mut draft);
        let (edit, errors) = draft.changes(&row(), None);
        (edit, errors.into_iter().map(|e| (e.path, e.code)).collect())
    }

    #[test]
    fn an_untouched_form_changes_nothing() {
        assert_eq!(changes(|_| {}), (SpaceEdit::default(), vec![]));
    }

    #[test]
    fn an_edit_of_the_cpu_leaves_the_volume_out() {
        let (edit, errors) = changes(|d| d.cpu = "4".into());
        assert_eq!(errors, vec![]);
        assert_eq!(edit.storage_bytes, None);
        assert_eq!(edit.resources.as_ref().map(|r| (r.cpu_millis, r.memory_bytes)), Some((4000, 8 << 30)));
        assert!(restarts(&edit));
    }

    #[test]
    fn a_count_without_an_accelerator_is_no_change() {
        assert_eq!(changes(|d| d.count = "4".into()).0, SpaceEdit::default());
    }

    #[test]
    fn a_new_name_or_a_larger_volume_restarts_nothing() {
        let (edit, errors) = changes(|d| {
            d.display_name = "Other".into();
            d.storage = "30Gi".into();
        });
        assert_eq!((errors, restarts(&edit)), (vec![], false));
        assert_eq!(edit.storage_bytes, Some(30 << 30));
    }

    #[test]
    fn what_is_wrong_is_named_once_at_its_field() {
        let (_, errors) = changes(|d| d.storage = "10Gi".into());
        assert_eq!(errors, vec![("storageBytes".to_owned(), FieldCode::CannotShrink)]);
        let (_, errors) = changes(|d| d.memory = "much".into());
        assert_eq!(errors, vec![("resources.memoryBytes".to_owned(), FieldCode::InvalidFormat)]);
        let (_, errors) = changes(|d| d.display_name = " ".into());
        assert_eq!(errors, vec![("displayName".to_owned(), FieldCode::Required)]);
    }
}
