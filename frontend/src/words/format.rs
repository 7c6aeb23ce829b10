//! Numbers, sizes and times as a person of each language reads them. `Intl` of the browser does the work: no locale data
//! in the bundle.

use super::Language;
use js_sys::{Array, Intl, Object, Reflect};
use shared::quantity::Quantity;
use shared::space::{GPU_RESOURCE, MIG_PREFIX};
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

/// The browser's formatters of one language. Making one costs more than a hundred uses.
struct Formatters {
    number: Intl::NumberFormat,
    relative: Intl::RelativeTimeFormat,
    moment: Intl::DateTimeFormat,
}

impl Formatters {
    fn new(language: Language) -> Formatters {
        let locales = Array::of1(&JsValue::from_str(language.tag()));
        let digits = options(&[("maximumFractionDigits", &JsValue::from_f64(2.0))]);
        let numeric = options(&[("numeric", &JsValue::from_str("auto"))]);
        let style = options(&[
            ("dateStyle", &JsValue::from_str("medium")),
            ("timeStyle", &JsValue::from_str("long")),
        ]);
        Formatters {
            number: Intl::NumberFormat::new(&locales, &digits),
            relative: Intl::RelativeTimeFormat::new(&locales, &numeric),
            moment: Intl::DateTimeFormat::new(&locales, &style),
        }
    }
}

thread_local! {
    static ENGLISH: Formatters = Formatters::new(Language::En);
    static CHINESE: Formatters = Formatters::new(Language::Zh);
}

fn with<T>(language: Language, use_them: impl FnOnce(&Formatters) -> T) -> T {
    match language {
        Language::En => ENGLISH.with(use_them),
        Language::Zh => CHINESE.with(use_them),
    }
}

pub fn number(language: Language, value: f64) -> String {
    let text = with(language, |f| f.number.format().call1(&JsValue::UNDEFINED, &JsValue::from_f64(value)));
    text.ok().and_then(|v| v.as_string()).unwrap_or_else(|| value.to_string())
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
    with(language, |f| f.relative.format(value as f64, unit).into())
}

/// Date and time in the person's own zone, with the zone's name: the hover of every relative time.
pub fn clock_time(language: Language, at: Timestamp) -> String {
    let date = js_sys::Date::new(&JsValue::from_f64(at.0 as f64));
    let text = with(language, |f| f.moment.format().call1(&JsValue::UNDEFINED, &date));
    text.ok().and_then(|v| v.as_string()).unwrap_or_else(|| at.to_rfc3339())
}

/// A resource as people name it; Kubernetes' own name where they have no other.
pub fn resource_name(language: Language, resource: &str) -> String {
    let w = language.words();
    match resource {
        "cpu" => w.col_cpu.to_owned(),
        "memory" => w.col_memory.to_owned(),
        GPU_RESOURCE => w.col_gpu.to_owned(),
        other => match other.strip_prefix(MIG_PREFIX) {
            Some(profile) => format!("MIG {profile}"),
            None => other.to_owned(),
        },
    }
}

/// A quantity of a manifest in words of its resource; as written when it is none.
pub fn amount(language: Language, resource: &str, quantity: &str) -> String {
    let Ok(value) = Quantity::parse(quantity) else { return quantity.to_owned() };
    match resource {
        "cpu" => cores(language, value.millis()),
        "memory" => bytes(language, value.units()),
        _ => number(language, value.millis() as f64 / 1000.0),
    }
}

/// An application type by its product name.
pub fn app_name(id: &str) -> String {
    match id {
        "jupyterlab" => "JupyterLab".to_owned(),
        "code-editor" => "Code Editor".to_owned(),
        other => other.to_owned(),
    }
}
