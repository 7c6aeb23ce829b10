//! Custom resources against their types: what a CRD's OpenAPI schema would say, in its words.

use crate::kube::refusals::FieldError;
use crate::kube::schema::{self, Field, Order, Struct, Type};
use serde_json::Value;
use std::sync::LazyLock;

/// Quantities as apimachinery's CRD schema matches them.
const QUANTITY: &str = r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$";

static QUANTITY_PATTERN: LazyLock<regex::Regex> =
    LazyLock::new(|| regex::Regex::new(QUANTITY).expect("the pattern is a constant"));

/// Errors of spec, status and whatever else is not metadata.
pub(super) fn check(one: &'static Struct, object: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (name, field) in &one.fields {
        if !matches!(*name, "metadata" | "apiVersion" | "kind") {
            check_field(name, field, object, "", &mut errors);
        }
    }
    errors
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn check_field(name: &str, field: &'static Field, object: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let path = join(path, name);
    match object.get(name) {
        None if field.required => errors.push(FieldError::required(path, "")),
        None => {}
        Some(value) => {
            let before = errors.len();
            check_value(&field.ty, value, &path, errors);
            if errors.len() == before {
                check_limits(field, value, &path, errors);
            }
        }
    }
}

/// JSON schema's name for the type of a value.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn check_value(ty: &'static Type, value: &Value, path: &str, errors: &mut Vec<FieldError>) {
    let wanted = match ty {
        Type::Any => return,
        Type::Bool => "boolean",
        Type::Int => "integer",
        Type::Text | Type::Time | Type::MicroTime => "string",
        Type::List(_) => "array",
        Type::Map(_) | Type::Named(_) => "object",
        Type::Quantity | Type::IntOrText if value.is_string() || value.is_i64() => "",
        Type::Quantity | Type::IntOrText => "integer,string",
    };
    let found = type_of(value);
    if !wanted.is_empty() && wanted != found {
        let detail = format!("{path} in body must be of type {wanted}: \"{found}\"");
        errors.push(FieldError::wrong_type(path, found, &detail));
        return;
    }
    match (ty, value) {
        (Type::Quantity, Value::String(text)) if !QUANTITY_PATTERN.is_match(text) => {
            let detail = format!("{path} in body should match '{QUANTITY}'");
            errors.push(FieldError::invalid(path, value, &detail));
        }
        (Type::Time, Value::String(text)) if text.parse::<jiff::Timestamp>().is_err() => {
            let detail = format!("{path} in body must be of type date-time: {value}");
            errors.push(FieldError::invalid(path, value, &detail));
        }
        (Type::List(item), Value::Array(items)) => {
            for (at, value) in items.iter().enumerate() {
                check_value(item, value, &format!("{path}[{at}]"), errors);
            }
        }
        (Type::Map(ty), Value::Object(fields)) => {
            for (key, value) in fields {
                check_value(ty, value, &join(path, key), errors);
            }
        }
        (Type::Named(name), Value::Object(_)) => {
            let fields = schema::named(name).into_iter().flat_map(|one| &one.fields);
            for (name, field) in fields {
                check_field(name, field, value, path, errors);
            }
        }
        _ => {}
    }
}

fn check_limits(field: &Field, value: &Value, path: &str, errors: &mut Vec<FieldError>) {
    if let Some(text) = value.as_str() {
        if !field.supported.is_empty() && !field.supported.contains(&text) {
            errors.push(FieldError::unsupported(path, value, &field.supported));
        }
        let length = text.chars().count();
        if let Some(least) = field.min_length.filter(|least| length < *least) {
            let detail = format!("{path} in body should be at least {least} chars long");
            errors.push(FieldError::invalid(path, value, &detail));
        }
        if let Some(most) = field.max_length.filter(|most| length > *most) {
            errors.push(FieldError::too_long(path, most));
        }
    }
    if let (Some(least), Some(number)) = (field.min, value.as_i64())
        && number < least
    {
        let detail = format!("{path} in body should be greater than or equal to {least}");
        errors.push(FieldError::invalid(path, value, &detail));
    }
    let Some(items) = value.as_array() else { return };
    if let Some(most) = field.max_items.filter(|most| items.len() > *most) {
        errors.push(FieldError::too_many(path, items.len(), most));
    }
    check_entries(field, items, path, errors);
}

/// Entries of a set or a keyed list must differ.
fn check_entries(field: &Field, items: &[Value], path: &str, errors: &mut Vec<FieldError>) {
    let name = |item: &Value| match &field.order {
        Order::Atomic => None,
        Order::Set => Some(item.clone()),
        Order::Keyed(keys) => {
            let pairs = keys.iter().filter_map(|key| Some(((*key).to_owned(), item.get(key)?.clone())));
            Some(Value::Object(pairs.collect()))
        }
    };
    for (at, item) in items.iter().enumerate() {
        if let Some(name_of_item) = name(item)
            && items[..at].iter().any(|other| name(other).as_ref() == Some(&name_of_item))
        {
            errors.push(FieldError::duplicate(format!("{path}[{at}]"), &name_of_item));
        }
    }
}
