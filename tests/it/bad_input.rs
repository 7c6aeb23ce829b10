//! Bad input: a code beside the field, the same in the dry run and the create, and nothing is made.

use anyhow::{Context, Result};
use reqwest::Method;
use serde_json::{Value, json};
use spaceport_tests::callers::{Caller, Engineer, answer};
use spaceport_tests::stack::{Stack, test};

const SPACES: &str = "/api/v1/clusters/sandbox/spaces";
const GIB: u64 = 1 << 30;

/// A good request with some members replaced.
fn request(members: &Value) -> Value {
    let mut body = json!({
        "namespace": "hyperpod-ns-team-a", "name": "bad-input", "displayName": "Bad input",
        "template": { "namespace": "jupyter-k8s-system", "name": "sagemaker-jupyter-template" },
    });
    for (name, value) in members.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    body
}

/// Path and code of each field error.
fn fields(list: &Value) -> Vec<(String, String)> {
    let text = |field: &Value, key: &str| field[key].as_str().unwrap_or_default().to_owned();
    list.as_array().into_iter().flatten().map(|f| (text(f, "path"), text(f, "code"))).collect()
}

async fn expect(members: Value, path: &str, code: &str) -> Result<()> {
    let engineer = Engineer::a1(Stack::shared().await).await?;
    let wanted = (path.to_owned(), code.to_owned());
    let tried = engineer.post(&format!("{SPACES}?dryRun=true"), request(&members)).await?.success()?;
    assert!(fields(&tried["fields"]).contains(&wanted), "dry run of {members}: {}", tried["fields"]);
    let refused = engineer.post(SPACES, request(&members)).await?;
    assert_eq!((refused.status, refused.code()), (422, "invalid"), "{members}: {refused:?}");
    assert!(fields(&refused.body["error"]["fields"]).contains(&wanted), "{members}: {refused:?}");
    Ok(())
}

#[test]
fn a_bad_name_is_refused_beside_the_name() {
    test(async {
        let long = "n".repeat(34);
        for (name, code) in [
            ("CHEESE", "invalid_character"),
            ("a.b", "invalid_character"),
            ("笔记本", "invalid_character"),
            ("-a", "invalid_format"),
            ("", "required"),
            (&long, "name_budget"),
        ] {
            expect(json!({ "name": name }), "name", code).await?;
        }
        Ok(())
    });
}

#[test]
fn an_absurd_amount_is_refused_beside_the_amount() {
    test(async {
        let with =
            |cpu: i64, memory: u64| json!({ "resources": { "cpuMillis": cpu, "memoryBytes": memory } });
        expect(with(0, 8 * GIB), "resources.cpuMillis", "below_minimum").await?;
        expect(with(-1, 8 * GIB), "resources.cpuMillis", "below_minimum").await?;
        expect(with(1000, 0), "resources.memoryBytes", "below_minimum").await
    });
}

#[test]
fn a_template_and_an_image_that_are_not_offered_are_refused_beside_their_fields() {
    test(async {
        let template = json!({ "template": { "namespace": "jupyter-k8s-system", "name": "nowhere" } });
        expect(template, "template", "not_found").await?;
        expect(json!({ "image": "registry.example/other:1" }), "image", "not_allowed").await
    });
}

#[test]
fn storage_beyond_the_template_is_refused_beside_the_size() {
    test(async {
        let storage = json!({ "storage": { "sizeBytes": 1000 * GIB } });
        expect(storage, "storage.sizeBytes", "above_maximum").await
    });
}

#[test]
fn an_unknown_member_is_named_instead_of_ignored() {
    test(async {
        let engineer = Engineer::a1(Stack::shared().await).await?;
        let found = engineer.post(SPACES, request(&json!({ "privileged": true }))).await?;
        assert_eq!(found.status, 422, "{found:?}");
        let named = fields(&found.body["error"]["fields"]);
        assert_eq!(named, [("privileged".to_owned(), "unknown_field".to_owned())]);
        Ok(())
    });
}

#[test]
fn a_body_that_is_cut_short_too_large_or_of_another_type_has_its_code() {
    test(async {
        let engineer = Engineer::a1(Stack::shared().await).await?;
        let huge = format!("{{\"name\":\"{}\"}}", "x".repeat(10 << 20));
        for (body, kind, status, code) in [
            ("{\"name\":".to_owned(), "application/json", 400, "malformed"),
            ("{}".to_owned(), "text/plain", 415, "unsupported_media_type"),
            (huge, "application/json", 413, "too_large"),
        ] {
            let found =
                answer(engineer.request(Method::POST, SPACES).header("content-type", kind).body(body))
                    .await?;
            assert_eq!((found.status, found.code()), (status, code), "{found:?}");
        }
        Ok(())
    });
}

#[test]
fn an_absurd_object_of_somebody_else_is_one_row_among_the_others() {
    test(async {
        let engineer = Engineer::a1(Stack::shared().await).await?;
        let page = engineer.get(&format!("{SPACES}?limit=500")).await?.success()?;
        let rows = page["items"].as_array().cloned().unwrap_or_default();
        let odd = rows.iter().find(|row| row["name"] == "0dd").context("the odd object has a row")?;
        assert_eq!(odd["resources"]["cpuMillis"], 1_000_000);
        assert_eq!(odd["image"], "not an image: at all");
        assert!(rows.len() > 10, "the others are there as well");
        Ok(())
    });
}
