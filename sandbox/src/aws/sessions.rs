//! Credentials: the gateway's long-term key, and the temporary ones that STS issues.
//!
//! Nothing is stored for a temporary credential: its session token carries the claims under a signature, and its
//! secret key derives from the token. So sessions survive a restart of the sandbox, as they would one of a laptop.

use crate::landscape::{GATEWAY_USER, SANDBOX, gateway_arn, role_arn, session_arn, unique_id};
use crate::secrets::{AccessKey, Secrets};
use anyhow::Result;
use data_encoding::{BASE32_NOPAD, BASE64, BASE64URL_NOPAD};
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

/// Persona files are written at each start and outlive a long working day by far.
const PERSONA_SECONDS: i64 = 30 * 24 * 3600;

/// Issues and recognises credentials.
#[derive(Clone)]
pub struct Sessions {
    key: Vec<u8>,
    gateway: AccessKey,
}

/// A session's claims, inside its token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Session {
    #[serde(rename = "k")]
    pub access_key_id: String,
    #[serde(rename = "a")]
    pub account: String,
    #[serde(rename = "r")]
    pub role: String,
    #[serde(rename = "s")]
    pub name: String,
    #[serde(rename = "i", default, skip_serializing_if = "Option::is_none")]
    pub source_identity: Option<String>,
    /// Seconds since the epoch.
    #[serde(rename = "e")]
    pub expires: i64,
}

impl Session {
    pub fn arn(&self) -> String {
        session_arn(&self.account, &self.role, &self.name)
    }

    pub fn role_arn(&self) -> String {
        role_arn(&self.account, &self.role)
    }

    /// `AROA…:session-name`.
    pub fn principal_id(&self) -> String {
        format!("{}:{}", unique_id("AROA", &self.account, &self.role), self.name)
    }
}

/// A fresh credential.
#[derive(Clone)]
pub struct Issued {
    pub session: Session,
    pub access_key_id: String,
    pub secret_access_key: String,
    pub session_token: String,
}

/// Whom a credential belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Principal {
    Gateway,
    Session(Session),
}

impl Principal {
    pub fn arn(&self) -> String {
        match self {
            Principal::Gateway => gateway_arn(),
            Principal::Session(session) => session.arn(),
        }
    }

    pub fn account(&self) -> &str {
        match self {
            Principal::Gateway => SANDBOX.account,
            Principal::Session(session) => &session.account,
        }
    }

    /// `UserId` of GetCallerIdentity.
    pub fn user_id(&self) -> String {
        match self {
            Principal::Gateway => unique_id("AIDA", SANDBOX.account, GATEWAY_USER),
            Principal::Session(session) => session.principal_id(),
        }
    }
}

/// A credential that exists: its principal and the key its signatures are made with.
pub struct Known {
    pub principal: Principal,
    pub secret_access_key: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// No such key, or key and session token do not belong together.
    Invalid,
    Expired,
}

impl Sessions {
    pub fn new(secrets: &Secrets) -> Sessions {
        Sessions { key: secrets.session_key.as_bytes().to_vec(), gateway: secrets.gateway.clone() }
    }

    /// `now` and the session's end in seconds since the epoch.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn issue(
        &self,
        account: &str,
        role: &str,
        name: &str,
        source_identity: Option<String>,
        expires: i64,
    ) -> Result<Issued> {
        let mut random = [0; 10];
        getrandom::fill(&mut random).map_err(|error| anyhow::anyhow!("no randomness: {error}"))?;
        let session = Session {
            access_key_id: format!("ASIA{}", BASE32_NOPAD.encode(&random)),
            account: account.to_owned(),
            role: role.to_owned(),
            name: name.to_owned(),
            source_identity,
            expires,
        };
        let claims = BASE64URL_NOPAD.encode(&serde_json::to_vec(&session)?);
        let session_token = format!("{claims}.{}", BASE64URL_NOPAD.encode(&self.mac("token", &claims)));
        Ok(Issued {
            access_key_id: session.access_key_id.clone(),
            secret_access_key: self.secret_of(&session_token),
            session_token,
            session,
        })
    }

    /// The long credential of a persona's file; its source identity is the persona.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn issue_for_persona(&self, account: &str, role: &str, persona: &str) -> Result<Issued> {
        let expires = jiff::Timestamp::now().as_second() + PERSONA_SECONDS;
        self.issue(account, role, persona, Some(persona.to_owned()), expires)
    }

    /// # Errors
    /// [`Unknown`]; which of the two the caller may be told.
    pub fn find(&self, access_key_id: &str, token: Option<&str>, now: i64) -> Result<Known, Unknown> {
        let Some(token) = token else {
            if access_key_id != self.gateway.id {
                return Err(Unknown::Invalid);
            }
            return Ok(Known {
                principal: Principal::Gateway,
                secret_access_key: self.gateway.secret.clone(),
            });
        };
        let session = self.open(token).ok_or(Unknown::Invalid)?;
        if session.access_key_id != access_key_id {
            return Err(Unknown::Invalid);
        }
        if session.expires <= now {
            return Err(Unknown::Expired);
        }
        Ok(Known { principal: Principal::Session(session), secret_access_key: self.secret_of(token) })
    }

    fn open(&self, token: &str) -> Option<Session> {
        let (claims, signature) = token.split_once('.')?;
        let signature = BASE64URL_NOPAD.decode(signature.as_bytes()).ok()?;
        self.hmac("token", claims).verify_slice(&signature).ok()?;
        serde_json::from_slice(&BASE64URL_NOPAD.decode(claims.as_bytes()).ok()?).ok()
    }

    fn secret_of(&self, token: &str) -> String {
        BASE64.encode(&self.mac("secret", token)[..30])
    }

    fn mac(&self, purpose: &str, text: &str) -> Vec<u8> {
        self.hmac(purpose, text).finalize().into_bytes().to_vec()
    }

    fn hmac(&self, purpose: &str, text: &str) -> Hmac<Sha256> {
        let mut hmac = Hmac::<Sha256>::new_from_slice(&self.key).expect("HMAC takes keys of any length");
        hmac.update(purpose.as_bytes());
        hmac.update(&[0]);
        hmac.update(text.as_bytes());
        hmac
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
pub(crate) mod tests {
    use super::*;

    pub fn sessions() -> Sessions {
        Sessions {
            key: b"key of the tests".to_vec(),
            gateway: AccessKey { id: "AKIATESTTESTTESTTEST".into(), secret: "gateway secret".into() },
        }
    }

    #[test]
    fn a_session_is_known_until_it_expires() {
        let sessions = sessions();
        let issued = sessions.issue("1", "Role", "ds-a1", None, 1000).unwrap();
        let find = |token: &str, now| sessions.find(&issued.access_key_id, Some(token), now);
        let known = find(&issued.session_token, 999).unwrap_or_else(|why| panic!("{why:?}"));
        assert_eq!(known.principal, Principal::Session(issued.session.clone()));
        assert_eq!(known.secret_access_key, issued.secret_access_key);
        assert_eq!(find(&issued.session_token, 1000).err(), Some(Unknown::Expired));
        assert_eq!(find(&format!("{}x", issued.session_token), 0).err(), Some(Unknown::Invalid));
        assert_eq!(find("", 0).err(), Some(Unknown::Invalid));
    }

    #[test]
    fn a_token_belongs_to_its_key_and_to_its_sandbox() {
        let sessions = sessions();
        let one = sessions.issue("1", "Role", "ds-a1", None, 1000).unwrap();
        let other = sessions.issue("1", "Role", "ds-a2", None, 1000).unwrap();
        let mixed = sessions.find(&one.access_key_id, Some(&other.session_token), 0);
        assert_eq!(mixed.err(), Some(Unknown::Invalid));
        let foreign = Sessions { key: b"another".to_vec(), ..sessions };
        let result = foreign.find(&one.access_key_id, Some(&one.session_token), 0);
        assert_eq!(result.err(), Some(Unknown::Invalid));
    }

    #[test]
    fn a_temporary_key_without_its_token_is_unknown() {
        let sessions = sessions();
        let issued = sessions.issue("1", "Role", "ds-a1", None, 1000).unwrap();
        assert!(sessions.find(&issued.access_key_id, None, 0).is_err());
        assert!(sessions.find("AKIATESTTESTTESTTEST", None, 0).is_ok());
    }
}
