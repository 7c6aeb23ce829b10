//! Every operation × every kind of caller. A new operation without a row here fails.

use anyhow::{Context, Result};
use reqwest::Method;
use serde_json::{Value, json};
use spaceport_sandbox::options::SeedChoice;
use spaceport_tests::callers::{Admin, Answer, Auditor, Caller, Engineer, Lead, answer};
use spaceport_tests::patience::eventually;
use spaceport_tests::stack::{Stack, test};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::sync::{Mutex, OnceCell};

/// What a caller may expect, by what they can do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Ok,
    /// 401
    SignIn,
    /// 403, with the layer and rule that decide.
    Denied,
    /// 404: not theirs to know of.
    Unknown,
}
use Expected::{Denied, Ok as Allowed, SignIn, Unknown};

/// anonymous, ds-a1 (the owner), ds-a2, ds-b1, lead-a, admin, auditor; the Space is team-a's, public to the team.
type Row = [Expected; 7];

const EVERYBODY: Row = [Allowed; 7];
const SIGNED_IN: Row = [SignIn, Allowed, Allowed, Allowed, Allowed, Allowed, Allowed];
/// Reading what belongs to team-a.
const READ: Row = [SignIn, Allowed, Allowed, Unknown, Allowed, Allowed, Allowed];
/// Changing a Space that is open to the team: those who are in the team, and administrators.
const CHANGE: Row = [SignIn, Allowed, Allowed, Unknown, Allowed, Allowed, Denied];

const TABLE: &[(&str, Row)] = &[
    ("getHealth", EVERYBODY),
    ("getReadiness", EVERYBODY),
    ("getSignInOptions", EVERYBODY),
    ("getOpenApi", EVERYBODY),
    ("getDocs", EVERYBODY),
    ("signIn", EVERYBODY),
    ("signOut", [SignIn, Allowed, Allowed, Allowed, Allowed, Allowed, Allowed]),
    ("getMe", SIGNED_IN),
    ("listClusters", SIGNED_IN),
    ("getCluster", SIGNED_IN_SANDBOX),
    ("listSpaces", SIGNED_IN_SANDBOX),
    ("listNamespaces", SIGNED_IN_SANDBOX),
    ("listTemplates", SIGNED_IN_SANDBOX),
    ("getTemplate", SIGNED_IN_SANDBOX),
    ("getNamespaceOptions", READ),
    ("getSpace", READ),
    ("listSpaceEvents", READ),
    ("readSpaceLogs", READ),
    ("readSpaceYaml", READ),
    ("explainSpace", READ),
    ("createSpace", CHANGE),
    ("editSpace", CHANGE),
    ("startSpace", CHANGE),
    ("stopSpace", CHANGE),
    ("deleteSpace", CHANGE),
    ("connectSpace", CHANGE),
    // An upgrade without the websocket headers is malformed for whoever is signed in; see `live`.
    ("openLive", SIGNED_IN),
];

/// ds-b1 has a role on the first cluster as well: the cluster is known, its team-a is not.
const SIGNED_IN_SANDBOX: Row = SIGNED_IN;

#[test]
fn every_operation_has_a_row() {
    let operations: BTreeSet<String> =
        spaceport_gateway::router::table().into_iter().map(|row| row.2).collect();
    let rows: BTreeSet<String> = TABLE.iter().map(|(id, _)| (*id).to_owned()).collect();
    assert_eq!(operations, rows);
}

const NAMESPACE: &str = "hyperpod-ns-team-a";

/// A Space of ds-a1 made for one question, in the state the operation is about.
struct Target {
    name: String,
    uid: String,
    etag: String,
}

async fn make_target(owner: &Engineer, operation: &str) -> Result<Target> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("access-{}", NEXT.fetch_add(1, Ordering::Relaxed));
    let stopped = operation == "startSpace";
    let body = json!({
        "namespace": NAMESPACE, "name": name, "displayName": "Access",
        "template": { "namespace": "jupyter-k8s-system", "name": "sagemaker-jupyter-template" },
        "resources": { "cpuMillis": 100, "memoryBytes": 8_589_934_592u64 },
        "accessType": "Public", "ownershipType": "Public",
        "desiredStatus": if stopped { "Stopped" } else { "Running" },
    });
    owner.post("/api/v1/clusters/sandbox/spaces", body).await?.success().context("ds-a1 creates")?;
    let wanted = if stopped { "stopped" } else { "running" };
    let path = space_path(&name, "");
    let last = Mutex::new(Value::Null);
    let found = eventually(&format!("{name} is {wanted}"), || async {
        let found = owner.get(&path).await?;
        *last.lock().await = json!([found.body["status"], found.body["reason"]]);
        Ok((found.status == 200 && found.body["status"] == wanted).then_some(found))
    })
    .await;
    let found = found.with_context(|| format!("{:?}", last.try_lock().map(|l| l.clone())))?;
    Ok(Target {
        name,
        uid: found.body["id"].as_str().unwrap_or_default().to_owned(),
        etag: found.etag.unwrap_or_default(),
    })
}

fn space_path(name: &str, part: &str) -> String {
    format!("/api/v1/clusters/sandbox/namespaces/{NAMESPACE}/spaces/{name}{part}")
}

/// Makes room for the next question: the cluster is small.
async fn remove_target(owner: &Engineer, target: &Target) -> Result<()> {
    let path = space_path(&target.name, "");
    let found = owner.get(&path).await?;
    if let Some(etag) = found.etag {
        answer(owner.request(Method::DELETE, &path).header("If-Match", etag).json(&json!({}))).await?;
    }
    Ok(())
}

/// Sends the operation to the target.
async fn call(
    caller: &impl Caller,
    method: &str,
    path: &str,
    operation: &str,
    target: &Target,
) -> Result<Answer> {
    let path = path
        .replace("{cluster}", "sandbox")
        .replace("{namespace}/templates/{name}", "jupyter-k8s-system/templates/sagemaker-jupyter-template")
        .replace("{namespace}", NAMESPACE)
        .replace("{name}", &target.name);
    let request = caller.request(method.parse::<Method>()?, &path);
    let request = match operation {
        "signIn" => request.json(&json!({ "persona": "ds-a1" })),
        "createSpace" => request.json(&json!({
            "namespace": NAMESPACE, "name": format!("{}-n", target.name), "displayName": "New",
            "template": { "namespace": "jupyter-k8s-system", "name": "sagemaker-jupyter-template" },
            "desiredStatus": "Stopped",
        })),
        "editSpace" => request.header("If-Match", &target.etag).json(&json!({ "displayName": "Renamed" })),
        "deleteSpace" => request.header("If-Match", &target.etag).json(&json!({})),
        "startSpace" | "stopSpace" => request.json(&json!({ "uid": target.uid })),
        "connectSpace" => request.json(&json!({ "type": "web-ui" })),
        "signOut" => request.json(&json!({})),
        "openLive" => request.header("Origin", caller.url()),
        _ => request,
    };
    answer(request).await
}

fn meets(expected: Expected, operation: &str, answer: &Answer) -> bool {
    match expected {
        Allowed => (200..300).contains(&answer.status) || (operation == "openLive" && answer.status == 400),
        SignIn => answer.status == 401,
        Denied => {
            answer.status == 403 && answer.body["error"]["layer"] != Value::Null && rule(answer).is_some()
        }
        Unknown => answer.status == 404,
    }
}

fn rule(answer: &Answer) -> Option<&str> {
    answer.body["error"]["details"]["rule"].as_str().filter(|rule| !rule.is_empty())
}

/// Runs one column of the table; operations that change something get a Space of their own.
async fn check_column(stack: &Stack, column: usize, caller: &impl Caller) -> Result<Vec<String>> {
    let owner = Engineer::a1(stack).await?;
    let shared = make_target(&owner, "").await?;
    let mut wrong = Vec::new();
    for (method, path, operation) in spaceport_gateway::router::table() {
        let Some((_, row)) = TABLE.iter().find(|(id, _)| *id == operation) else { continue };
        // The session of this caller is still needed; signing out has its own test.
        if operation == "signOut" && column != 0 || operation == "signIn" {
            continue;
        }
        let own = if matches!(operation.as_str(), "editSpace" | "deleteSpace" | "startSpace" | "stopSpace") {
            Some(make_target(&owner, &operation).await?)
        } else {
            None
        };
        let found = call(caller, method, &path, &operation, own.as_ref().unwrap_or(&shared)).await?;
        if !meets(row[column], &operation, &found) {
            wrong.push(format!(
                "{operation}: expected {:?}, got {} {}",
                row[column], found.status, found.body
            ));
        }
        if let Some(target) = &own {
            remove_target(&owner, target).await?;
        }
    }
    remove_target(&owner, &shared).await?;
    Ok(wrong)
}

macro_rules! columns {
    ($($test:ident: $column:literal, $caller:expr;)+) => {$(
        #[test]
        fn $test() {
            test(async {
                let stack = quiet_stack().await?;
                let caller = $caller(stack).await?;
                assert_eq!(check_column(stack, $column, &caller).await?, Vec::<String>::new());
                Ok(())
            });
        }
    )+};
}

/// A cluster of its own with all its room: nothing is seeded into it.
async fn quiet_stack() -> Result<&'static Stack> {
    static STACK: OnceCell<Stack> = OnceCell::const_new();
    STACK.get_or_try_init(|| Stack::start(SeedChoice::Empty)).await
}

async fn nobody(stack: &Stack) -> Result<spaceport_tests::callers::Anonymous> {
    Ok(stack.anonymous())
}

columns! {
    anonymous_callers_reach_what_the_table_says: 0, nobody;
    the_owner_reaches_what_the_table_says: 1, Engineer::a1;
    a_teammate_reaches_what_the_table_says: 2, Engineer::a2;
    another_team_reaches_what_the_table_says: 3, Engineer::b1;
    the_lead_reaches_what_the_table_says: 4, Lead::a;
    an_administrator_reaches_what_the_table_says: 5, Admin::new;
    an_auditor_reaches_what_the_table_says: 6, Auditor::new;
}

#[test]
fn a_foreign_space_and_one_that_does_not_exist_look_the_same() {
    test(async {
        let stack = quiet_stack().await?;
        let owner = Engineer::a1(stack).await?;
        let target = make_target(&owner, "").await?;
        let stranger = Engineer::b1(stack).await?;
        let foreign = stranger.get(&space_path(&target.name, "")).await?;
        let missing = stranger.get(&space_path("never-was", "")).await?;
        let body = |answer: &Answer| {
            let mut body = answer.body.clone();
            body["error"]["requestId"] = Value::Null;
            body
        };
        assert_eq!((foreign.status, body(&foreign)), (missing.status, body(&missing)));
        Ok(())
    });
}
