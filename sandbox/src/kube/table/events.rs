//! Cells of events.

use super::age;
use jiff::Timestamp;
use serde_json::{Value, json};

pub fn last_seen(event: &Value) -> Value {
    let times = [&event["series"]["lastObservedTime"], &event["lastTimestamp"], &event["eventTime"]];
    ago(times.iter().find_map(|time| time.as_str()))
}

pub fn first_seen(event: &Value) -> Value {
    ago(event["firstTimestamp"].as_str().or_else(|| event["eventTime"].as_str()))
}

fn ago(time: Option<&str>) -> Value {
    json!(age::since(time, Timestamp::now()))
}

pub fn object(event: &Value) -> Value {
    let object = &event["involvedObject"];
    let (kind, name) =
        (object["kind"].as_str().unwrap_or_default(), object["name"].as_str().unwrap_or_default());
    json!(if name.is_empty() { kind.to_lowercase() } else { format!("{}/{name}", kind.to_lowercase()) })
}

pub fn source(event: &Value) -> Value {
    let source = &event["source"];
    let component =
        source["component"].as_str().or_else(|| event["reportingComponent"].as_str()).unwrap_or_default();
    json!(source["host"].as_str().map_or(component.to_owned(), |host| format!("{component}, {host}")))
}

pub fn message(event: &Value) -> Value {
    json!(event["message"].as_str().unwrap_or_default().trim())
}

pub fn count(event: &Value) -> Value {
    let count = event["series"]["count"].as_i64().or_else(|| event["count"].as_i64());
    json!(count.filter(|count| *count > 0).unwrap_or(1))
}

pub fn field(event: &Value) -> Value {
    json!(event["involvedObject"]["fieldPath"].as_str().unwrap_or_default())
}
