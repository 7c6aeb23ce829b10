//! Reading Kubernetes objects as untyped JSON, so that one absurd field costs one field and not the object.

use serde_json::Value;
use spaceport_shared::quantity::Quantity;
use spaceport_shared::space::Oddity;
use spaceport_shared::time::Timestamp;

/// Reads fields and remembers what was missing or unreadable.
pub struct Reading<'a> {
    object: &'a Value,
    pub oddities: Vec<Oddity>,
}

impl<'a> Reading<'a> {
    pub fn new(object: &'a Value) -> Reading<'a> {
        Reading { object, oddities: Vec::new() }
    }

    fn odd(&mut self, path: &[&str], problem: &str) {
        self.oddities.push(Oddity { path: path.join("."), problem: problem.to_owned() });
    }

    pub fn text(&mut self, path: &[&str]) -> Option<String> {
        match at(self.object, path) {
            Value::Null => None,
            Value::String(text) => Some(text.clone()),
            _ => {
                self.odd(path, "unreadable");
                None
            }
        }
    }

    /// A text that every such object should have.
    pub fn expected(&mut self, path: &[&str]) -> Option<String> {
        let text = self.text(path);
        if at(self.object, path).is_null() {
            self.odd(path, "missing");
        }
        text
    }

    /// A text of a closed list; anything else is odd.
    pub fn word<T>(&mut self, path: &[&str], read: impl Fn(&str) -> Option<T>) -> Option<T> {
        let text = self.text(path)?;
        let word = read(&text);
        if word.is_none() {
            self.odd(path, "unreadable");
        }
        word
    }

    pub fn quantity(&mut self, path: &[&str]) -> Option<Quantity> {
        let value = at(self.object, path);
        if value.is_null() {
            return None;
        }
        let quantity = quantity(value).filter(|q| !q.is_negative());
        if quantity.is_none() {
            self.odd(path, "unreadable");
        }
        quantity
    }

    pub fn flag(&mut self, path: &[&str]) -> Option<bool> {
        let value = at(self.object, path);
        if !value.is_null() && !value.is_boolean() {
            self.odd(path, "unreadable");
        }
        value.as_bool()
    }

    pub fn number(&mut self, path: &[&str]) -> Option<i64> {
        let value = at(self.object, path);
        if !value.is_null() && value.as_i64().is_none() {
            self.odd(path, "unreadable");
        }
        value.as_i64()
    }
}

static NULL: Value = Value::Null;

/// The value at a path of keys; null where anything on the way is missing or no object.
pub fn at<'a>(value: &'a Value, path: &[&str]) -> &'a Value {
    path.iter().try_fold(value, |v, key| v.get(key)).unwrap_or(&NULL)
}

/// The text at a path; empty where there is none.
pub fn text<'a>(value: &'a Value, path: &[&str]) -> &'a str {
    at(value, path).as_str().unwrap_or_default()
}

pub fn owned(value: &Value, path: &[&str]) -> Option<String> {
    at(value, path).as_str().map(str::to_owned)
}

pub fn list<'a>(value: &'a Value, path: &[&str]) -> &'a [Value] {
    at(value, path).as_array().map_or(&[], Vec::as_slice)
}

pub fn time(value: &Value, path: &[&str]) -> Option<Timestamp> {
    at(value, path).as_str().and_then(Timestamp::parse)
}

/// A quantity as text or as a number, both of which the API server accepts.
pub fn quantity(value: &Value) -> Option<Quantity> {
    match value {
        Value::String(text) => Quantity::parse(text).ok(),
        Value::Number(number) => Quantity::parse(&number.to_string()).ok(),
        _ => None,
    }
}

pub fn namespace(object: &Value) -> &str {
    text(object, &["metadata", "namespace"])
}

pub fn name(object: &Value) -> &str {
    text(object, &["metadata", "name"])
}

/// The object's uid; its name where a uid is missing, which no API server does.
pub fn uid(object: &Value) -> String {
    owned(object, &["metadata", "uid"]).unwrap_or_else(|| format!("{}/{}", namespace(object), name(object)))
}

pub fn label<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    at(object, &["metadata", "labels", key]).as_str()
}

pub fn annotation<'a>(object: &'a Value, key: &str) -> Option<&'a str> {
    at(object, &["metadata", "annotations", key]).as_str()
}

pub fn created_at(object: &Value) -> Option<Timestamp> {
    time(object, &["metadata", "creationTimestamp"])
}
