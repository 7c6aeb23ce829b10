//! Types of the served kinds: fields, lists with keys, limits. Pruning, validation, strategic merge and field
//! ownership all read them.
//!
//! The types stand in small text files beside this module, one line a field:
//! `name[!] type [by key,key | set | atomic] [enum=a|b] [min=n] [minLength=n] [maxLength=n] [maxItems=n] [default=json]`
//! where `!` means required and a type is a scalar, `{type}` (map), `[type]` (list), `any`, or the name of a type.

mod parse;
mod shape;

use super::kinds::Kind;
use serde_json::Value;
pub use shape::Shape;
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// Kept as given. Its lists are atomic.
    Any,
    Bool,
    Int,
    Text,
    /// A number with a unit, as text or integer.
    Quantity,
    Time,
    /// A time with microseconds.
    MicroTime,
    IntOrText,
    Map(Box<Type>),
    List(Box<Type>),
    Named(&'static str),
}

/// How two versions of a list are brought together.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Order {
    #[default]
    Atomic,
    Set,
    /// Entries are told apart by these fields.
    Keyed(Vec<&'static str>),
}

#[derive(Clone, Debug)]
pub struct Field {
    pub ty: Type,
    pub required: bool,
    pub order: Order,
    /// A map that is replaced as a whole.
    pub atomic: bool,
    pub supported: Vec<&'static str>,
    pub min: Option<i64>,
    pub min_length: Option<usize>,
    pub max_length: Option<usize>,
    pub max_items: Option<usize>,
    pub default: Option<Value>,
}

#[derive(Clone, Debug, Default)]
pub struct Struct {
    pub name: &'static str,
    pub fields: BTreeMap<&'static str, Field>,
    /// Replaced as a whole by server-side apply.
    pub atomic: bool,
    /// Unknown fields are kept.
    pub open: bool,
}

struct Schema {
    types: HashMap<&'static str, Struct>,
    kinds: HashMap<&'static str, Struct>,
}

const SOURCES: &[&str] = &[
    include_str!("core.types"),
    include_str!("builtin.types"),
    include_str!("workspace.types"),
    include_str!("kueue.types"),
];

static SCHEMA: LazyLock<Schema> =
    LazyLock::new(|| parse::schema(SOURCES).expect("the type files are tested"));

/// The type of kinds that are not described: metadata, and whatever else.
static UNKNOWN: LazyLock<Struct> = LazyLock::new(|| {
    let mut one = Struct { name: "Object", open: true, ..Struct::default() };
    parse::add_common(&mut one);
    one
});

/// The type of a kind.
pub fn of(kind: &Kind) -> &'static Struct {
    SCHEMA.kinds.get(kind.plural).unwrap_or(&UNKNOWN)
}

/// A named type.
pub fn named(name: &str) -> Option<&'static Struct> {
    SCHEMA.types.get(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_files_are_well_formed() {
        let schema = parse::schema(SOURCES).expect("every line is understood");
        let all = schema.types.values().chain(schema.kinds.values());
        for field in all.flat_map(|one| one.fields.values()) {
            let mut ty = &field.ty;
            while let Type::Map(inner) | Type::List(inner) = ty {
                ty = inner;
            }
            if let Type::Named(name) = ty {
                assert!(schema.types.contains_key(name), "unknown type {name}");
            }
        }
    }

    #[test]
    fn every_described_kind_is_served() {
        for plural in SCHEMA.kinds.keys() {
            assert!(crate::kube::kinds::by_plural(plural).is_some(), "{plural}");
        }
    }
}
