//! Another team learns nothing: no row, no event, no error that betrays a name, on no way in.

use anyhow::{Context, Result};
use futures::{SinkExt, StreamExt};
use reqwest::Method;
use serde_json::json;
use spaceport_tests::callers::{Caller, Engineer, answer};
use spaceport_tests::patience::eventually;
use spaceport_tests::stack::{Stack, test};
use std::time::Duration;
use tokio::time::timeout;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

/// Texts that only team-a's objects hold: its namespace, its people, names of its seeded Spaces.
const FOREIGN: [&str; 6] = ["team-a", "ds-a1", "ds-a2", "lead-a", "churn-model", "vision-training"];

fn assert_nothing_foreign(way: &str, text: &str) {
    for word in FOREIGN {
        assert!(!text.contains(word), "{way} betrays {word}: {text}");
    }
}

#[test]
fn rest_answers_another_team_with_its_own_rows_alone() {
    test(async {
        let stranger = Engineer::b1(Stack::shared().await).await?;
        for path in ["spaces?limit=500", "spaces?q=churn", "namespaces", "templates"] {
            let request = stranger.request(Method::GET, &format!("/api/v1/clusters/sandbox/{path}"));
            let response = request.send().await?;
            assert_eq!(response.status(), 200, "{path}");
            assert_nothing_foreign(path, &response.text().await?);
        }
        Ok(())
    });
}

#[test]
fn errors_about_a_foreign_space_repeat_nothing_but_what_was_asked() {
    test(async {
        let stranger = Engineer::b1(Stack::shared().await).await?;
        let base = "/api/v1/clusters/sandbox/namespaces/hyperpod-ns-team-a/spaces/churn-model";
        for part in ["", "/events", "/logs", "/yaml", "/explanation"] {
            let found = stranger.get(&format!("{base}{part}")).await?;
            assert_eq!((found.status, found.code()), (404, "not_found"), "{part}");
            assert_nothing_foreign(part, &found.body.to_string());
        }
        Ok(())
    });
}

/// Makes something happen in team-a, so that silence is not for lack of news.
async fn stir(owner: &Engineer, name: &str) -> Result<()> {
    let body = json!({
        "namespace": "hyperpod-ns-team-a", "name": name, "displayName": "Stirred", "desiredStatus": "Stopped",
        "template": { "namespace": "jupyter-k8s-system", "name": "sagemaker-jupyter-template" },
    });
    owner.post("/api/v1/clusters/sandbox/spaces", body).await?.success()?;
    let path = format!("/api/v1/clusters/sandbox/namespaces/hyperpod-ns-team-a/spaces/{name}");
    eventually("the new Space is seen by its owner", || async {
        Ok((owner.get(&path).await?.status == 200).then_some(()))
    })
    .await
}

#[test]
fn the_line_by_line_watch_tells_another_team_nothing() {
    test(async {
        let stack = Stack::shared().await;
        let (owner, stranger) = (Engineer::a1(stack).await?, Engineer::b1(stack).await?);
        let request = stranger.request(Method::GET, "/api/v1/clusters/sandbox/spaces?watch=true");
        let mut stream = request.send().await?.error_for_status()?.bytes_stream();
        let mut heard = String::new();
        while !heard.contains("\"last\":true") {
            let chunk =
                timeout(Duration::from_secs(20), stream.next()).await?.context("the snapshot comes")??;
            heard += &String::from_utf8_lossy(&chunk);
        }
        stir(&owner, "stirred-lines").await?;
        // Whatever the gateway had to say of it would be said with the next merge, 100 ms later.
        while let Ok(Some(chunk)) = timeout(Duration::from_millis(600), stream.next()).await {
            heard += &String::from_utf8_lossy(&chunk?);
        }
        assert_nothing_foreign("watch", &heard);
        Ok(())
    });
}

/// Signs ds-b1 in by hand, since a websocket needs the cookie itself.
async fn cookie(stack: &Stack) -> Result<String> {
    let request =
        stack.anonymous().request(Method::POST, "/api/v1/session").json(&json!({ "persona": "ds-b1" }));
    let response = request.send().await?.error_for_status()?;
    let header = response.headers().get("set-cookie").context("a cookie is set")?.to_str()?;
    Ok(header.split(';').next().unwrap_or_default().to_owned())
}

#[test]
fn the_websocket_tells_another_team_nothing() {
    test(async {
        let stack = Stack::shared().await;
        let owner = Engineer::a1(stack).await?;
        let mut request =
            format!("{}/api/v1/live", stack.url.replacen("http", "ws", 1)).into_client_request()?;
        request.headers_mut().insert("cookie", cookie(stack).await?.parse()?);
        request.headers_mut().insert("origin", stack.url.parse()?);
        let (mut socket, _) = connect_async(request).await?;
        let topic = json!({ "view": "spaces", "cluster": "sandbox", "namespaces": ["hyperpod-ns-team-a"] });
        let everything = json!({ "view": "spaces", "cluster": "sandbox" });
        for (id, topic) in [(1, topic), (2, everything)] {
            let message = json!({ "type": "subscribe", "id": id, "topic": topic });
            socket.send(Message::text(message.to_string())).await?;
        }
        let mut heard = String::new();
        while !heard.contains("\"last\":true") {
            let message =
                timeout(Duration::from_secs(20), socket.next()).await?.context("the snapshot comes")??;
            heard += message.to_text().unwrap_or_default();
        }
        stir(&owner, "stirred-socket").await?;
        while let Ok(Some(message)) = timeout(Duration::from_millis(600), socket.next()).await {
            heard += message?.to_text().unwrap_or_default();
        }
        assert_nothing_foreign("websocket", &heard);
        Ok(())
    });
}

#[test]
fn a_wrong_origin_gets_no_websocket() {
    test(async {
        let stack = Stack::shared().await;
        let mut request =
            format!("{}/api/v1/live", stack.url.replacen("http", "ws", 1)).into_client_request()?;
        request.headers_mut().insert("cookie", cookie(stack).await?.parse()?);
        request.headers_mut().insert("origin", "http://portal.evil.example".parse()?);
        let refused = connect_async(request).await.err().context("the handshake is refused")?.to_string();
        assert!(refused.contains("403"), "{refused}");
        Ok(())
    });
}

#[test]
fn an_old_page_does_not_act_on_a_space_made_again_under_the_name() {
    test(async {
        let stack = Stack::shared().await;
        let owner = Engineer::a1(stack).await?;
        let path = "/api/v1/clusters/sandbox/namespaces/hyperpod-ns-team-a/spaces/twice";
        stir(&owner, "twice").await?;
        let old = owner.get(path).await?;
        let (tag, uid) = (old.etag.context("an ETag")?, old.body["id"].clone());
        let delete = owner.request(Method::DELETE, path).header("If-Match", &tag).json(&json!({}));
        assert!(answer(delete).await?.status < 300);
        eventually("the first one is gone", || async {
            Ok((owner.get(path).await?.status == 404).then_some(()))
        })
        .await?;
        stir(&owner, "twice").await?;
        let edit = owner
            .request(Method::PATCH, path)
            .header("If-Match", &tag)
            .json(&json!({ "displayName": "Old" }));
        assert_eq!(answer(edit).await?.code(), "object_replaced");
        let start = owner.post(&format!("{path}/start"), json!({ "uid": uid })).await?;
        assert_eq!((start.status, start.code()), (412, "object_replaced"));
        Ok(())
    });
}
