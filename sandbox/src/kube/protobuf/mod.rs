//! Protobuf bodies as kubectl and client-go send and take them, for the few kinds listed in `types`.
//!
//! An envelope (`k8s\0`, then `runtime.Unknown`) around a message; both directions are driven by the same tables.
//! Objects are JSON values on this side of the codec.

mod types;

use serde_json::{Map, Value, json};
use types::{Field, Kind};

const MAGIC: &[u8] = b"k8s\0";
/// Deeper than any message of the tables.
const DEPTH: usize = 16;

/// Can objects of this kind be written?
pub fn knows(api_version: &str, kind: &str) -> bool {
    types::message(api_version, kind).is_some()
}

/// An object with its envelope; `None` when its kind is not in the tables.
pub fn encode(object: &Value) -> Option<Vec<u8>> {
    let (api_version, kind) = (object["apiVersion"].as_str()?, object["kind"].as_str()?);
    let fields = types::message(api_version, kind)?;
    let mut meta = Vec::new();
    put_bytes(&mut meta, 1, api_version.as_bytes());
    put_bytes(&mut meta, 2, kind.as_bytes());
    let mut raw = Vec::new();
    write_message(&mut raw, fields, object);
    let mut body = MAGIC.to_vec();
    put_bytes(&mut body, 1, &meta);
    put_bytes(&mut body, 2, &raw);
    put_bytes(&mut body, 3, b"");
    put_bytes(&mut body, 4, b"");
    Some(body)
}

/// The object in an envelope. Empty fields are left out, as JSON clients leave them out.
///
/// # Errors
/// Why it cannot be read.
pub fn decode(bytes: &[u8]) -> Result<Value, String> {
    let body = bytes.strip_prefix(MAGIC).ok_or("provided data does not appear to be a protobuf message")?;
    let (mut api_version, mut kind, mut raw) = (String::new(), String::new(), &[][..]);
    for field in Reader(body) {
        match field? {
            (1, Wire::Bytes(meta)) => {
                for field in Reader(meta) {
                    match field? {
                        (1, Wire::Bytes(text)) => api_version = utf8(text)?,
                        (2, Wire::Bytes(text)) => kind = utf8(text)?,
                        _ => {}
                    }
                }
            }
            (2, Wire::Bytes(message)) => raw = message,
            _ => {}
        }
    }
    let fields = types::message(&api_version, &kind)
        .ok_or_else(|| format!("no kind \"{kind}\" is registered for version \"{api_version}\""))?;
    let mut object = read_message(raw, fields, DEPTH)?;
    object.insert("apiVersion".to_owned(), json!(api_version));
    object.insert("kind".to_owned(), json!(kind));
    Ok(Value::Object(object))
}

/// One value on the wire. Kubernetes' messages use no fixed-width fields.
enum Wire<'b> {
    Number(u64),
    Bytes(&'b [u8]),
}

struct Reader<'b>(&'b [u8]);

impl<'b> Iterator for Reader<'b> {
    type Item = Result<(u64, Wire<'b>), String>;

    fn next(&mut self) -> Option<Self::Item> {
        (!self.0.is_empty()).then(|| {
            self.field().ok_or_else(|| {
                // Ends the iteration: what follows cannot be trusted.
                self.0 = &[];
                "unexpected EOF".to_owned()
            })
        })
    }
}

impl<'b> Reader<'b> {
    fn field(&mut self) -> Option<(u64, Wire<'b>)> {
        let tag = self.number()?;
        let value = match tag & 7 {
            0 => Wire::Number(self.number()?),
            2 => {
                let length = usize::try_from(self.number()?).ok().filter(|length| *length <= self.0.len())?;
                let (bytes, rest) = self.0.split_at(length);
                self.0 = rest;
                Wire::Bytes(bytes)
            }
            _ => return None,
        };
        Some((tag >> 3, value))
    }

    fn number(&mut self) -> Option<u64> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }
}

fn utf8(bytes: &[u8]) -> Result<String, String> {
    String::from_utf8(bytes.to_vec()).map_err(|_| "a text is not UTF-8".to_owned())
}

fn read_message(bytes: &[u8], fields: &[Field], depth: usize) -> Result<Map<String, Value>, String> {
    let mut object = Map::new();
    let depth = depth.checked_sub(1).ok_or("the message is nested too deep")?;
    for part in Reader(bytes) {
        let (number, wire) = part?;
        let Some(field) = fields.iter().find(|field| u64::from(field.number) == number) else { continue };
        match (&field.kind, wire) {
            (Kind::Map, Wire::Bytes(entry)) => read_entry(&mut object, field, entry, None, depth)?,
            (Kind::MapOfLists, Wire::Bytes(entry)) => {
                read_entry(&mut object, field, entry, Some(types::EXTRA_VALUE), depth)?;
            }
            (_, wire) => {
                let Some(value) = read_value(field, wire, depth)? else { continue };
                if field.repeated {
                    push(&mut object, field.name, value);
                } else {
                    object.insert(field.name.to_owned(), value);
                }
            }
        }
    }
    Ok(object)
}

fn push(object: &mut Map<String, Value>, name: &str, value: Value) {
    let list = object.entry(name).or_insert_with(|| json!([]));
    if let Some(items) = list.as_array_mut() {
        items.push(value);
    }
}

fn read_entry(
    object: &mut Map<String, Value>,
    field: &Field,
    entry: &[u8],
    list: Option<&[Field]>,
    depth: usize,
) -> Result<(), String> {
    let (mut key, mut value) = (String::new(), list.map_or(json!(""), |_| json!([])));
    for part in Reader(entry) {
        match (part?, list) {
            ((1, Wire::Bytes(text)), _) => key = utf8(text)?,
            ((2, Wire::Bytes(text)), None) => value = json!(utf8(text)?),
            ((2, Wire::Bytes(items)), Some(fields)) => {
                value = read_message(items, fields, depth)?.remove("items").unwrap_or(json!([]));
            }
            _ => {}
        }
    }
    object.entry(field.name).or_insert_with(|| json!({}))[key] = value;
    Ok(())
}

fn read_value(field: &Field, wire: Wire<'_>, depth: usize) -> Result<Option<Value>, String> {
    Ok(match (&field.kind, wire) {
        (Kind::Text, Wire::Bytes(text)) => {
            let text = utf8(text)?;
            (field.repeated || !text.is_empty()).then(|| json!(text))
        }
        (Kind::Bool, Wire::Number(number)) => (number != 0).then_some(Value::Bool(true)),
        (Kind::Number, Wire::Number(number)) => (number != 0).then(|| json!(number.cast_signed())),
        (Kind::Message(fields), Wire::Bytes(message)) => {
            let message = read_message(message, fields, depth)?;
            // A message that is always written says nothing when it is empty.
            (field.repeated || field.presence || !message.is_empty()).then_some(Value::Object(message))
        }
        (Kind::Time | Kind::MicroTime, Wire::Bytes(message)) => {
            let time = read_message(message, types::TIME, depth)?;
            let seconds = time.get("seconds").and_then(Value::as_i64);
            let time = seconds.and_then(|seconds| jiff::Timestamp::from_second(seconds).ok());
            time.map(|time| json!(time.to_string()))
        }
        (Kind::Json, Wire::Bytes(raw)) => {
            let message = read_message(raw, types::RAW, depth)?;
            message.get("raw").and_then(Value::as_str).and_then(|raw| serde_json::from_str(raw).ok())
        }
        _ => return Err(format!("wrong wire type of {}", field.name)),
    })
}

fn put_number(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn put_tagged(out: &mut Vec<u8>, number: u32, value: u64) {
    put_number(out, u64::from(number) << 3);
    put_number(out, value);
}

fn put_bytes(out: &mut Vec<u8>, number: u32, bytes: &[u8]) {
    put_number(out, (u64::from(number) << 3) | 2);
    put_number(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn write_message(out: &mut Vec<u8>, fields: &[Field], object: &Value) {
    for field in fields {
        let value = &object[field.name];
        match (&field.kind, value) {
            (_, Value::Array(items)) if field.repeated => {
                items.iter().for_each(|item| write_value(out, field, item));
            }
            (Kind::Map | Kind::MapOfLists, Value::Object(entries)) => {
                for (key, value) in entries {
                    write_entry(out, field, key, value);
                }
            }
            (Kind::Message(inner), Value::Null) if !field.repeated && !field.presence => {
                let mut message = Vec::new();
                write_message(&mut message, inner, &json!({}));
                put_bytes(out, field.number, &message);
            }
            (_, Value::Null) => {}
            _ => write_value(out, field, value),
        }
    }
}

fn write_entry(out: &mut Vec<u8>, field: &Field, key: &str, value: &Value) {
    let mut entry = Vec::new();
    put_bytes(&mut entry, 1, key.as_bytes());
    if matches!(field.kind, Kind::Map) {
        put_bytes(&mut entry, 2, value.as_str().unwrap_or_default().as_bytes());
    } else {
        let mut items = Vec::new();
        write_message(&mut items, types::EXTRA_VALUE, &json!({"items": value}));
        put_bytes(&mut entry, 2, &items);
    }
    put_bytes(out, field.number, &entry);
}

fn write_value(out: &mut Vec<u8>, field: &Field, value: &Value) {
    let mut message = Vec::new();
    match &field.kind {
        Kind::Text => return put_bytes(out, field.number, value.as_str().unwrap_or_default().as_bytes()),
        Kind::Bool => return put_tagged(out, field.number, u64::from(value.as_bool().unwrap_or_default())),
        Kind::Number => {
            return put_tagged(out, field.number, value.as_i64().unwrap_or_default().cast_unsigned());
        }
        Kind::Message(fields) => write_message(&mut message, fields, value),
        Kind::Time | Kind::MicroTime => {
            let time: Option<jiff::Timestamp> = value.as_str().and_then(|text| text.parse().ok());
            let Some(time) = time else { return };
            put_tagged(&mut message, 1, time.as_second().cast_unsigned());
            let nanos = u64::from(time.subsec_nanosecond().unsigned_abs());
            put_tagged(&mut message, 2, if matches!(field.kind, Kind::MicroTime) { nanos } else { 0 });
        }
        Kind::Json => put_bytes(&mut message, 1, value.to_string().as_bytes()),
        Kind::Map | Kind::MapOfLists => return,
    }
    put_bytes(out, field.number, &message);
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_review_survives_the_wire() {
        let review = json!({
            "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
            "metadata": {"managedFields": [{"manager": "m", "time": "2020-01-02T03:04:05Z", "fieldsV1": {"f:spec": {}}}]},
            "spec": {"user": "u", "groups": ["a", "b"], "extra": {"k": ["1", "2"]}, "resourceAttributes": {"verb": "get"}},
            "status": {"allowed": true, "reason": "why"},
        });
        assert_eq!(decode(&encode(&review).unwrap()).unwrap(), review);
    }

    #[test]
    fn what_kubectl_sends_is_read() {
        // kubectl 1.37 auth can-i create workspaces
        let mut bytes = MAGIC.to_vec();
        let mut meta = Vec::new();
        put_bytes(&mut meta, 1, b"authorization.k8s.io/v1");
        put_bytes(&mut meta, 2, b"SelfSubjectAccessReview");
        put_bytes(&mut bytes, 1, &meta);
        // metadata with empty texts, then spec { resourceAttributes { namespace verb } }, then an empty status.
        let raw = b"\x0a\x04\x0a\x00\x12\x00\x12\x0b\x0a\x09\x0a\x01n\x12\x04list\x1a\x08\x08\x00\x12\x00\x1a\x00\x20\x00";
        put_bytes(&mut bytes, 2, raw);
        let review = decode(&bytes).unwrap();
        assert_eq!(review["spec"], json!({"resourceAttributes": {"namespace": "n", "verb": "list"}}));
        assert_eq!(review["metadata"], Value::Null);
    }

    #[test]
    fn broken_bodies_are_refused_not_trusted() {
        assert!(decode(b"{}").is_err());
        assert!(decode(b"k8s\0\x0a\xff\xff\xff\xff\x7f").is_err());
        assert!(decode(b"k8s\0\x0a").is_err());
    }
}
