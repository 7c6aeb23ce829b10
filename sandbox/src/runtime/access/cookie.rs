//! The router's own cookie: who opened which Space, under which host, until when; signed, so that nothing is stored.
//!
//! Times are those of the add-on's auth middleware: a session of an hour, renewed in its last quarter, for at most
//! twelve hours after the token; the cookie itself is kept for a day.

use super::TokenClaims;
use anyhow::{Context, Result};
use data_encoding::BASE64URL_NOPAD;
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

pub const NAME: &str = "workspace_auth";
const SESSION_SECONDS: i64 = 60 * 60;
const RENEWAL_SECONDS: i64 = 15 * 60;
const HORIZON_SECONDS: i64 = 12 * 60 * 60;
const MAX_AGE_SECONDS: i64 = 24 * 60 * 60;

/// An opened door.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    pub uid: String,
    host: String,
    user: String,
    /// Unix seconds, as `expires`.
    opened: i64,
    expires: i64,
}

/// Signs and checks. The key outlives the sandbox, so that an open notebook goes on after a restart without a reload.
pub struct Cookies {
    key: [u8; 32],
}

impl Cookies {
    /// Reads the key from `file`, or makes one that only this user can read.
    pub fn with_key_file(file: &Path) -> Result<Cookies> {
        let kept = std::fs::read(file).ok().and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        if let Some(key) = kept {
            return Ok(Cookies { key });
        }
        let mut key = [0; 32];
        getrandom::fill(&mut key).context("the operating system gives no random bytes")?;
        let mut options = std::fs::OpenOptions::new();
        let opened = options.write(true).create(true).truncate(true).mode(0o600).open(file);
        let written = opened.and_then(|mut file| file.write_all(&key));
        written.with_context(|| format!("cannot keep the key in {}", file.display()))?;
        Ok(Cookies { key })
    }

    pub fn open(&self, claims: TokenClaims, host: &str, now: Timestamp) -> String {
        let opened = now.as_second();
        let expires = opened + SESSION_SECONDS;
        self.header(&Session {
            uid: claims.space_uid,
            host: host.to_owned(),
            user: claims.user,
            opened,
            expires,
        })
    }

    /// The session of a cookie's value, if it is ours, for this host, and has not expired.
    pub fn check(&self, value: &str, host: &str, now: Timestamp) -> Option<Session> {
        let (payload, signature) = value.split_once('.')?;
        let signature = BASE64URL_NOPAD.decode(signature.as_bytes()).ok()?;
        self.mac(payload).verify_slice(&signature).ok()?;
        let session: Session =
            serde_json::from_slice(&BASE64URL_NOPAD.decode(payload.as_bytes()).ok()?).ok()?;
        (session.host == host && now.as_second() < session.expires).then_some(session)
    }

    /// A fresh `Set-Cookie` for a session near its end.
    pub fn renew(&self, session: &Session, now: Timestamp) -> Option<String> {
        let now = now.as_second();
        let expires = (now + SESSION_SECONDS).min(session.opened + HORIZON_SECONDS);
        let due = session.expires - now < RENEWAL_SECONDS && expires > session.expires;
        due.then(|| self.header(&Session { expires, ..session.clone() }))
    }

    /// Without `Domain`: only this very host gets it. Without `Secure`: the sandbox speaks plain HTTP on loopback.
    fn header(&self, session: &Session) -> String {
        let json = serde_json::to_vec(session).expect("strings and numbers are always JSON");
        let payload = BASE64URL_NOPAD.encode(&json);
        let signature = BASE64URL_NOPAD.encode(&self.mac(&payload).finalize().into_bytes());
        format!("{NAME}={payload}.{signature}; Path=/; Max-Age={MAX_AGE_SECONDS}; HttpOnly; SameSite=Lax")
    }

    fn mac(&self, payload: &str) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).expect("any length of key is valid for HMAC");
        mac.update(payload.as_bytes());
        mac
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    const HOST: &str = "lab-nzzq.spaces.localhost";

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(1_000_000 + seconds).unwrap()
    }

    fn value(header: &str) -> &str {
        header.split(['=', ';']).nth(1).unwrap()
    }

    fn cookies() -> Cookies {
        Cookies { key: [7; 32] }
    }

    fn opened() -> String {
        cookies().open(TokenClaims { user: "ds-a1".into(), space_uid: "u".into() }, HOST, at(0))
    }

    #[test]
    fn a_cookie_opens_its_own_host_until_it_expires() {
        let header = opened();
        assert_eq!(cookies().check(value(&header), HOST, at(3599)).unwrap().uid, "u");
        assert_eq!(cookies().check(value(&header), HOST, at(3600)), None);
        assert_eq!(cookies().check(value(&header), "other-nzzq.spaces.localhost", at(1)), None);
    }

    #[test]
    fn a_cookie_of_another_key_or_with_a_changed_byte_opens_nothing() {
        let header = opened();
        assert_eq!(Cookies { key: [8; 32] }.check(value(&header), HOST, at(1)), None);
        let changed = value(&header).replacen('e', "f", 1);
        assert_eq!(cookies().check(&changed, HOST, at(1)), None);
        for garbage in ["", ".", "a", "a.b", "\u{e9}.\u{e9}"] {
            assert_eq!(cookies().check(garbage, HOST, at(1)), None);
        }
    }

    #[test]
    fn a_session_is_renewed_in_its_last_quarter_and_never_past_the_horizon() {
        let mut session = cookies().check(value(&opened()), HOST, at(1)).unwrap();
        assert_eq!(cookies().renew(&session, at(2699)), None);
        let renewed = cookies().renew(&session, at(3000)).unwrap();
        assert!(cookies().check(value(&renewed), HOST, at(6599)).is_some());
        session.expires = session.opened + HORIZON_SECONDS;
        assert_eq!(cookies().renew(&session, at(HORIZON_SECONDS - 1)), None);
    }

    #[test]
    fn the_key_outlives_a_restart_and_is_readable_by_its_owner_only() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("access.key");
        let first = Cookies::with_key_file(&file).unwrap().key;
        assert_eq!(Cookies::with_key_file(&file).unwrap().key, first);
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn the_cookie_is_host_only_and_out_of_reach_of_scripts() {
        let header = opened();
        assert!(header.contains("HttpOnly") && header.contains("SameSite=Lax") && !header.contains("Domain"));
    }
}
