//! Walking an object along its type.

use super::{Field, Order, Struct, Type};
use crate::kube::kinds::Kind;
use serde_json::{Map, Value};

/// What is known about the value at one place of an object.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// A scalar, or something that is only ever replaced as a whole.
    Leaf,
    /// Nothing is known: maps have fields, lists are replaced as a whole.
    Any,
    Struct(&'static Struct),
    Map(&'static Type),
    /// A list whose entries can be told apart.
    List(&'static Type, &'static Order),
}

impl Shape {
    pub fn of_kind(kind: &Kind) -> Shape {
        Shape::Struct(super::of(kind))
    }

    pub fn of_field(field: &'static Field) -> Shape {
        match &field.ty {
            Type::Map(_) if field.atomic => Shape::Leaf,
            Type::List(_) if field.order == Order::Atomic => Shape::Leaf,
            Type::List(item) => Shape::List(item, &field.order),
            other => Shape::of_type(other),
        }
    }

    pub fn of_type(ty: &'static Type) -> Shape {
        match ty {
            Type::Any => Shape::Any,
            Type::Map(value) => Shape::Map(value),
            Type::Named(name) => match super::named(name) {
                Some(one) if one.atomic => Shape::Leaf,
                Some(one) => Shape::Struct(one),
                None => Shape::Any,
            },
            _ => Shape::Leaf,
        }
    }

    /// The shape of a field or map entry.
    pub fn child(self, key: &str) -> Shape {
        match self {
            Shape::Struct(one) => match one.fields.get(key) {
                Some(field) => Shape::of_field(field),
                None => Shape::Any,
            },
            Shape::Map(value) => Shape::of_type(value),
            _ => Shape::Any,
        }
    }

    /// The shape of an entry of a list.
    pub fn item(self) -> Shape {
        match self {
            Shape::List(item, Order::Keyed(_)) => Shape::of_type(item),
            _ => Shape::Leaf,
        }
    }

    /// What tells an entry of this list apart, as field ownership writes it: `k:{…}` or `v:…`.
    pub fn entry_name(self, entry: &Value) -> Option<String> {
        match self {
            Shape::List(_, Order::Set) => Some(format!("v:{entry}")),
            Shape::List(_, Order::Keyed(keys)) => {
                let mut name = Map::new();
                for key in keys {
                    let value = match entry.get(key) {
                        Some(value) => value.clone(),
                        // The one key with a default (container and service ports).
                        None if *key == "protocol" => Value::from("TCP"),
                        None => continue,
                    };
                    name.insert((*key).to_owned(), value);
                }
                Some(format!("k:{}", Value::Object(name)))
            }
            _ => None,
        }
    }
}
