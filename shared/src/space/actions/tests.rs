//! Who may do what with one Space, as a table, and the rules apart from the roles.

use super::super::sample::{row, username};
use super::*;
use crate::project::Project;
use crate::session::{ClusterIdentity, Membership};
use crate::time::Timestamp;

const TEAM_A: &str = "hyperpod-ns-team-a";

fn person(name: &str, roles: &[Role], lead: bool) -> Me {
    let project = Project {
        id: "team-a".into(),
        namespaces: vec![TEAM_A.into()],
        leads: vec!["team-a-leads".into()],
        members: vec!["team-a".into()],
    };
    let is_member = name.starts_with("ds-a") || name.starts_with("lead-a");
    Me {
        issuer: "i".into(),
        subject: name.into(),
        display_name: name.into(),
        session_name: name.into(),
        roles: roles.to_vec(),
        projects: if is_member { vec![Membership { project, lead }] } else { vec![] },
        clusters: vec![ClusterIdentity {
            cluster: "sandbox".into(),
            username: Some(username(name)),
            state: IdentityState::Verified,
        }],
        server_time: Timestamp(0),
        session_ends_at: Timestamp(0),
        sandbox: true,
    }
}

fn everybody() -> [(Me, NamespaceAccess); 5] {
    let full = NamespaceAccess {
        namespace: TEAM_A.into(),
        list: true,
        create: true,
        update: true,
        delete: true,
        connect: true,
        ..NamespaceAccess::default()
    };
    let admin = NamespaceAccess { workspace_admin: true, ..full.clone() };
    let reader = NamespaceAccess { namespace: TEAM_A.into(), list: true, ..NamespaceAccess::default() };
    [
        (person("admin", &[Role::PlatformAdmin], false), admin),
        (person("lead-a", &[Role::ProjectLead, Role::Engineer], true), full.clone()),
        (person("ds-a1", &[Role::Engineer], false), full.clone()),
        (person("ds-a2", &[Role::Engineer], false), full),
        (person("auditor", &[Role::Auditor], false), reader),
    ]
}

/// A running Space of ds-a1.
fn running(ownership: Sharing, access: Sharing) -> SpaceRow {
    SpaceRow { status: SpaceStatus::Running, ownership_type: ownership, access_type: access, ..row() }
}

fn code(row: &SpaceRow, who: &(Me, NamespaceAccess), action: Action) -> Option<DenialCode> {
    decide(row, &who.1, &who.0, action).reason.map(|r| r.code)
}

#[test]
fn each_person_has_their_own_actions_on_the_same_space() {
    use Action::*;
    const OK: Option<DenialCode> = None;
    const OWNER: Option<DenialCode> = Some(DenialCode::OwnerOnly);
    const ROLE: Option<DenialCode> = Some(DenialCode::RoleForbids);
    let public = running(Sharing::Public, Sharing::Public);
    let private = running(Sharing::OwnerOnly, Sharing::OwnerOnly);
    let stopped_private =
        SpaceRow { desired_status: DesiredStatus::Stopped, status: SpaceStatus::Stopped, ..private.clone() };
    // Space, action, then admin, lead-a, ds-a1 (owner), ds-a2, auditor.
    for (space, action, expected) in [
        (&public, Stop, [OK, OK, OK, OK, ROLE]),
        (&public, Edit, [OK, OK, OK, OK, ROLE]),
        (&public, Delete, [OK, OK, OK, OK, ROLE]),
        (&public, Open, [OK, OK, OK, OK, ROLE]),
        (&private, Stop, [OK, OWNER, OK, OWNER, OWNER]),
        (&private, Edit, [OK, OWNER, OK, OWNER, OWNER]),
        (&private, Delete, [OK, OWNER, OK, OWNER, OWNER]),
        (&private, Open, [OWNER, OWNER, OK, OWNER, OWNER]),
        (&private, OpenRemote, [OWNER, OWNER, OK, OWNER, OWNER]),
        (&stopped_private, Start, [ROLE, OWNER, OK, OWNER, OWNER]),
    ] {
        let seen = everybody().map(|who| code(space, &who, action));
        assert_eq!(seen, expected, "{action:?} {:?}", space.ownership_type);
    }
}

#[test]
fn a_denial_names_its_layer_and_rule() {
    let [admin, _, owner, _, auditor] = everybody();
    let public = running(Sharing::Public, Sharing::Public);
    let of = |who: &(Me, NamespaceAccess), row: &SpaceRow, action| {
        decide(row, &who.1, &who.0, action).reason.map(|r| (r.layer, r.rule))
    };
    assert_eq!(of(&auditor, &public, Action::Stop), Some((Layer::Workload, "auditor × stopSpace".into())));
    let private = running(Sharing::OwnerOnly, Sharing::OwnerOnly);
    assert_eq!(of(&admin, &private, Action::Open), Some((Layer::Workload, "accessType OwnerOnly".into())));
    let powerless = (owner.0.clone(), NamespaceAccess { update: false, ..owner.1 });
    let rule = "patch workspaces.workspace.jupyter.org".to_owned();
    assert_eq!(of(&powerless, &public, Action::Stop), Some((Layer::Cluster, rule)));
}

#[test]
fn a_degraded_space_can_be_stopped() {
    let [_, _, owner, ..] = everybody();
    let failed = SpaceRow { status: SpaceStatus::Failed, ..row() };
    assert_eq!(code(&failed, &owner, Action::Stop), None);
    assert_eq!(code(&failed, &owner, Action::Open), Some(DenialCode::NotReady));
}

#[test]
fn a_space_being_deleted_permits_nothing() {
    let deleting = SpaceRow { status: SpaceStatus::Deleting, ..row() };
    for who in everybody() {
        for (action, decision) in action_map(&deleting, &who.1, &who.0) {
            assert_eq!(decision.reason.map(|r| r.code), Some(DenialCode::BeingDeleted), "{action:?}");
        }
    }
}

#[test]
fn state_permits_start_or_stop_but_not_both() {
    let [_, _, owner, ..] = everybody();
    let running = running(Sharing::Public, Sharing::Public);
    let stopped =
        SpaceRow { status: SpaceStatus::Stopped, desired_status: DesiredStatus::Stopped, ..running.clone() };
    assert_eq!(code(&running, &owner, Action::Start), Some(DenialCode::AlreadyRunning));
    assert_eq!(code(&running, &owner, Action::Stop), None);
    assert_eq!(code(&stopped, &owner, Action::Start), None);
    assert_eq!(code(&stopped, &owner, Action::Stop), Some(DenialCode::AlreadyStopped));
}

#[test]
fn buttons_exist_only_for_what_the_strategy_offers() {
    let [_, _, owner, ..] = everybody();
    let mut space = running(Sharing::Public, Sharing::Public);
    space.connection_types = vec![WEB_UI.into()];
    assert_eq!(code(&space, &owner, Action::OpenRemote), Some(DenialCode::NoRemoteAccess));
    space.connection_types = vec!["vscode-remote".into()];
    assert_eq!(code(&space, &owner, Action::Open), Some(DenialCode::NoWebAccess));
}

#[test]
fn what_cannot_be_read_counts_as_private() {
    let [_, _, _, mate, _] = everybody();
    let odd = running(Sharing::Unknown, Sharing::Unknown);
    assert_eq!(code(&odd, &mate, Action::Open), Some(DenialCode::OwnerOnly));
    let mut orphan = running(Sharing::OwnerOnly, Sharing::OwnerOnly);
    orphan.owner = super::super::Owner::from_username(None);
    assert_eq!(code(&orphan, &mate, Action::Stop), Some(DenialCode::OwnerOnly));
}

#[test]
fn a_wrong_identity_may_do_nothing() {
    let [_, _, mut owner, ..] = everybody();
    owner.0.clusters[0].state = IdentityState::Mismatch;
    let space = running(Sharing::Public, Sharing::Public);
    for action in Action::ALL {
        assert_eq!(code(&space, &owner, action), Some(DenialCode::IdentityMismatch));
    }
}

#[test]
fn creating_needs_a_role_and_the_right() {
    let [_, _, owner, _, auditor] = everybody();
    assert_eq!(decide_create(&owner.1, &owner.0), Decision::allow());
    let denied = decide_create(&auditor.1, &auditor.0).reason.map(|r| r.code);
    assert_eq!(denied, Some(DenialCode::RoleForbids));
    let elsewhere = NamespaceAccess::default();
    let denied = decide_create(&elsewhere, &owner.0).reason.map(|r| r.code);
    assert_eq!(denied, Some(DenialCode::ClusterForbids));
}
