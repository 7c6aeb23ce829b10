//! Numbers, sizes and times as a person of each language reads them. `Intl` of the browser does the work: no locale data
//! in the bundle.

use super::Language;
use js_sys::{Array, Intl, Object, Reflect};
use shared::time::Timestamp;
use wasm_bindgen::JsValue;

/// Replaces `{name}` by its value.
pub fn fill(text: &str, values: &[(&str, &str)]) -> String {
    let mut out = text.to_owned();
    for (name, value) in values {
        out = out.replace(&format!("{{{name}}}"), value);
    }
    out
}

fn options(pairs: &[(&str, &JsValue)]) -> Object {
    let object = Object::new();
    for (name, value) in pairs {
        // Setting a property of a fresh plain object cannot fail.
        let _ = Reflect::set(&object, &JsValue::from_str(name), value);
    }
    object
}

pub fn number(language: Language, value: f64) -> String {
    let locales = Array::of1(&JsValue::from_str(language.tag()));
    let format =
        Intl::NumberFormat::new(&locales, &options(&[("maximumFractionDigits", &JsValue::from_f64(2.0))]));
    format
        .format()
        .call1(&JsValue::UNDEFINED, &JsValue::from_f64(value))
        .ok()
        .and_then(|v| v.as_string())
        .unwrap_or_else(|| value.to_string())
}

/// Milli-cores as vCPU (`1.5`), without the unit.
pub fn cores(language: Language, millis: i64) -> String {
    number(language, millis as f64 / 1000.0)
}

/// Bytes with a binary unit (`16 GiB`).
pub fn bytes(language: Language, bytes: i64) -> String {
    const UNITS: [(&str, f64); 4] =
        [("TiB", 1_099_511_627_776.0), ("GiB", 1_073_741_824.0), ("MiB", 1_048_576.0), ("KiB", 1024.0)];
    let value = bytes as f64;
    match UNITS.iter().find(|(_, size)| value.abs() >= *size) {
        Some((unit, size)) => format!("{} {unit}", number(language, value / size)),
        None => format!("{} B", number(language, value)),
    }
}

/// A length of time in its largest one or two units (`2 min 5 s`).
pub fn duration(language: Language, seconds: i64) -> String {
    let seconds = seconds.max(0);
    let (d, h, m, s) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let words: [&str; 4] = match language {
        Language::En => [" d", " h", " min", " s"],
        Language::Zh => [" 天", " 小时", " 分钟", " 秒"],
    };
    let parts = [(d, words[0]), (h, words[1]), (m, words[2]), (s, words[3])];
    let first = parts.iter().position(|(n, _)| *n > 0).unwrap_or(3);
    parts[first..]
        .iter()
        .take(2)
        .enumerate()
        .filter(|(i, (n, _))| *i == 0 || *n > 0)
        .map(|(_, (n, unit))| format!("{n}{unit}"))
        .collect::<Vec<_>>()
        .join(" ")
}

/// Age in one unit with its direction (`3 minutes ago`).
pub fn relative(language: Language, then: Timestamp, now: Timestamp) -> String {
    let seconds = then.seconds_since(now);
    let (value, unit) = match seconds.abs() {
        0..=59 => (seconds, "second"),
        60..=3599 => (seconds / 60, "minute"),
        3600..=86_399 => (seconds / 3600, "hour"),
        _ => (seconds / 86_400, "day"),
    };
    let locales = Array::of1(&JsValue::from_str(language.tag()));
    let format =
        Intl::RelativeTimeFormat::new(&locales, &options(&[("numeric", &JsValue::from_str("auto"))]));
    format.format(value as f64, unit).into()
}

/// Date and time in the person's own zone, with the zone's name: the hover of every relative time.
pub fn clock_time(language: Language, at: Timestamp) -> String {
    let locales = Array::of1(&JsValue::from_str(language.tag()));
    let style =
        options(&[("dateStyle", &JsValue::from_str("medium")), ("timeStyle", &JsValue::from_str("long"))]);
    let format = Intl::DateTimeFormat::new(&locales, &style);
    let date = js_sys::Date::new(&JsValue::from_f64(at.0 as f64));
    format
        .format()
        .call1(&JsValue::UNDEFINED, &date)
        .ok()
        .and_then(|v| v.as_string())
        .unwrap_or_else(|| at.to_rfc3339())
}
