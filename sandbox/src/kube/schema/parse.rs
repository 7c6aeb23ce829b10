//! Reading the type files.

use super::{Field, Order, Schema, Struct, Type};
use std::collections::HashMap;

/// # Errors
/// The first line that is not understood.
pub(super) fn schema(sources: &[&'static str]) -> Result<Schema, String> {
    let mut schema = Schema { types: HashMap::new(), kinds: HashMap::new() };
    for source in sources {
        read(source, &mut schema)?;
    }
    Ok(schema)
}

fn read(source: &'static str, schema: &mut Schema) -> Result<(), String> {
    let mut current: Option<(bool, Struct)> = None;
    for line in source.lines() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(field) = line.strip_prefix("  ") {
            let (_, one) = current.as_mut().ok_or_else(|| format!("field outside a type: {line}"))?;
            let (name, field) = read_field(field)?;
            one.fields.insert(name, field);
            continue;
        }
        keep(current.take(), schema);
        let mut words = line.split_whitespace();
        let is_kind = match words.next() {
            Some("kind") => true,
            Some("type") => false,
            _ => return Err(format!("neither type nor kind: {line}")),
        };
        let mut one =
            Struct { name: words.next().ok_or_else(|| format!("no name: {line}"))?, ..Struct::default() };
        for word in words {
            match word {
                "atomic" => one.atomic = true,
                "open" => one.open = true,
                other => return Err(format!("unknown word {other}: {line}")),
            }
        }
        current = Some((is_kind, one));
    }
    keep(current.take(), schema);
    Ok(())
}

fn keep(one: Option<(bool, Struct)>, schema: &mut Schema) {
    match one {
        Some((true, mut one)) => {
            add_common(&mut one);
            schema.kinds.insert(one.name, one)
        }
        Some((false, one)) => schema.types.insert(one.name, one),
        None => None,
    };
}

/// The fields of every object.
pub(super) fn add_common(one: &mut Struct) {
    for (name, ty) in
        [("apiVersion", Type::Text), ("kind", Type::Text), ("metadata", Type::Named("ObjectMeta"))]
    {
        one.fields.insert(name, plain(ty, false));
    }
}

fn plain(ty: Type, required: bool) -> Field {
    Field {
        ty,
        required,
        order: Order::Atomic,
        atomic: false,
        supported: Vec::new(),
        min: None,
        min_length: None,
        max_length: None,
        max_items: None,
        default: None,
    }
}

fn read_field(line: &'static str) -> Result<(&'static str, Field), String> {
    let mut words = line.split_whitespace();
    let name = words.next().ok_or("empty field")?;
    let ty = read_type(words.next().ok_or_else(|| format!("no type: {line}"))?)?;
    let mut field = plain(ty, name.ends_with('!'));
    while let Some(word) = words.next() {
        match word {
            "set" => field.order = Order::Set,
            "atomic" => field.atomic = true,
            "by" => {
                let keys = words.next().ok_or_else(|| format!("no keys: {line}"))?;
                field.order = Order::Keyed(keys.split(',').collect());
            }
            rule => read_rule(rule, &mut field).map_err(|why| format!("{why}: {line}"))?,
        }
    }
    Ok((name.trim_end_matches('!'), field))
}

fn read_rule(rule: &'static str, field: &mut Field) -> Result<(), String> {
    let (name, value) = rule.split_once('=').ok_or_else(|| format!("unknown rule {rule}"))?;
    let number = || value.parse::<usize>().map_err(|error| error.to_string());
    match name {
        "enum" => field.supported = value.split('|').collect(),
        "min" => field.min = Some(value.parse().map_err(|_| format!("no number: {value}"))?),
        "minLength" => field.min_length = Some(number()?),
        "maxLength" => field.max_length = Some(number()?),
        "maxItems" => field.max_items = Some(number()?),
        "default" => field.default = Some(serde_json::from_str(value).map_err(|error| error.to_string())?),
        _ => return Err(format!("unknown rule {name}")),
    }
    Ok(())
}

fn read_type(text: &'static str) -> Result<Type, String> {
    let inner = |open: char, close: char| text.strip_prefix(open).and_then(|text| text.strip_suffix(close));
    if let Some(item) = inner('[', ']') {
        return Ok(Type::List(Box::new(read_type(item)?)));
    }
    if let Some(value) = inner('{', '}') {
        return Ok(Type::Map(Box::new(read_type(value)?)));
    }
    Ok(match text {
        "any" => Type::Any,
        "bool" => Type::Bool,
        "int" => Type::Int,
        "string" => Type::Text,
        "quantity" => Type::Quantity,
        "time" => Type::Time,
        "microtime" => Type::MicroTime,
        "intstr" => Type::IntOrText,
        name if name.starts_with(|first: char| first.is_ascii_uppercase()) => Type::Named(name),
        other => return Err(format!("unknown type {other}")),
    })
}
