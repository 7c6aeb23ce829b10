//! Signing in and out, and who the portal says one is.

use anyhow::Result;
use serde_json::json;
use spaceport_tests::callers::{Admin, Anonymous, Caller, Engineer};
use spaceport_tests::stack::{Stack, test};

#[test]
fn a_data_scientist_signs_in_and_acts_under_the_assumed_role_of_the_team() {
    test(async {
        let stack = Stack::shared().await;
        let me = Engineer::a1(stack).await?.get("/api/v1/me").await?.success()?;
        assert_eq!(me["roles"], json!(["engineer"]));
        let cluster = &me["clusters"][0];
        assert_eq!(cluster["username"], "arn:aws:sts::111122223333:assumed-role/TeamADataScientist/ds-a1");
        Ok(())
    });
}

#[test]
fn an_unknown_persona_is_refused_and_nobody_is_signed_in() {
    test(async {
        let stack = Stack::shared().await;
        let anonymous = stack.anonymous();
        let answer = anonymous.post("/api/v1/session", json!({ "persona": "root" })).await?;
        assert!(answer.status == 401 || answer.status == 422, "{answer:?}");
        assert_eq!(anonymous.get("/api/v1/me").await?.status, 401);
        Ok(())
    });
}

#[test]
fn signing_out_ends_the_session_for_good() {
    test(async {
        let stack = Stack::shared().await;
        let admin = Admin::new(stack).await?;
        assert_eq!(admin.get("/api/v1/me").await?.status, 200);
        assert_eq!(admin.get("/api/v1/session").await?.success()?["signedIn"], true);
        let request = admin.request(reqwest::Method::DELETE, "/api/v1/session").json(&json!({}));
        assert!(request.send().await?.status().is_success());
        assert_eq!(admin.get("/api/v1/me").await?.code(), "unauthenticated");
        assert_eq!(admin.get("/api/v1/session").await?.success()?["signedIn"], false);
        Ok(())
    });
}

#[test]
fn a_session_survives_a_restart_of_the_gateway() {
    test(async {
        let stack = Stack::start(spaceport_sandbox::options::SeedChoice::Empty).await?;
        let engineer = Engineer::a1(&stack).await?;
        let stack = stack.restart_gateway().await?;
        let me = engineer.get("/api/v1/me").await?.success()?;
        assert_eq!(me["sessionName"], "ds-a1");
        stack.stop().await;
        Ok(())
    });
}

async fn status(caller: &Anonymous, path: &str) -> Result<u16> {
    Ok(caller.get(path).await?.status)
}

#[test]
fn every_operation_but_the_public_ones_asks_anonymous_callers_to_sign_in() {
    test(async {
        let stack = Stack::shared().await;
        let anonymous = stack.anonymous();
        let public = ["/healthz", "/readyz", "/api/v1/session", "/api/v1/docs", "/api/v1/openapi.json"];
        for (method, path, _) in spaceport_gateway::router::table() {
            if method != "GET" || public.contains(&path.as_str()) {
                continue;
            }
            let concrete = path.replace(['{', '}'], "");
            assert_eq!(status(&anonymous, &concrete).await?, 401, "{path}");
        }
        Ok(())
    });
}
