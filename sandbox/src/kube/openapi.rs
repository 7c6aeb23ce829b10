//! OpenAPI documents, made from the same types that validation reads: what `kubectl create`, `apply` and `explain`
//! look up. One document a group version (v3), and a head of the old single document (v2).

use super::kinds::{self, Kind};
use super::schema::{self, Field, Order, Struct, Type};
use data_encoding::HEXUPPER;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// A document and the hash that clients cache it by.
pub struct Document {
    pub text: String,
    pub hash: String,
}

/// By path below `/openapi/v3/`: `api/v1`, `apis/workspace.jupyter.org/v1alpha1`.
static DOCUMENTS: LazyLock<BTreeMap<String, Document>> = LazyLock::new(|| {
    let mut served: BTreeSet<(&str, &str)> = BTreeSet::new();
    for kind in kinds::all() {
        served.extend(kind.versions.iter().map(|version| (kind.group, *version)));
        served.extend(kind.alias.map(|alias| (alias.group, alias.version)));
    }
    let own = served.into_iter().map(|(group, version)| (place(group, version), of_group(group, version)));
    let bare =
        ["apis", "version"].map(|path| (path.to_owned(), with_head("Kubernetes", json!({}), json!({}))));
    own.chain(bare).map(|(path, content)| (path, document(&content))).collect()
});

fn place(group: &str, version: &str) -> String {
    if group.is_empty() { format!("api/{version}") } else { format!("apis/{group}/{version}") }
}

fn document(content: &Value) -> Document {
    let text = content.to_string();
    // Upstream's hashes are of 64 bytes; clients only compare them.
    let digest = Sha256::digest(text.as_bytes());
    let hash = HEXUPPER.encode(&digest).repeat(2);
    Document { text, hash }
}

/// The document at a path below `/openapi/v3/`.
pub fn find(path: &str) -> Option<&'static Document> {
    DOCUMENTS.get(path)
}

/// `/openapi/v3`
pub fn index() -> Value {
    let paths: Map<String, Value> = DOCUMENTS
        .iter()
        .map(|(path, document)| {
            let url = format!("/openapi/v3/{path}?hash={}", document.hash);
            (path.clone(), json!({"serverRelativeURL": url}))
        })
        .collect();
    json!({"paths": paths})
}

fn with_head(title: &str, paths: Value, schemas: Value) -> Value {
    json!({
        "openapi": "3.0.0", "info": {"title": title, "version": "v0.1.0"}, "paths": paths,
        "components": {"schemas": schemas},
    })
}

fn of_group(group: &str, version: &str) -> Value {
    let kinds: Vec<&Kind> = kinds::all().iter().filter(|kind| kind.served_as(group, version)).collect();
    let (mut paths, mut schemas) = (Map::new(), Map::new());
    for kind in &kinds {
        add_paths(&mut paths, kind, group, version);
        add_kind(&mut schemas, kind, group, version);
    }
    let custom = kinds.iter().any(|kind| kind.custom);
    let title = if custom { "Kubernetes CRD Swagger" } else { "Kubernetes" };
    with_head(title, Value::Object(paths), Value::Object(schemas))
}

/// `org.jupyter.workspace.v1alpha1.Workspace`: the group backwards, as upstream names models.
fn model(group: &str, version: &str, name: &str) -> String {
    if group.is_empty() {
        return format!("io.k8s.api.core.{version}.{name}");
    }
    let mut parts: Vec<&str> = group.split('.').collect();
    parts.reverse();
    format!("{}.{version}.{name}", parts.join("."))
}

const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

fn reference(model: &str) -> Value {
    json!({"allOf": [{"$ref": format!("#/components/schemas/{model}")}], "default": {}})
}

fn add_paths(paths: &mut Map<String, Value>, kind: &Kind, group: &str, version: &str) {
    let root = format!("/{}", place(group, version));
    let scope = if kind.namespaced { format!("{root}/namespaces/{{namespace}}") } else { root.clone() };
    let collection = format!("{scope}/{}", kind.plural);
    let one = format!("{collection}/{{name}}");
    let operation = |action: &str| operation(kind, group, version, action);
    let read_list = json!({"get": operation("list")});
    if kind.namespaced {
        paths.insert(format!("{root}/{}", kind.plural), read_list.clone());
    }
    let mut list = read_list;
    list["post"] = operation("post");
    list["delete"] = operation("deletecollection");
    paths.insert(collection, list);
    let whole = json!({
        "get": operation("get"), "put": operation("put"), "patch": operation("patch"), "delete": operation("delete"),
    });
    paths.insert(one.clone(), whole);
    if kind.status {
        let status = json!({"get": operation("get"), "put": operation("put"), "patch": operation("patch")});
        paths.insert(format!("{one}/status"), status);
    }
}

/// kubectl looks here for the kind, and for whether the server validates fields itself.
fn operation(kind: &Kind, group: &str, version: &str, action: &str) -> Value {
    let text =
        |name: &str| json!({"name": name, "in": "query", "schema": {"type": "string", "uniqueItems": true}});
    let parameters = match action {
        "post" | "put" | "patch" => vec![text("dryRun"), text("fieldManager"), text("fieldValidation")],
        "list" => vec![text("labelSelector"), text("fieldSelector"), text("limit"), text("continue")],
        _ => Vec::new(),
    };
    let model = reference(&model(group, version, kind.kind));
    let content = json!({"application/json": {"schema": model}});
    let mut operation = json!({
        "parameters": parameters, "responses": {"200": {"description": "OK", "content": content.clone()}},
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": {"group": group, "version": version, "kind": kind.kind},
    });
    if matches!(action, "post" | "put") {
        operation["requestBody"] = json!({"content": content});
    }
    operation
}

fn add_kind(schemas: &mut Map<String, Value>, kind: &Kind, group: &str, version: &str) {
    let own = schema::of(kind);
    let mut shape = structure(schemas, own);
    let text = json!({"type": "string"});
    shape["properties"]["apiVersion"] = text.clone();
    shape["properties"]["kind"] = text;
    if !schemas.contains_key(OBJECT_META) {
        let meta = json!({"type": "object", "properties": {
            "name": {"type": "string"}, "namespace": {"type": "string"},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "annotations": {"type": "object", "additionalProperties": {"type": "string"}},
        }});
        schemas.insert(OBJECT_META.to_owned(), meta);
    }
    shape["properties"]["metadata"] = reference(OBJECT_META);
    let names = |kind: &str| json!([{"group": group, "version": version, "kind": kind}]);
    shape["x-kubernetes-group-version-kind"] = names(kind.kind);
    let item = model(group, version, kind.kind);
    let list_kind = format!("{}List", kind.kind);
    let list = json!({
        "type": "object", "required": ["items"],
        "properties": {"items": {"type": "array", "items": reference(&item)}},
        "x-kubernetes-group-version-kind": names(&list_kind),
    });
    schemas.insert(item, shape);
    schemas.insert(model(group, version, &list_kind), list);
}

fn structure(schemas: &mut Map<String, Value>, own: &Struct) -> Value {
    let mut properties = Map::new();
    for (name, field) in
        own.fields.iter().filter(|(name, _)| !matches!(**name, "apiVersion" | "kind" | "metadata"))
    {
        properties.insert((*name).to_owned(), of_field(schemas, field));
    }
    let required: Vec<&str> =
        own.fields.iter().filter(|(_, field)| field.required).map(|(name, _)| *name).collect();
    let mut shape = json!({"type": "object", "properties": properties});
    if !required.is_empty() {
        shape["required"] = json!(required);
    }
    if own.open {
        shape["x-kubernetes-preserve-unknown-fields"] = json!(true);
    }
    shape
}

fn of_field(schemas: &mut Map<String, Value>, field: &Field) -> Value {
    let mut shape = of_type(schemas, &field.ty);
    match &field.order {
        Order::Keyed(keys) => {
            shape["x-kubernetes-list-type"] = json!("map");
            shape["x-kubernetes-list-map-keys"] = json!(keys);
            shape["x-kubernetes-patch-merge-key"] = json!(keys[0]);
            shape["x-kubernetes-patch-strategy"] = json!("merge");
        }
        Order::Set => shape["x-kubernetes-list-type"] = json!("set"),
        Order::Atomic => {}
    }
    if !field.supported.is_empty() {
        shape["enum"] = json!(field.supported);
    }
    if let Some(default) = &field.default {
        shape["default"] = default.clone();
    }
    shape
}

fn of_type(schemas: &mut Map<String, Value>, ty: &Type) -> Value {
    match ty {
        Type::Any => json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true}),
        Type::Bool => json!({"type": "boolean"}),
        Type::Int => json!({"type": "integer"}),
        Type::Text => json!({"type": "string"}),
        Type::Quantity | Type::IntOrText => json!({"type": "string", "x-kubernetes-int-or-string": true}),
        Type::Time | Type::MicroTime => json!({"type": "string", "format": "date-time"}),
        Type::Map(inner) => json!({"type": "object", "additionalProperties": of_type(schemas, inner)}),
        Type::List(inner) => json!({"type": "array", "items": of_type(schemas, inner)}),
        Type::Named(name) => named(schemas, name),
    }
}

/// A shared type becomes a component of its own, so that types that contain themselves end.
fn named(schemas: &mut Map<String, Value>, name: &str) -> Value {
    let Some(own) = schema::named(name) else { return json!({"type": "object"}) };
    let component = format!("io.k8s.api.{name}");
    if !schemas.contains_key(&component) {
        schemas.insert(component.clone(), json!({}));
        let shape = structure(schemas, own);
        schemas.insert(component.clone(), shape);
    }
    reference(&component)
}

/// `/openapi/v2` as JSON: paths only. kubectl falls back to what it knows of built-in kinds.
pub fn old_document() -> Value {
    let mut paths = Map::new();
    for kind in kinds::all().iter().filter(|kind| kind.custom) {
        add_paths(&mut paths, kind, kind.group, kind.versions[0]);
    }
    let paths: Map<String, Value> = paths.into_iter().map(|(path, _)| (path, json!({}))).collect();
    json!({"swagger": "2.0", "info": {"title": "Kubernetes", "version": "1.36"}, "paths": paths, "definitions": {}})
}

/// The same in the form of gnostic's `openapi.v2.Document` message: swagger, info and no paths.
pub fn old_document_protobuf() -> Vec<u8> {
    let mut document = Vec::new();
    let put = |out: &mut Vec<u8>, number: u8, bytes: &[u8]| {
        // Every part is shorter than 128 bytes, so its length is one byte.
        out.extend_from_slice(&[(number << 3) | 2, bytes.len() as u8]);
        out.extend_from_slice(bytes);
    };
    let mut info = Vec::new();
    put(&mut info, 1, b"Kubernetes");
    put(&mut info, 2, b"1.36");
    put(&mut document, 1, b"2.0");
    put(&mut document, 2, &info);
    put(&mut document, 8, b"");
    document
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_document_and_ends() {
        for kind in kinds::all() {
            let path = place(kind.group, kind.versions[0]);
            let document = find(&path).unwrap_or_else(|| panic!("{path}"));
            let content: Value = serde_json::from_str(&document.text).expect("JSON");
            let model = model(kind.group, kind.versions[0], kind.kind);
            assert!(content["components"]["schemas"][&model].is_object(), "{model}");
        }
    }

    #[test]
    fn references_have_a_target() {
        for (path, document) in DOCUMENTS.iter() {
            let content: Value = serde_json::from_str(&document.text).expect("JSON");
            for part in document.text.split("#/components/schemas/").skip(1) {
                let name = part.split('"').next().unwrap_or_default();
                assert!(content["components"]["schemas"][name].is_object(), "{path}: {name}");
            }
        }
    }

    #[test]
    fn writes_are_validated_by_the_server() {
        let document = &find("apis/workspace.jupyter.org/v1alpha1").expect("served").text;
        assert!(document.contains("fieldValidation"));
    }
}
