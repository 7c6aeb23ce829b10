//! STS: AssumeRole and GetCallerIdentity (query protocol, XML answers).

mod request;

use super::authentication::Caller;
use super::failure::{AwsFailure, Protocol, STS_NAMESPACE, escape_xml};
use super::roles;
use super::sessions::{Issued, Principal, Sessions};
use crate::landscape::PARTITION;
use request::{AssumeRole, invalid};
use std::collections::BTreeMap;

/// Answers one call; the XML of its result.
///
/// # Errors
/// As STS words them.
pub fn answer(
    sessions: &Sessions,
    caller: &Caller,
    fields: &BTreeMap<String, String>,
    now: i64,
    request_id: &str,
) -> Result<String, AwsFailure> {
    match fields.get("Action").map(String::as_str) {
        Some("GetCallerIdentity") => Ok(caller_identity(&caller.principal, request_id)),
        Some("AssumeRole") => {
            let request = AssumeRole::read(fields)?;
            let issued = assume_role(sessions, &caller.principal, &request, now)?;
            Ok(assumed(&issued, &request, request_id))
        }
        Some(other) => Err(AwsFailure::new(
            400,
            "InvalidAction",
            format!("Could not find operation {other} for version 2011-06-15"),
        )),
        None => Err(AwsFailure::new(400, "MissingAction", "Request must contain an Action.")),
    }
}

fn caller_identity(principal: &Principal, request_id: &str) -> String {
    format!(
        "<GetCallerIdentityResponse xmlns=\"{STS_NAMESPACE}\"><GetCallerIdentityResult><Arn>{}</Arn>\
         <UserId>{}</UserId><Account>{}</Account></GetCallerIdentityResult><ResponseMetadata>\
         <RequestId>{request_id}</RequestId></ResponseMetadata></GetCallerIdentityResponse>",
        escape_xml(&principal.arn()),
        escape_xml(&principal.user_id()),
        principal.account(),
    )
}

/// Trust policies of all roles are alike: the gateway may assume them, and nobody else.
fn assume_role(
    sessions: &Sessions,
    caller: &Principal,
    request: &AssumeRole,
    now: i64,
) -> Result<Issued, AwsFailure> {
    // A role that does not exist and one that does not trust the caller look alike.
    let denied = || AwsFailure::denied(Protocol::Query, &caller.arn(), "sts:AssumeRole", &request.role_arn);
    let (account, name) = split_role_arn(&request.role_arn)?;
    let role = roles::find(account, name).ok_or_else(denied)?;
    let trusted = *caller == Principal::Gateway && roles::grants(roles::GATEWAY_ACTIONS, "sts:AssumeRole");
    if !trusted || (role.needs_source_identity && request.source_identity.is_none()) {
        return Err(denied());
    }
    if request.seconds > roles::MAX_SESSION_SECONDS {
        return Err(invalid(
            "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.",
        ));
    }
    sessions
        .issue(account, name, &request.session_name, request.source_identity.clone(), now + request.seconds)
        .map_err(|error| AwsFailure::new(500, "InternalFailure", error.to_string()))
}

fn split_role_arn(arn: &str) -> Result<(&str, &str), AwsFailure> {
    arn.strip_prefix(&format!("arn:{PARTITION}:iam::"))
        .and_then(|rest| rest.split_once(":role/"))
        .ok_or_else(|| invalid(&format!("{arn} is invalid")))
}

fn assumed(issued: &Issued, request: &AssumeRole, request_id: &str) -> String {
    let expiration = jiff::Timestamp::from_second(issued.session.expires).unwrap_or(jiff::Timestamp::MAX);
    let identity = request
        .source_identity
        .as_ref()
        .map(|identity| format!("<SourceIdentity>{}</SourceIdentity>", escape_xml(identity)))
        .unwrap_or_default();
    format!(
        "<AssumeRoleResponse xmlns=\"{STS_NAMESPACE}\"><AssumeRoleResult>{identity}<AssumedRoleUser>\
         <AssumedRoleId>{}</AssumedRoleId><Arn>{}</Arn></AssumedRoleUser><Credentials><AccessKeyId>{}</AccessKeyId>\
         <SecretAccessKey>{}</SecretAccessKey><SessionToken>{}</SessionToken><Expiration>{expiration}</Expiration>\
         </Credentials><PackedPolicySize>{}</PackedPolicySize></AssumeRoleResult><ResponseMetadata>\
         <RequestId>{request_id}</RequestId></ResponseMetadata></AssumeRoleResponse>",
        escape_xml(&issued.session.principal_id()),
        escape_xml(&issued.session.arn()),
        issued.access_key_id,
        escape_xml(&issued.secret_access_key),
        issued.session_token,
        request.packed_percent,
    )
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::super::sessions::tests::sessions;
    use super::*;

    const ROLE: &str = "arn:aws:iam::111122223333:role/TeamADataScientist";

    fn call(caller: Principal, change: &[(&str, &str)]) -> Result<String, AwsFailure> {
        let caller = Caller { principal: caller, region: "us-west-2".into(), service: "sts".into() };
        let mut fields: BTreeMap<String, String> = [
            ("Action", "AssumeRole"),
            ("RoleArn", ROLE),
            ("RoleSessionName", "ds-a1"),
            ("SourceIdentity", "ds-a1"),
        ]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .into();
        for (key, value) in change {
            fields.insert((*key).to_owned(), (*value).to_owned());
        }
        fields.retain(|_, value| value != "absent");
        answer(&sessions(), &caller, &fields, 1000, "id")
    }

    fn code(change: &[(&str, &str)]) -> &'static str {
        call(Principal::Gateway, change).unwrap_err().code
    }

    #[test]
    fn the_gateway_assumes_a_role_for_an_hour() {
        let xml =
            call(Principal::Gateway, &[("Tags.member.1.Key", "PortalUser"), ("Tags.member.1.Value", "张伟")]);
        let xml = xml.unwrap();
        assert!(xml.contains("<Arn>arn:aws:sts::111122223333:assumed-role/TeamADataScientist/ds-a1</Arn>"));
        assert!(xml.contains("<Expiration>1970-01-01T01:16:40Z</Expiration>"));
        assert!(xml.contains("<SourceIdentity>ds-a1</SourceIdentity>"));
    }

    #[test]
    fn nobody_else_assumes_a_role() {
        let issued = sessions().issue("111122223333", "SpaceportAdmin", "admin", None, 5000).unwrap();
        let failure = call(Principal::Session(issued.session), &[]).unwrap_err();
        assert_eq!((failure.status, failure.code), (403, "AccessDenied"));
        assert!(failure.message.contains("is not authorized to perform: sts:AssumeRole on resource"));
    }

    #[test]
    fn a_role_that_does_not_exist_is_denied_like_a_foreign_one() {
        assert_eq!(code(&[("RoleArn", "arn:aws:iam::111122223333:role/Nobody")]), "AccessDenied");
        assert_eq!(code(&[("RoleArn", "arn:aws:iam::444455556666:role/TeamADataScientist")]), "AccessDenied");
        assert_eq!(code(&[("RoleArn", "nonsense")]), "ValidationError");
    }

    #[test]
    fn a_person_s_role_demands_a_source_identity() {
        assert_eq!(code(&[("SourceIdentity", "absent")]), "AccessDenied");
        let hub = [("SourceIdentity", "absent"), ("RoleArn", "arn:aws:iam::111122223333:role/SpaceportHub")];
        assert!(call(Principal::Gateway, &hub).is_ok());
    }

    #[test]
    fn session_names_are_ascii_of_two_to_sixty_four() {
        let long = "a".repeat(65);
        for bad in ["a", long.as_str(), "张伟", "a b", "a/b", "absent"] {
            assert_eq!(code(&[("RoleSessionName", bad)]), "ValidationError", "{bad}");
        }
        assert!(call(Principal::Gateway, &[("RoleSessionName", "a_+=,.@-Z9")]).is_ok());
        assert_eq!(code(&[("SourceIdentity", "aws:x")]), "ValidationError");
    }

    #[test]
    fn durations_are_bounded_by_the_api_and_the_role() {
        for bad in ["899", "43201", "x", "3601"] {
            assert_eq!(code(&[("DurationSeconds", bad)]), "ValidationError", "{bad}");
        }
        assert!(call(Principal::Gateway, &[("DurationSeconds", "900")]).is_ok());
    }

    #[test]
    fn tags_are_checked() {
        let tag = |key: &'static str, value: &'static str| {
            code(&[("Tags.member.1.Key", key), ("Tags.member.1.Value", value)])
        };
        assert_eq!(tag("", "v"), "ValidationError");
        assert_eq!(tag("k", "<script>"), "ValidationError");
        assert_eq!(
            code(&[("Tags.member.1.Key", "Team"), ("Tags.member.2.Key", "team")]),
            "InvalidParameterValue"
        );
    }

    #[test]
    fn unknown_actions_and_inline_policies_are_refused() {
        assert_eq!(code(&[("Action", "GetFederationToken")]), "InvalidAction");
        assert_eq!(code(&[("Action", "absent")]), "MissingAction");
        assert_eq!(code(&[("Policy", "{}")]), "ValidationError");
    }
}
