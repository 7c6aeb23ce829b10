//! Decoding an object against what its kind knows: types of fields, unknown fields, defaults of the schema.

use super::kinds::Kind;
use super::schema::{self, Shape, Struct, Type};
use serde_json::Value;

/// What to do about fields nobody knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    Ignore,
    Warn,
    Strict,
}

/// Go's name for the type of a JSON value.
pub fn go_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Checks types as Go's decoder would, drops unknown fields, and answers one warning for each of them and for each
/// key that came twice.
///
/// # Errors
/// What is wrong, to be worded as decode error by the caller: a wrong type, or an unknown field when strict.
pub fn check(
    kind: &Kind,
    object: &mut Value,
    strictness: Strictness,
    twice: Vec<String>,
) -> Result<Vec<String>, String> {
    check_metadata(&object["metadata"])?;
    let one = schema::of(kind);
    if !kind.custom {
        check_struct(one, object, "")?;
    }
    if kind.plural == "secrets" {
        check_base64(&object["data"])?;
    }
    let mut unknown = Vec::new();
    prune(Shape::Struct(one), object, String::new(), &mut unknown);
    let twice = twice.into_iter().map(|path| format!("duplicate field \"{path}\""));
    let unknown = unknown.into_iter().map(|path| format!("unknown field \"{path}\""));
    let texts: Vec<String> = twice.chain(unknown).collect();
    match strictness {
        Strictness::Strict if !texts.is_empty() => {
            Err(format!("strict decoding error: {}", texts.join(", ")))
        }
        Strictness::Warn => Ok(texts),
        _ => Ok(Vec::new()),
    }
}

fn prune(shape: Shape, value: &mut Value, path: String, unknown: &mut Vec<String>) {
    let Value::Object(fields) = value else { return };
    match shape {
        Shape::Struct(one) => {
            if !one.open {
                fields.retain(|key, _| {
                    let known = one.fields.contains_key(key.as_str());
                    if !known {
                        unknown.push(join(&path, key));
                    }
                    known
                });
            }
            for (key, value) in fields {
                if let Some(field) = one.fields.get(key.as_str()) {
                    prune_type(&field.ty, value, join(&path, key), unknown);
                }
            }
        }
        Shape::Map(ty) => {
            for (key, value) in fields {
                prune_type(ty, value, join(&path, key), unknown);
            }
        }
        _ => {}
    }
}

fn prune_type(ty: &'static Type, value: &mut Value, path: String, unknown: &mut Vec<String>) {
    match (ty, value) {
        (Type::List(item), Value::Array(items)) => {
            for (at, value) in items.iter_mut().enumerate() {
                prune_type(item, value, format!("{path}[{at}]"), unknown);
            }
        }
        (Type::Map(ty), value @ Value::Object(_)) => prune(Shape::Map(ty), value, path, unknown),
        (Type::Named(name), value) => {
            if let Some(one) = schema::named(name) {
                prune(Shape::Struct(one), value, path, unknown);
            }
        }
        _ => {}
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Go's name for a type, as its decoder prints it.
fn go_name(ty: &Type) -> String {
    match ty {
        Type::Any => "interface {}".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Int => "int32".to_owned(),
        Type::Text => "string".to_owned(),
        Type::Quantity => "resource.Quantity".to_owned(),
        Type::Time => "v1.Time".to_owned(),
        Type::MicroTime => "v1.MicroTime".to_owned(),
        Type::IntOrText => "intstr.IntOrString".to_owned(),
        Type::Map(value) => format!("map[string]{}", go_name(value)),
        Type::List(item) => format!("[]{}", go_name(item)),
        Type::Named(name) => format!("v1.{name}"),
    }
}

fn check_struct(one: &'static Struct, value: &Value, path: &str) -> Result<(), String> {
    for (key, value) in value.as_object().into_iter().flatten() {
        if key == "metadata" || value.is_null() {
            continue;
        }
        let Some(field) = one.fields.get(key.as_str()) else { continue };
        let path = join(path, key);
        check_type(&field.ty, value, one.name, &path)?;
    }
    Ok(())
}

fn check_type(ty: &'static Type, value: &Value, owner: &str, path: &str) -> Result<(), String> {
    let fits = match ty {
        Type::Any => true,
        Type::Bool => value.is_boolean(),
        Type::Int => value.is_i64() || value.is_u64(),
        Type::Text | Type::Time | Type::MicroTime => value.is_string(),
        Type::Quantity => return check_quantity(value),
        Type::IntOrText => value.is_string() || value.is_i64(),
        Type::List(_) => value.is_array(),
        Type::Map(_) | Type::Named(_) => value.is_object(),
    };
    if !fits {
        let (found, wanted) = (go_type(value), go_name(ty));
        return Err(format!(
            "json: cannot unmarshal {found} into Go struct field {owner}.{path} of type {wanted}"
        ));
    }
    match (ty, value) {
        (Type::List(item), Value::Array(items)) => items
            .iter()
            .filter(|item| !item.is_null())
            .try_for_each(|value| check_type(item, value, owner, path)),
        (Type::Map(ty), Value::Object(fields)) => fields
            .values()
            .filter(|value| !value.is_null())
            .try_for_each(|value| check_type(ty, value, owner, path)),
        (Type::Named(name), value) => match schema::named(name) {
            Some(one) => check_struct(one, value, path),
            None => Ok(()),
        },
        (Type::Time | Type::MicroTime, Value::String(text)) => check_time(text),
        _ => Ok(()),
    }
}

fn check_quantity(value: &Value) -> Result<(), String> {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    };
    if spaceport_shared::quantity::Quantity::parse(&text).is_ok() {
        return Ok(());
    }
    Err("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
        .to_owned())
}

fn check_time(text: &str) -> Result<(), String> {
    if text.parse::<jiff::Timestamp>().is_ok() {
        return Ok(());
    }
    Err(format!(
        "parsing time \"{text}\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"{text}\" as \"2006\""
    ))
}

fn check_base64(data: &Value) -> Result<(), String> {
    for text in data.as_object().into_iter().flatten().filter_map(|(_, value)| value.as_str()) {
        data_encoding::BASE64
            .decode(text.as_bytes())
            .map_err(|error| format!("illegal base64 data at input byte {}", error.position))?;
    }
    Ok(())
}

fn check_metadata(metadata: &Value) -> Result<(), String> {
    let cannot = |value: &Value, field: &str, wanted: &str| {
        let found = go_type(value);
        Err(format!(
            "json: cannot unmarshal {found} into Go struct field ObjectMeta.{field} of type {wanted}"
        ))
    };
    if !metadata.is_object() && !metadata.is_null() {
        let found = go_type(metadata);
        return Err(format!("json: cannot unmarshal {found} into Go value of type v1.ObjectMeta"));
    }
    for field in ["name", "generateName", "namespace", "uid", "resourceVersion", "selfLink"] {
        let value = &metadata[field];
        if !value.is_string() && !value.is_null() {
            return cannot(value, field, "string");
        }
    }
    for field in ["labels", "annotations"] {
        match &metadata[field] {
            Value::Null => {}
            Value::Object(entries) => {
                if let Some(value) = entries.values().find(|value| !value.is_string()) {
                    return cannot(value, field, "string");
                }
            }
            other => return cannot(other, field, "map[string]string"),
        }
    }
    for (field, wanted) in [("finalizers", "[]string"), ("ownerReferences", "[]v1.OwnerReference")] {
        if !metadata[field].is_array() && !metadata[field].is_null() {
            return cannot(&metadata[field], field, wanted);
        }
    }
    for field in ["creationTimestamp", "deletionTimestamp"] {
        if let Some(text) = metadata[field].as_str() {
            check_time(text)?;
        }
    }
    Ok(())
}

/// Fills in what the types give as defaults, in parts that are there.
pub fn fill_defaults(kind: &Kind, object: &mut Value) {
    fill_struct(schema::of(kind), object);
}

fn fill_struct(one: &'static Struct, value: &mut Value) {
    let Value::Object(fields) = value else { return };
    for (name, field) in &one.fields {
        if let Some(default) = &field.default
            && fields.get(*name).is_none_or(Value::is_null)
        {
            fields.insert((*name).to_owned(), default.clone());
        }
        if let Some(value) = fields.get_mut(*name) {
            fill_type(&field.ty, value);
        }
    }
}

fn fill_type(ty: &'static Type, value: &mut Value) {
    match (ty, value) {
        (Type::List(item), Value::Array(items)) => items.iter_mut().for_each(|value| fill_type(item, value)),
        (Type::Map(ty), Value::Object(fields)) => fields.values_mut().for_each(|value| fill_type(ty, value)),
        (Type::Named(name), value) => {
            if let Some(one) = schema::named(name) {
                fill_struct(one, value);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;
    use serde_json::json;

    fn space() -> Value {
        json!({"metadata": {"name": "w"}, "spec": {"displayName": "x", "bogus": 1, "env": [{"name": "A", "no": 1}]}})
    }

    #[test]
    fn unknown_fields_are_dropped_and_named() {
        let kind = crate::kube::kinds::by_plural("workspaces").unwrap();
        let mut object = space();
        let warnings = check(kind, &mut object, Strictness::Warn, Vec::new()).unwrap();
        assert_eq!(warnings, ["unknown field \"spec.bogus\"", "unknown field \"spec.env[0].no\""]);
        assert_eq!(object["spec"], json!({"displayName": "x", "env": [{"name": "A"}]}));
        let refused = check(kind, &mut space(), Strictness::Strict, Vec::new()).unwrap_err();
        assert!(refused.starts_with("strict decoding error: unknown field"));
    }

    #[test]
    fn schema_defaults_appear_only_inside_what_is_there() {
        let kind = crate::kube::kinds::by_plural("workspacetemplates").unwrap();
        let mut template = json!({"spec": {"primaryStorage": {}}});
        fill_defaults(kind, &mut template);
        assert_eq!(template["spec"]["primaryStorage"]["defaultSize"], "10Gi");
        assert_eq!(template["spec"].get("idleShutdownOverrides"), None);
    }
}
