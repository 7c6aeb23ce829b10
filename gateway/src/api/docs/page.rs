//! Renders an OpenAPI document as one HTML page: no scripts, one inline style that the page's policy allows by hash.

use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt::Write;
use utoipa::openapi::OpenApi;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;\
    color:#1a202c;background:#fff}h2{margin-top:2.5rem}summary{cursor:pointer;padding:.4rem 0}\
    code,pre{font-family:ui-monospace,monospace;font-size:.9em}pre{background:#f4f5f7;padding:.75rem;overflow-x:auto;\
    border-radius:.4rem}.m{display:inline-block;min-width:4.5rem;font-weight:600}dt{font-weight:600;margin-top:.5rem}\
    @media(prefers-color-scheme:dark){body{color:#e2e8f0;background:#12161c}pre{background:#1c232d}a{color:#8ab4f8}}";
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

pub fn render(document: &OpenApi) -> String {
    let document = serde_json::to_value(document).unwrap_or_default();
    let mut out = String::with_capacity(64 << 10);
    let title = text(&document["info"]["title"]);
    out.push_str("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">");
    out.push_str("<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">");
    push(
        &mut out,
        format_args!("<title>{title}</title><style>{STYLE}</style></head><body><main><h1>{title}</h1>"),
    );
    push(&mut out, format_args!("<p>{}</p>", text(&document["info"]["description"])));
    out.push_str("<p>Machine-readable: <a href=\"/api/v1/openapi.json\">openapi.json</a></p>");
    for (tag, operations) in by_tag(&document) {
        push(&mut out, format_args!("<section><h2>{}</h2>", escape(&tag)));
        for (method, path, operation) in operations {
            push_operation(&mut out, method, path, operation);
        }
        out.push_str("</section>");
    }
    push_schemas(&mut out, &document);
    out.push_str("</main></body></html>");
    out
}

type Operation<'a> = (&'static str, &'a str, &'a Value);

fn by_tag(document: &Value) -> BTreeMap<String, Vec<Operation<'_>>> {
    let mut tags: BTreeMap<String, Vec<Operation>> = BTreeMap::new();
    for (path, item) in members(&document["paths"]) {
        for method in METHODS {
            if let Some(operation) = item.get(method) {
                let tag = operation["tags"][0].as_str().unwrap_or("other").to_owned();
                tags.entry(tag).or_default().push((method, path, operation));
            }
        }
    }
    tags
}

fn push_operation(out: &mut String, method: &str, path: &str, operation: &Value) {
    let verb = method.to_uppercase();
    push(
        out,
        format_args!(
            "<details id=\"{}\"><summary><span class=\"m\">{verb}</span><code>{}</code> {}</summary>",
            text(&operation["operationId"]),
            escape(path),
            text(&operation["summary"]),
        ),
    );
    push(out, format_args!("<p>{}</p>", text(&operation["description"])));
    let parameters = operation["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
    if !parameters.is_empty() {
        out.push_str("<h4>Parameters</h4><dl>");
        for parameter in parameters {
            let (name, place) = (text(&parameter["name"]), text(&parameter["in"]));
            let description = text(&parameter["description"]);
            push(out, format_args!("<dt><code>{name}</code> ({place})</dt><dd>{description}</dd>"));
        }
        out.push_str("</dl>");
    }
    if let Some(body) = operation.get("requestBody") {
        push(out, format_args!("<h4>Body</h4>{}", content(body)));
    }
    out.push_str("<h4>Answers</h4><dl>");
    for (status, answer) in members(&operation["responses"]) {
        let description = text(&answer["description"]);
        push(out, format_args!("<dt>{}</dt><dd>{description} {}</dd>", escape(status), content(answer)));
    }
    out.push_str("</dl></details>");
}

/// Media types of a body or answer, each with a link to its schema or the schema itself.
fn content(body: &Value) -> String {
    let mut out = String::new();
    for (kind, media) in members(&body["content"]) {
        push(&mut out, format_args!("<code>{}</code> {}", escape(kind), schema(&media["schema"])));
    }
    out
}

fn schema(schema: &Value) -> String {
    match schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        Some(name) => format!("<a href=\"#schema-{0}\">{0}</a>", escape(name)),
        None => format!("<pre>{}</pre>", escape(&pretty(schema))),
    }
}

fn push_schemas(out: &mut String, document: &Value) {
    out.push_str("<section><h2>Schemas</h2>");
    for (name, schema) in members(&document["components"]["schemas"]) {
        let name = escape(name);
        push(out, format_args!("<details id=\"schema-{name}\"><summary><code>{name}</code></summary>"));
        push(out, format_args!("<pre>{}</pre></details>", escape(&pretty(schema))));
    }
    out.push_str("</section>");
}

fn members(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter).map(|(key, value)| (key.as_str(), value))
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

fn text(value: &Value) -> String {
    escape(value.as_str().unwrap_or_default())
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn push(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    out.write_fmt(arguments).expect("writing to a String cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_on_the_page_and_no_script_is() {
        let document = crate::router::document();
        let page = render(&document);
        for (_, path, operation) in crate::router::table() {
            assert!(page.contains(&format!("id=\"{operation}\"")), "{path}");
        }
        assert!(!page.contains("<script"));
    }
}
