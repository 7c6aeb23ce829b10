//! Role sessions: one per role, session name and region, in memory only.
//!
//! Single flight, refreshed between half and three quarters of their life, served stale while valid if STS fails,
//! refusals remembered for half a minute.

use super::in_region;
use crate::config::RoleArn;
use crate::error::{ApiError, Upstream, from_sdk};
use aws_config::SdkConfig;
use aws_credential_types::Credentials;
use moka::future::Cache;
use std::time::{Duration, SystemTime};

/// Role chaining caps a session at one hour (IAM user guide, "Roles terms and concepts").
const LIFE: Duration = Duration::from_secs(3600);
/// A session this near its end is not handed out any more: the call it is for takes time too.
const MARGIN: Duration = Duration::from_secs(60);
const REMEMBER_REFUSAL: Duration = Duration::from_secs(30);
const REMEMBER_OUTAGE: Duration = Duration::from_secs(2);
const MOST_SESSIONS: u64 = 10_000;

#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    role: RoleArn,
    session: String,
    region: String,
}

#[derive(Clone)]
struct Slot {
    result: Result<Credentials, ApiError>,
    refresh_at: SystemTime,
}

#[derive(Clone)]
pub struct RoleSessions {
    base: SdkConfig,
    cache: Cache<Key, Slot>,
}

impl RoleSessions {
    pub fn new(base: SdkConfig) -> RoleSessions {
        let cache = Cache::builder()
            .max_capacity(MOST_SESSIONS)
            .time_to_live(LIFE)
            .support_invalidation_closures()
            .build();
        RoleSessions { base, cache }
    }

    /// Credentials of `role` under the session name, which becomes `SourceIdentity` too.
    ///
    /// # Errors
    /// `Forbidden` if the gateway may not assume the role, `UpstreamUnavailable` if STS cannot be reached.
    pub async fn get(&self, role: &RoleArn, session: &str, region: &str) -> Result<Credentials, ApiError> {
        let key = Key { role: role.clone(), session: session.to_owned(), region: region.to_owned() };
        let now = crate::clock::system_now();
        let held = self.cache.get(&key).await;
        if let Some(slot) = &held
            && slot.refresh_at > now
        {
            return slot.result.clone();
        }
        let refresh =
            async { next_slot(held.map(|slot| slot.result), self.assume(&key).await, now, share()) };
        let entry = self
            .cache
            .entry(key.clone())
            .or_insert_with_if(Box::pin(refresh), |slot| slot.refresh_at <= now)
            .await;
        entry.into_value().result
    }

    /// Drops whatever a person's session name holds (sign-out, change of groups).
    pub fn forget(&self, session: &str) {
        let session = session.to_owned();
        let forgotten = self.cache.invalidate_entries_if(move |key, _| key.session == session);
        if let Err(error) = forgotten {
            tracing::error!(%error, "credentials not dropped");
        }
    }

    async fn assume(&self, key: &Key) -> Result<Credentials, ApiError> {
        let answer = aws_sdk_sts::Client::new(&in_region(&self.base, &key.region))
            .assume_role()
            .role_arn(key.role.as_str())
            .role_session_name(&key.session)
            .source_identity(&key.session)
            .duration_seconds(i32::try_from(LIFE.as_secs()).expect("an hour fits"))
            .send()
            .await
            .map_err(|error| from_sdk(Upstream::Sts, "sts:AssumeRole", error))?;
        let granted = answer.credentials.ok_or_else(|| ApiError::UpstreamFailed {
            service: Upstream::Sts,
            cause: anyhow::anyhow!("AssumeRole answered without credentials").into(),
        })?;
        let expires = SystemTime::try_from(granted.expiration).map_err(|error| ApiError::UpstreamFailed {
            service: Upstream::Sts,
            cause: anyhow::anyhow!("expiration: {error}").into(),
        })?;
        Ok(Credentials::new(
            granted.access_key_id,
            granted.secret_access_key,
            Some(granted.session_token),
            Some(expires),
            "AssumeRole",
        ))
    }
}

/// Per cent of its life after which a session is renewed: 50 to 75, so that a fleet does not renew at once.
fn share() -> u32 {
    let mut byte = [0_u8; 1];
    match getrandom::fill(&mut byte) {
        Ok(()) => 50 + u32::from(byte[0]) % 26,
        Err(_) => 60,
    }
}

/// What the cache holds after an attempt: the new session; else the old one while it lives; else the failure.
fn next_slot(
    held: Option<Result<Credentials, ApiError>>,
    attempt: Result<Credentials, ApiError>,
    now: SystemTime,
    share: u32,
) -> Slot {
    match (attempt, held) {
        (Ok(fresh), _) => {
            let life = fresh.expiry().and_then(|at| at.duration_since(now).ok()).unwrap_or(LIFE);
            Slot { result: Ok(fresh), refresh_at: now + life * share / 100 }
        }
        // A refusal ends the old session at once: somebody may just have been locked out.
        (Err(error @ ApiError::Forbidden { .. }), _) => {
            Slot { result: Err(error), refresh_at: now + REMEMBER_REFUSAL }
        }
        (Err(_), Some(Ok(old))) if old.expiry().is_none_or(|at| at > now + MARGIN) => {
            Slot { result: Ok(old), refresh_at: now + REMEMBER_REFUSAL }
        }
        (Err(error), _) => Slot { result: Err(error), refresh_at: now + REMEMBER_OUTAGE },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spaceport_shared::error::Layer;

    fn now() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000)
    }

    fn session(lives: Duration) -> Credentials {
        Credentials::new("id", "secret", None, Some(now() + lives), "test")
    }

    fn outage() -> ApiError {
        ApiError::UpstreamUnavailable {
            service: Upstream::Sts,
            retry_after: Duration::ZERO,
            cause: anyhow::anyhow!("down").into(),
        }
    }

    #[test]
    fn a_fresh_session_is_renewed_in_the_middle_of_its_life() {
        let slot = next_slot(None, Ok(session(LIFE)), now(), 50);
        assert_eq!(slot.refresh_at, now() + Duration::from_secs(1800));
        assert!((50..=75).contains(&share()));
    }

    #[test]
    fn an_outage_keeps_a_session_that_still_lives_and_no_other() {
        let lives = Some(Ok(session(Duration::from_secs(600))));
        assert!(next_slot(lives, Err(outage()), now(), 60).result.is_ok());
        let ends = Some(Ok(session(Duration::from_secs(30))));
        assert!(next_slot(ends, Err(outage()), now(), 60).result.is_err());
    }

    #[test]
    fn a_refusal_ends_the_old_session_and_is_remembered() {
        let refusal = ApiError::Forbidden { layer: Layer::Organization, rule: String::new() };
        let slot = next_slot(Some(Ok(session(LIFE))), Err(refusal), now(), 60);
        assert!(slot.result.is_err());
        assert_eq!(slot.refresh_at, now() + REMEMBER_REFUSAL);
    }
}
