//! The part of Go's text/template that access strategies use: fields of `.Workspace`, `.AccessStrategy` and `.Service`,
//! `b32encode`, `index`.

use super::fields::{self, text};
use serde_json::Value;

/// What a template may speak of.
pub struct Context<'a> {
    pub space: &'a Value,
    pub strategy: &'a Value,
    pub service: &'a str,
}

impl Context<'_> {
    /// # Errors
    /// A sentence that names the action which cannot be evaluated.
    pub fn render(&self, template: &str) -> Result<String, String> {
        let mut rendered = String::with_capacity(template.len());
        let mut rest = template;
        while let Some((before, after)) = rest.split_once("{{") {
            let (action, behind) = after.split_once("}}").ok_or("template: unclosed action")?;
            rendered.push_str(before);
            rendered.push_str(&self.evaluate(action.trim_matches('-').trim())?);
            rest = behind;
        }
        rendered.push_str(rest);
        Ok(rendered)
    }

    fn evaluate(&self, action: &str) -> Result<String, String> {
        let (expression, filter) = match action.split_once('|') {
            Some((expression, filter)) => (expression.trim(), Some(filter.trim())),
            None => (action, None),
        };
        let value = match expression.split_once(' ') {
            None => self.field(expression)?,
            Some(("b32encode", argument)) => b32encode(&self.field(argument.trim())?),
            Some(("index", arguments)) => self.index(arguments.trim())?,
            Some((function, _)) => return Err(format!("template: function \"{function}\" not defined")),
        };
        match filter {
            None => Ok(value),
            Some("b32encode") => Ok(b32encode(&value)),
            Some(function) => Err(format!("template: function \"{function}\" not defined")),
        }
    }

    fn index(&self, arguments: &str) -> Result<String, String> {
        let (map, key) = arguments.split_once(' ').ok_or("template: index needs a key")?;
        let key = key.trim().trim_matches('"');
        let pointer = self.value(map)?;
        Ok(fields::spelled_or_empty(&pointer[key]))
    }

    fn field(&self, path: &str) -> Result<String, String> {
        if path == ".Service.Name" {
            return Ok(self.service.to_owned());
        }
        self.value(path).map(fields::spelled_or_empty)
    }

    /// Go field names to JSON's: `.Workspace.Spec.AppType` is `spec.appType`; metadata is embedded.
    fn value(&self, path: &str) -> Result<&Value, String> {
        let mut parts = path.strip_prefix('.').unwrap_or_default().split('.');
        let root = match parts.next() {
            Some("Workspace") => self.space,
            Some("AccessStrategy") => self.strategy,
            _ => return Err(format!("template: can't evaluate field {path}")),
        };
        let mut value = root;
        for (depth, part) in parts.enumerate() {
            if depth == 0 && !matches!(part, "Spec" | "Status" | "ObjectMeta") {
                value = &value["metadata"];
            }
            value = match part {
                "ObjectMeta" => &value["metadata"],
                "UID" => &value["uid"],
                _ => &value[lower_first(part)],
            };
        }
        Ok(value)
    }
}

fn lower_first(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_ascii_lowercase().to_string() + letters.as_str())
}

/// Lower-case, unpadded base32.
pub fn b32encode(value: &str) -> String {
    data_encoding::BASE32_NOPAD.encode(value.as_bytes()).to_ascii_lowercase()
}

/// The strategy a Space names by its labels.
pub fn strategy_reference(space: &Value) -> Option<(&str, &str)> {
    let reference = &space["spec"]["accessStrategy"];
    let strategy = text(&reference["name"]);
    let place = Some(text(&reference["namespace"])).filter(|place| !place.is_empty());
    (!strategy.is_empty()).then(|| (place.unwrap_or_else(|| fields::namespace(space)), strategy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn render(template: &str) -> Result<String, String> {
        let space = json!({
            "metadata": {"name": "lab", "namespace": "ns", "annotations": {"a.b/c": "who"}},
            "spec": {"appType": "jupyterlab"},
        });
        Context { space: &space, strategy: &json!({"metadata": {"name": "s"}}), service: "svc" }
            .render(template)
    }

    #[test]
    fn the_forms_of_the_shipped_strategy_are_rendered() {
        assert_eq!(
            render("{{ .Workspace.Name }}-{{ b32encode .Workspace.Namespace }}.d").as_deref(),
            Ok("lab-nzzq.d")
        );
        assert_eq!(render("{{.Workspace.Namespace | b32encode}}").as_deref(), Ok("nzzq"));
        assert_eq!(render("{{ .Workspace.Spec.AppType }}").as_deref(), Ok("jupyterlab"));
        assert_eq!(render("{{ index .Workspace.Annotations \"a.b/c\" }}").as_deref(), Ok("who"));
        assert_eq!(render("{{- .Service.Name -}}").as_deref(), Ok("svc"));
        assert_eq!(render("{{ .AccessStrategy.Name }}").as_deref(), Ok("s"));
        assert_eq!(render("{{ .Workspace.Spec.None }}").as_deref(), Ok(""));
    }

    #[test]
    fn what_is_not_understood_is_named() {
        assert!(render("{{ printf 1 }}").is_err_and(|e| e.contains("printf")));
        assert!(render("{{ .Other }}").is_err());
        assert!(render("{{ open").is_err());
    }
}
