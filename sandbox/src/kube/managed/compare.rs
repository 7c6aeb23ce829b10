//! Which fields differ between two states of an object, and which a configuration names.

use super::set::Set;
use crate::kube::schema::Shape;
use serde_json::Value;
use std::collections::BTreeMap;

/// Fields of a new state compared with an old one.
#[derive(Debug, Default)]
pub struct Comparison {
    pub added: Set,
    pub modified: Set,
    pub removed: Set,
}

impl Comparison {
    pub fn of(shape: Shape, old: &Value, new: &Value) -> Comparison {
        let mut comparison = Comparison::default();
        comparison.walk(shape, Some(old), Some(new), &mut Vec::new());
        comparison
    }

    /// Added and modified together.
    pub fn changed(&self) -> Set {
        self.added.union(&self.modified)
    }

    fn walk(&mut self, shape: Shape, old: Option<&Value>, new: Option<&Value>, path: &mut Vec<String>) {
        match (old, new) {
            (None, Some(_)) => self.added.insert(path),
            (Some(_), None) => self.removed.insert(path),
            _ => {}
        }
        let (olds, news) = (entries(shape, old), entries(shape, new));
        if olds.is_none() && news.is_none() {
            if old.is_some() && new.is_some() && old != new {
                self.modified.insert(path);
            }
            return;
        }
        let (olds, news) = (olds.unwrap_or_default(), news.unwrap_or_default());
        let mut names: Vec<&String> = olds.keys().chain(news.keys()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let (old, new) = (olds.get(name).copied(), news.get(name).copied());
            if old == new {
                continue;
            }
            path.push(name.clone());
            self.walk(below(shape, name), old, new, path);
            path.pop();
        }
    }
}

/// The named parts of a value; `None` when it has none and is only ever replaced.
pub(super) fn entries(shape: Shape, value: Option<&Value>) -> Option<BTreeMap<String, &Value>> {
    match (shape, value?) {
        (Shape::Struct(_) | Shape::Map(_) | Shape::Any, Value::Object(fields)) => {
            Some(fields.iter().map(|(key, value)| (format!("f:{key}"), value)).collect())
        }
        (Shape::List(..), Value::Array(items)) => {
            Some(items.iter().filter_map(|item| Some((shape.entry_name(item)?, item))).collect())
        }
        _ => None,
    }
}

/// The shape of a named part.
pub(super) fn below(shape: Shape, name: &str) -> Shape {
    match name.strip_prefix("f:") {
        Some(key) => shape.child(key),
        None => shape.item(),
    }
}

/// The fields that a configuration names.
///
/// # Errors
/// What makes it no configuration: an unknown field, the same key twice.
pub fn named(shape: Shape, config: &Value) -> Result<Set, String> {
    let mut set = Set::default();
    collect(shape, config, &mut Vec::new(), &mut set)?;
    Ok(set)
}

fn collect(shape: Shape, value: &Value, path: &mut Vec<String>, set: &mut Set) -> Result<(), String> {
    match (shape, value) {
        (Shape::Struct(_) | Shape::Map(_) | Shape::Any, Value::Object(fields)) => {
            for (key, value) in fields {
                path.push(format!("f:{key}"));
                if let Shape::Struct(one) = shape
                    && !one.open
                    && !one.fields.contains_key(key.as_str())
                {
                    return Err(format!("{}: field not declared in schema", super::set::describe(path)));
                }
                let empty = value.is_null() || value.as_object().is_some_and(serde_json::Map::is_empty);
                if empty {
                    set.insert(path);
                }
                collect(shape.child(key), value, path, set)?;
                path.pop();
            }
            Ok(())
        }
        (Shape::List(..), Value::Array(items)) => {
            let mut seen = Vec::new();
            for item in items {
                let Some(name) = shape.entry_name(item) else { continue };
                if seen.contains(&name) {
                    let key = super::set::describe(std::slice::from_ref(&name));
                    return Err(format!("{}: duplicate entries for key {key}", super::set::describe(path)));
                }
                path.push(name.clone());
                set.insert(path);
                collect(shape.item(), item, path, set)?;
                path.pop();
                seen.push(name);
            }
            Ok(())
        }
        _ => {
            set.insert(path);
            Ok(())
        }
    }
}
