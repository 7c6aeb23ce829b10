//! Who asks: bearer tokens, or nobody.

use super::Core;
use super::failure::Failure;
use super::hooks::Authenticator;
use super::identity::UserInfo;
use http::{HeaderMap, header};
use std::collections::HashMap;

pub const ANONYMOUS: &str = "system:anonymous";

/// The user of a request.
///
/// # Errors
/// 401 for bad credentials, or for none when anonymous requests are off.
pub(super) fn authenticate(core: &Core, headers: &HeaderMap) -> Result<UserInfo, Failure> {
    let Some(token) = bearer(headers) else {
        return if core.config.anonymous { Ok(anonymous()) } else { Err(unauthorized()) };
    };
    match verify(core, token) {
        Some(Ok(user)) => Ok(user),
        Some(Err(why)) => {
            tracing::info!(why, "bearer token refused");
            Err(unauthorized())
        }
        None => Err(unauthorized()),
    }
}

/// Asks every authenticator; `None` when the token is of no kind that one of them knows.
pub(super) fn verify(core: &Core, token: &str) -> Option<Result<UserInfo, String>> {
    core.hooks()?.authenticators.iter().find_map(|authenticator| authenticator.authenticate(token))
}

pub(super) fn unauthorized() -> Failure {
    Failure::new(401, "Unauthorized", "Unauthorized")
}

pub(super) fn anonymous() -> UserInfo {
    UserInfo {
        username: ANONYMOUS.to_owned(),
        groups: vec!["system:unauthenticated".to_owned()],
        ..UserInfo::default()
    }
}

/// The token of an Authorization header. Other schemes and an empty token count as no credentials, and words after
/// the token are ignored (apiserver `bearertoken`).
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?.trim();
    let mut words = value.splitn(3, ' ');
    let scheme = words.next()?;
    words.next().filter(|token| scheme.eq_ignore_ascii_case("bearer") && !token.is_empty())
}

/// Fixed tokens, each a user.
#[derive(Debug, Default)]
pub struct StaticTokens(HashMap<String, UserInfo>);

impl StaticTokens {
    /// Adds `system:authenticated` to each user's groups.
    pub fn new(users: impl IntoIterator<Item = (String, UserInfo)>) -> StaticTokens {
        let authenticated = |(token, mut user): (String, UserInfo)| {
            if !user.in_group("system:authenticated") {
                user.groups.push("system:authenticated".to_owned());
            }
            (token, user)
        };
        StaticTokens(users.into_iter().map(authenticated).collect())
    }
}

impl Authenticator for StaticTokens {
    fn authenticate(&self, bearer: &str) -> Option<Result<UserInfo, String>> {
        self.0.get(bearer).cloned().map(Ok)
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn token(value: &str) -> Option<String> {
        let mut headers = HeaderMap::new();
        headers.insert(header::AUTHORIZATION, value.parse().unwrap());
        bearer(&headers).map(str::to_owned)
    }

    #[test]
    fn the_scheme_has_no_case_and_further_words_do_not_count() {
        assert_eq!(token("bearer t"), Some("t".to_owned()));
        assert_eq!(token("Bearer t extra words"), Some("t".to_owned()));
    }

    #[test]
    fn other_schemes_and_empty_tokens_are_no_credentials() {
        assert_eq!(token("Bearer "), None);
        assert_eq!(token("Basic YTpi"), None);
        assert_eq!(token("Bearer  two-spaces"), None);
    }

    #[test]
    fn everybody_with_a_token_is_authenticated() {
        let tokens = StaticTokens::new([("t".to_owned(), UserInfo::default())]);
        assert!(tokens.authenticate("t").unwrap().unwrap().in_group("system:authenticated"));
        assert!(tokens.authenticate("other").is_none());
    }
}
