//! Objects as YAML, laid out as the API server lays them out: keys sorted, lists not indented, quotes only where a
//! text would be read as something else.

use serde_json::Value;

pub fn write(value: &Value) -> String {
    let mut out = String::new();
    match value {
        Value::Object(_) | Value::Array(_) => block(&mut out, value, 0),
        scalar => {
            out.push_str(&inline(scalar));
            out.push('\n');
        }
    }
    out
}

fn is_block(value: &Value) -> bool {
    match value {
        Value::Object(fields) => !fields.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    }
}

fn block(out: &mut String, value: &Value, indent: usize) {
    let margin = " ".repeat(indent);
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_by_key(|(key, _)| key.as_str());
            for (position, (key, value)) in fields.into_iter().enumerate() {
                // The first key of a list item stands behind the dash.
                if position > 0 || out.is_empty() || out.ends_with('\n') {
                    out.push_str(&margin);
                }
                out.push_str(&text(key));
                out.push(':');
                nested(out, value, indent);
            }
        }
        Value::Array(items) => {
            for item in items {
                if out.is_empty() || out.ends_with('\n') {
                    out.push_str(&margin);
                }
                out.push('-');
                if is_block(item) {
                    out.push(' ');
                    block(out, item, indent + 2);
                } else {
                    scalar(out, item, indent + 2);
                }
            }
        }
        _ => {}
    }
}

fn nested(out: &mut String, value: &Value, indent: usize) {
    if !is_block(value) {
        return scalar(out, value, indent + 2);
    }
    out.push('\n');
    block(out, value, if value.is_array() { indent } else { indent + 2 });
}

/// Texts of several lines are written as such.
fn scalar(out: &mut String, value: &Value, indent: usize) {
    match value {
        Value::String(text) if text.contains('\n') && is_literal(text) => {
            out.push_str(if text.ends_with('\n') { " |\n" } else { " |-\n" });
            for line in text.trim_end_matches('\n').split('\n') {
                if !line.is_empty() {
                    out.push_str(&" ".repeat(indent));
                    out.push_str(line);
                }
                out.push('\n');
            }
        }
        _ => {
            out.push(' ');
            let column = out.len() - out.rfind('\n').map_or(0, |at| at + 1);
            out.push_str(&fold(&inline(value), column, indent));
            out.push('\n');
        }
    }
}

/// Long texts go on in a new line at the first blank behind this column.
const WIDTH: usize = 80;

fn fold(text: &str, mut column: usize, indent: usize) -> String {
    let double_quoted = text.starts_with('"');
    let letters: Vec<char> = text.chars().collect();
    let mut folded = String::with_capacity(text.len());
    for (position, letter) in letters.iter().enumerate() {
        let alone = |at: usize| letters.get(at).is_some_and(|letter| *letter != ' ');
        if *letter == ' '
            && column > WIDTH
            && !double_quoted
            && position > 0
            && alone(position - 1)
            && alone(position + 1)
        {
            folded.push('\n');
            folded.push_str(&" ".repeat(indent));
            column = indent;
        } else {
            folded.push(*letter);
            column += 1;
        }
    }
    folded
}

fn is_literal(text: &str) -> bool {
    !text.starts_with([' ', '\n'])
        && !text.ends_with("\n\n")
        && text.chars().all(|letter| letter == '\n' || letter == '\t' || !letter.is_control())
}

fn inline(value: &Value) -> String {
    match value {
        Value::Object(_) => "{}".to_owned(),
        Value::Array(_) => "[]".to_owned(),
        Value::String(content) => text(content),
        other => other.to_string(),
    }
}

fn text(content: &str) -> String {
    if is_plain(content) {
        return content.to_owned();
    }
    if content.chars().any(char::is_control) || reads_as_other(content) || content.is_empty() {
        return serde_json::to_string(content).unwrap_or_default();
    }
    format!("'{}'", content.replace('\'', "''"))
}

fn is_plain(content: &str) -> bool {
    const SPECIAL: &[char] = &[
        '-', '?', ':', ',', '[', ']', '{', '}', '#', '&', '*', '!', '|', '>', '\'', '"', '%', '@', '`', ' ',
    ];
    let dash_word = content.starts_with(['-', '?', ':'])
        && content.chars().nth(1).is_some_and(|letter| letter != ' ' && !matches!(content, "---"));
    !content.is_empty()
        && (!content.starts_with(SPECIAL) || dash_word)
        && !content.ends_with([':', ' '])
        && !content.contains(": ")
        && !content.contains(" #")
        && !content.chars().any(char::is_control)
        && !reads_as_other(content)
}

/// Would a YAML reader take it for a number, a time, a truth value or nothing?
fn reads_as_other(content: &str) -> bool {
    const WORDS: [&str; 14] =
        ["y", "n", "yes", "no", "on", "off", "true", "false", "null", "~", ".inf", "-.inf", "+.inf", ".nan"];
    let lower = content.to_ascii_lowercase();
    let number = content.replace('_', "");
    let based = ["0x", "0o", "0b"]
        .iter()
        .any(|base| lower.strip_prefix(base).is_some_and(|rest| u64::from_str_radix(rest, 16).is_ok()));
    let date = content.len() >= 10
        && content.is_char_boundary(10)
        && content[..10].parse::<jiff::civil::Date>().is_ok();
    let numeric = number.starts_with(|letter: char| letter.is_ascii_digit() || "+-.".contains(letter))
        && number.parse::<f64>().is_ok();
    WORDS.contains(&lower.as_str()) || based || date || numeric
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_stand_under_their_key() {
        let value = json!({"b": [{"y": 1, "x": {}}, "s"], "a": {"c": [], "d": ["1", true]}});
        assert_eq!(write(&value), "a:\n  c: []\n  d:\n  - \"1\"\n  - true\nb:\n- x: {}\n  \"y\": 1\n- s\n");
    }

    #[test]
    fn quotes_only_where_needed() {
        let value = json!({"time": "2020-01-02T03:04:05Z", "text": "pods \"x\" not found", "colon": "a: b", "empty": ""});
        assert_eq!(
            write(&value),
            "colon: 'a: b'\nempty: \"\"\ntext: pods \"x\" not found\ntime: \"2020-01-02T03:04:05Z\"\n"
        );
    }

    #[test]
    fn long_texts_are_folded_behind_the_margin() {
        let long =
            "only the following media types are accepted: application/json;stream=watch, application/x";
        let expected = "message: 'only the following media types are accepted: application/json;stream=watch,\n  application/x'\n";
        assert_eq!(write(&json!({"message": long})), expected);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let value = json!({"a": ["-x", "1e3", "null", "two\nlines\n", "tab\there", " lead", "trail:", "#no", "it's"]});
        let read: Value = serde_saphyr::from_str(&write(&value)).expect("YAML");
        assert_eq!(read, value);
    }
}
