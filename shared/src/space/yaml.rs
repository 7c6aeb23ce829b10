//! JSON values as YAML text: block style, every doubtful string quoted. Writes only; nothing here reads YAML.

use serde_json::Value;

/// The value as a YAML document, ending in a newline.
pub fn to_yaml(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value, 0, Place::Start);
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

/// What stands before the value on its line.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Nothing but indentation.
    Start,
    AfterKey,
    AfterDash,
}

fn write_value(out: &mut String, value: &Value, depth: usize, place: Place) {
    let gap = if place == Place::AfterKey { " " } else { "" };
    match value {
        Value::Object(map) if !map.is_empty() => {
            if place == Place::AfterKey {
                out.push('\n');
            }
            for (index, (key, item)) in map.iter().enumerate() {
                if !(index == 0 && place == Place::AfterDash) {
                    indent(out, depth);
                }
                out.push_str(&scalar(key));
                out.push(':');
                write_value(out, item, depth + 1, Place::AfterKey);
                end_line(out);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            if place == Place::AfterKey {
                out.push('\n');
            }
            for (index, item) in items.iter().enumerate() {
                if !(index == 0 && place == Place::AfterDash) {
                    indent(out, depth);
                }
                out.push_str("- ");
                write_value(out, item, depth + 1, Place::AfterDash);
                end_line(out);
            }
        }
        Value::String(text) => {
            out.push_str(gap);
            out.push_str(&scalar(text));
        }
        other => {
            out.push_str(gap);
            out.push_str(&other.to_string());
        }
    }
}

fn indent(out: &mut String, depth: usize) {
    for _ in 0..depth {
        out.push_str("  ");
    }
}

fn end_line(out: &mut String) {
    if !out.ends_with('\n') {
        out.push('\n');
    }
}

/// Plain where no YAML reader, old or new, could take it for anything but this string; JSON quotes otherwise.
fn scalar(text: &str) -> String {
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "/_.-:@".contains(c))
        && !text.ends_with(':')
        && !is_reserved(text);
    if plain { text.to_owned() } else { Value::String(text.to_owned()).to_string() }
}

/// Words that YAML 1.1 reads as booleans or null, and what it might read as a number.
fn is_reserved(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    matches!(
        lower.as_str(),
        "y" | "n" | "yes" | "no" | "on" | "off" | "true" | "false" | "null" | "inf" | "nan"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn maps_and_lists_nest_by_indentation() {
        let value = json!({"a": {"b": [1, {"c": "x", "d": []}, ["z"]]}, "e": {}, "f": null});
        let expected = "a:\n  b:\n    - 1\n    - c: x\n      d: []\n    - - z\ne: {}\nf: null\n";
        assert_eq!(to_yaml(&value), expected);
    }

    #[test]
    fn doubtful_strings_are_quoted() {
        for (text, expected) in [
            ("lab", "lab"),
            ("no", "\"no\""),
            ("1e3", "\"1e3\""),
            ("", "\"\""),
            ("a: b", "\"a: b\""),
            ("- x", "\"- x\""),
            ("张伟", "\"张伟\""),
            ("a\nb", "\"a\\nb\""),
            ("#x", "\"#x\""),
            ("image:latest", "image:latest"),
        ] {
            assert_eq!(to_yaml(&json!(text)), format!("{expected}\n"));
        }
    }
}
