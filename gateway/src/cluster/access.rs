//! What a person may do in each namespace: SelfSubjectAccessReview through their own client, remembered briefly.
//!
//! EKS access policies are invisible to a review about somebody else, so nobody's rights are ever asked for in
//! another's name. Cluster-wide first, then by namespace. Fails closed: what could not be asked is denied.

use crate::error::ApiError;
use futures::{StreamExt, stream};
use k8s_openapi::api::authentication::v1::SelfSubjectReview;
use k8s_openapi::api::authorization::v1::{
    ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec,
};
use kube::api::PostParams;
use kube::{Api, Client};
use moka::future::Cache;
use spaceport_shared::space::NamespaceAccess;
use spaceport_shared::time::Timestamp;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;

/// A right that was granted is asked for again after this many seconds.
const ALLOWED_SECONDS: i64 = 60;
/// One that was denied, unless a binding changes before.
const DENIED_SECONDS: i64 = 600;
/// One that could not be asked.
const FAILED_SECONDS: i64 = 5;
/// Reviews of one person under way at once.
const CONCURRENCY: usize = 16;
/// Groups that the add-on exempts from its ownership rules (`CLUSTER_ADMIN_GROUP`, and Kubernetes' own).
const ADMIN_GROUPS: [&str; 2] = ["cluster-workspace-admin", "system:masters"];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Check {
    List,
    Watch,
    Create,
    Update,
    Delete,
    Connect,
    ReadPods,
    ReadLogs,
    ReadEvents,
    ReadWorkloads,
}

impl Check {
    /// Without both of these a namespace does not exist for the person.
    const SIGHT: [Check; 2] = [Check::List, Check::Watch];
    const REST: [Check; 8] = [
        Check::Create,
        Check::Update,
        Check::Delete,
        Check::Connect,
        Check::ReadPods,
        Check::ReadLogs,
        Check::ReadEvents,
        Check::ReadWorkloads,
    ];

    fn attributes(self, namespace: &str) -> ResourceAttributes {
        const SPACES: &str = "workspace.jupyter.org";
        let (verb, group, resource, subresource) = match self {
            Check::List => ("list", SPACES, "workspaces", None),
            Check::Watch => ("watch", SPACES, "workspaces", None),
            Check::Create => ("create", SPACES, "workspaces", None),
            Check::Update => ("patch", SPACES, "workspaces", None),
            Check::Delete => ("delete", SPACES, "workspaces", None),
            Check::Connect => ("create", "connection.workspace.jupyter.org", "workspaceconnections", None),
            Check::ReadPods => ("list", "", "pods", None),
            Check::ReadLogs => ("get", "", "pods", Some("log".to_owned())),
            Check::ReadEvents => ("list", "", "events", None),
            Check::ReadWorkloads => ("list", "kueue.x-k8s.io", "workloads", None),
        };
        ResourceAttributes {
            verb: Some(verb.to_owned()),
            group: Some(group.to_owned()),
            resource: Some(resource.to_owned()),
            subresource,
            namespace: (!namespace.is_empty()).then(|| namespace.to_owned()),
            ..ResourceAttributes::default()
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Allowed,
    Denied,
    /// Counts as denied, and is asked again soon.
    Failed,
}

/// The answers of one person on one cluster. The empty namespace stands for the whole cluster.
#[derive(Default)]
struct Answers {
    known: HashMap<(String, Check), (Answer, Timestamp, u64)>,
    is_admin: Option<(bool, Timestamp)>,
}

impl Answers {
    /// `None` when it must be asked (again). `bindings` is the number of binding changes seen so far.
    fn fresh(&self, namespace: &str, check: Check, now: Timestamp, bindings: u64) -> Option<Answer> {
        let (answer, at, then) = self.known.get(&(namespace.to_owned(), check))?;
        let life = match answer {
            Answer::Allowed => ALLOWED_SECONDS,
            Answer::Denied => DENIED_SECONDS,
            Answer::Failed => FAILED_SECONDS,
        };
        (*then == bindings && now.seconds_since(*at) < life).then_some(*answer)
    }

    fn is_allowed(&self, namespace: &str, check: Check) -> bool {
        ["", namespace]
            .iter()
            .any(|scope| matches!(self.known.get(&((*scope).to_owned(), check)), Some((Answer::Allowed, ..))))
    }

    /// What has to be asked for `check` in these namespaces: nothing where the whole cluster is allowed.
    fn questions(
        &self,
        checks: &[Check],
        namespaces: &[String],
        now: Timestamp,
        bindings: u64,
    ) -> Vec<(String, Check)> {
        let stale = |namespace: &str, check| self.fresh(namespace, check, now, bindings).is_none();
        checks
            .iter()
            .filter(|check| !self.is_allowed("", **check))
            .flat_map(|check| namespaces.iter().map(move |namespace| (namespace, *check)))
            .filter(|(namespace, check)| stale(namespace, *check))
            .map(|(namespace, check)| (namespace.clone(), check))
            .collect()
    }

    fn access(&self, namespace: &str) -> NamespaceAccess {
        let may = |check| self.is_allowed(namespace, check);
        NamespaceAccess {
            namespace: namespace.to_owned(),
            list: may(Check::List) && may(Check::Watch),
            create: may(Check::Create),
            update: may(Check::Update),
            delete: may(Check::Delete),
            connect: may(Check::Connect),
            read_pods: may(Check::ReadPods),
            read_logs: may(Check::ReadLogs),
            read_events: may(Check::ReadEvents),
            read_workloads: may(Check::ReadWorkloads),
            workspace_admin: self.is_admin.is_some_and(|(is_admin, _)| is_admin),
        }
    }
}

/// Whose rights: part of every key, so that no answer ever serves somebody else.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Person {
    pub cluster: String,
    /// The Kubernetes username, which names the role and the session.
    pub username: String,
}

/// Everybody's answers.
#[derive(Clone)]
pub struct AccessBook {
    people: Cache<Person, Arc<Mutex<Answers>>>,
}

impl Default for AccessBook {
    fn default() -> AccessBook {
        let idle = Duration::from_secs(900);
        AccessBook { people: Cache::builder().max_capacity(10_000).time_to_idle(idle).build() }
    }
}

impl AccessBook {
    /// The namespaces among `namespaces` that the person may see, with what they may do there. One evaluation of a
    /// person at a time: the others wait and find the answers.
    ///
    /// # Errors
    /// Those that end the person's sight altogether: credentials that no longer work.
    pub async fn evaluate(
        &self,
        person: &Person,
        client: &Client,
        namespaces: &[String],
        bindings: u64,
        now: Timestamp,
    ) -> Result<Vec<NamespaceAccess>, ApiError> {
        let entry = self.people.get_with(person.clone(), async { Arc::default() }).await;
        let mut answers = entry.lock().await;
        let asking = Asking { client, bindings, now };
        asking.ask(&mut answers, &Check::SIGHT, namespaces).await?;
        let seen: Vec<String> = namespaces.iter().filter(|n| answers.access(n).list).cloned().collect();
        if seen.is_empty() {
            return Ok(Vec::new());
        }
        asking.ask(&mut answers, &Check::REST, &seen).await?;
        asking.ask_admin(&mut answers).await?;
        Ok(seen.iter().map(|namespace| answers.access(namespace)).collect())
    }

    /// Forgets a person whose session has ended.
    pub async fn forget(&self, person: &Person) {
        self.people.invalidate(person).await;
    }
}

struct Asking<'a> {
    client: &'a Client,
    bindings: u64,
    now: Timestamp,
}

impl Asking<'_> {
    /// Cluster-wide first; then each namespace for which that said no.
    async fn ask(
        &self,
        answers: &mut Answers,
        checks: &[Check],
        namespaces: &[String],
    ) -> Result<(), ApiError> {
        let wide: Vec<_> = checks
            .iter()
            .filter(|check| answers.fresh("", **check, self.now, self.bindings).is_none())
            .map(|check| (String::new(), *check))
            .collect();
        self.put(answers, wide).await?;
        let narrow = answers.questions(checks, namespaces, self.now, self.bindings);
        self.put(answers, narrow).await
    }

    async fn put(&self, answers: &mut Answers, questions: Vec<(String, Check)>) -> Result<(), ApiError> {
        let mut replies = stream::iter(questions.into_iter().map(|(namespace, check)| async move {
            let reply = review(self.client, &namespace, check).await;
            (namespace, check, reply)
        }))
        .buffer_unordered(CONCURRENCY);
        while let Some((namespace, check, reply)) = replies.next().await {
            let answer = match reply {
                Ok(true) => Answer::Allowed,
                Ok(false) => Answer::Denied,
                Err(error) => {
                    answers.known.insert((namespace, check), (Answer::Failed, self.now, self.bindings));
                    ends_sight(error)?;
                    continue;
                }
            };
            answers.known.insert((namespace, check), (answer, self.now, self.bindings));
        }
        Ok(())
    }

    async fn ask_admin(&self, answers: &mut Answers) -> Result<(), ApiError> {
        let is_fresh = |(_, at): (bool, Timestamp)| self.now.seconds_since(at) < ALLOWED_SECONDS;
        if answers.is_admin.is_some_and(is_fresh) {
            return Ok(());
        }
        answers.is_admin = None;
        let api = Api::<SelfSubjectReview>::all(self.client.clone());
        match api.create(&PostParams::default(), &SelfSubjectReview::default()).await {
            Ok(review) => {
                let user = review.status.and_then(|status| status.user_info);
                let groups: BTreeSet<String> =
                    user.and_then(|u| u.groups).unwrap_or_default().into_iter().collect();
                answers.is_admin = Some((ADMIN_GROUPS.iter().any(|g| groups.contains(*g)), self.now));
                Ok(())
            }
            Err(error) => ends_sight(error.into()),
        }
    }
}

/// Credentials that are gone end everything; any other failure denies what was asked, for the moment.
fn ends_sight(error: ApiError) -> Result<(), ApiError> {
    match error {
        ApiError::Unauthenticated | ApiError::UpstreamUnavailable { .. } => Err(error),
        other => {
            tracing::warn!(error = %other, "an access review failed and counts as denied");
            Ok(())
        }
    }
}

async fn review(client: &Client, namespace: &str, check: Check) -> Result<bool, ApiError> {
    let question = SelfSubjectAccessReview {
        spec: SelfSubjectAccessReviewSpec {
            resource_attributes: Some(check.attributes(namespace)),
            ..SelfSubjectAccessReviewSpec::default()
        },
        ..SelfSubjectAccessReview::default()
    };
    let answer = Api::all(client.clone()).create(&PostParams::default(), &question).await?;
    Ok(answer.status.is_some_and(|status| status.allowed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp(seconds * 1000)
    }

    fn knowing(namespace: &str, check: Check, answer: Answer) -> Answers {
        let mut answers = Answers::default();
        answers.known.insert((namespace.to_owned(), check), (answer, at(0), 1));
        answers
    }

    #[test]
    fn rights_are_forgotten_sooner_than_denials() {
        let allowed = knowing("a", Check::List, Answer::Allowed);
        assert_eq!(allowed.fresh("a", Check::List, at(59), 1), Some(Answer::Allowed));
        assert_eq!(allowed.fresh("a", Check::List, at(60), 1), None);
        let denied = knowing("a", Check::List, Answer::Denied);
        assert_eq!(denied.fresh("a", Check::List, at(599), 1), Some(Answer::Denied));
        assert_eq!(denied.fresh("a", Check::List, at(600), 1), None);
        let failed = knowing("a", Check::List, Answer::Failed);
        assert_eq!(failed.fresh("a", Check::List, at(5), 1), None);
    }

    #[test]
    fn a_changed_binding_makes_every_answer_doubtful() {
        let denied = knowing("a", Check::List, Answer::Denied);
        assert_eq!(denied.fresh("a", Check::List, at(1), 2), None);
    }

    #[test]
    fn a_right_on_the_whole_cluster_asks_no_further() {
        let answers = knowing("", Check::List, Answer::Allowed);
        assert_eq!(answers.questions(&[Check::List], &["a".into(), "b".into()], at(1), 1), []);
        assert!(answers.is_allowed("anywhere", Check::List));
    }

    #[test]
    fn every_namespace_is_asked_for_not_only_the_first() {
        let answers = knowing("", Check::List, Answer::Denied);
        let namespaces: Vec<String> = (0..500).map(|n| format!("team-{n}")).collect();
        assert_eq!(answers.questions(&[Check::List], &namespaces, at(1), 1).len(), 500);
    }

    #[test]
    fn what_could_not_be_asked_is_denied() {
        let answers = knowing("a", Check::List, Answer::Failed);
        assert!(!answers.access("a").list);
        assert_eq!(
            Answers::default().access("a"),
            NamespaceAccess { namespace: "a".into(), ..NamespaceAccess::default() }
        );
    }

    #[test]
    fn a_namespace_is_seen_with_both_list_and_watch() {
        let mut answers = knowing("a", Check::List, Answer::Allowed);
        assert!(!answers.access("a").list);
        answers.known.insert(("a".into(), Check::Watch), (Answer::Allowed, at(0), 1));
        assert!(answers.access("a").list);
    }
}
