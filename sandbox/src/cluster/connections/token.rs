//! Tokens that open a Space in the browser: JWTs signed with a key that lives as long as the sandbox.

use crate::kube::identity::UserInfo;
use crate::runtime::access::{Refusal, TokenClaims, Verify};
use data_encoding::BASE64URL_NOPAD;
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use serde_json::{Value, json};
use sha2::Sha384;
use std::sync::Arc;

const LIFETIME_SECONDS: i64 = 5 * 60;
/// Issuer and audience.
const PARTY: &str = "workspaces-controller";
const KEY_BYTES: usize = 48;

/// Signs and checks connection tokens; clones share the key. Both clusters of a sandbox use one, as one router serves
/// both.
#[derive(Clone)]
pub struct ConnectionTokens {
    key: Arc<[u8; KEY_BYTES]>,
    id: Arc<str>,
}

/// What a valid token says.
#[derive(Clone, Debug, PartialEq)]
pub struct Claims {
    pub user: UserInfo,
    /// Host name without port.
    pub domain: String,
    pub path: String,
    pub space_uid: String,
}

impl ConnectionTokens {
    /// A new key from the operating system.
    ///
    /// # Errors
    /// When the operating system gives no randomness.
    pub fn generate() -> anyhow::Result<ConnectionTokens> {
        let mut key = [0; KEY_BYTES];
        getrandom::fill(&mut key).map_err(|error| anyhow::anyhow!("no random key: {error}"))?;
        let mut id = [0; 6];
        getrandom::fill(&mut id).map_err(|error| anyhow::anyhow!("no random key id: {error}"))?;
        Ok(ConnectionTokens { key: Arc::new(key), id: data_encoding::HEXLOWER.encode(&id).into() })
    }

    /// A bootstrap token: valid five minutes, any number of times.
    pub fn mint(&self, claims: &Claims, now: Timestamp) -> String {
        let header = json!({"alg": "HS384", "typ": "JWT", "kid": &*self.id});
        let body = json!({
            "iss": PARTY, "aud": [PARTY], "sub": claims.user.username, "iat": now.as_second(),
            "nbf": now.as_second(), "exp": now.as_second() + LIFETIME_SECONDS,
            "User": claims.user.username, "Groups": claims.user.groups, "Uid": claims.user.uid,
            "Extra": claims.user.extra, "Path": claims.path, "Domain": claims.domain,
            "TokenType": "bootstrap", "SkipRefresh": true, "SpaceUid": claims.space_uid,
        });
        let part = |value: &Value| BASE64URL_NOPAD.encode(value.to_string().as_bytes());
        let signed = format!("{}.{}", part(&header), part(&body));
        let signature = BASE64URL_NOPAD.encode(&self.mac(&signed).finalize().into_bytes());
        format!("{signed}.{signature}")
    }

    fn mac(&self, signed: &str) -> Hmac<Sha384> {
        let mut mac = Hmac::<Sha384>::new_from_slice(&*self.key).expect("HMAC takes a key of any length");
        mac.update(signed.as_bytes());
        mac
    }

    /// `None` unless signed by this key, of this kind and not expired. The algorithm is fixed: a header that says
    /// otherwise makes the token invalid.
    pub fn verify(&self, token: &str, now: Timestamp) -> Option<Claims> {
        let (signed, signature) = token.rsplit_once('.')?;
        let signature = BASE64URL_NOPAD.decode(signature.as_bytes()).ok()?;
        self.mac(signed).verify_slice(&signature).ok()?;
        let (header, body) = signed.split_once('.')?;
        let read = |part: &str| -> Option<Value> {
            serde_json::from_slice(&BASE64URL_NOPAD.decode(part.as_bytes()).ok()?).ok()
        };
        let (header, body) = (read(header)?, read(body)?);
        let valid = header["alg"] == "HS384"
            && body["iss"] == PARTY
            && body["TokenType"] == "bootstrap"
            && body["exp"].as_i64().is_some_and(|end| now.as_second() < end);
        let text = |field: &str| body[field].as_str().unwrap_or_default().to_owned();
        valid.then(|| Claims {
            user: UserInfo {
                username: text("User"),
                uid: text("Uid"),
                groups: serde_json::from_value(body["Groups"].clone()).unwrap_or_default(),
                extra: serde_json::from_value(body["Extra"].clone()).unwrap_or_default(),
            },
            domain: text("Domain"),
            path: text("Path"),
            space_uid: text("SpaceUid"),
        })
    }

    /// The check for the access router.
    pub fn verifier(&self) -> Verify {
        let tokens = self.clone();
        Arc::new(move |token, host| {
            let claims = tokens.verify(token, Timestamp::now()).ok_or(Refusal::Invalid)?;
            if claims.domain != host {
                return Err(Refusal::WrongHost);
            }
            Ok(TokenClaims { user: claims.user.username, space_uid: claims.space_uid })
        })
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn claims() -> Claims {
        Claims {
            user: UserInfo { username: "ds-a1".into(), groups: vec!["team-a".into()], ..UserInfo::default() },
            domain: "lab-nzzq.spaces.localhost".into(),
            path: "/".into(),
            space_uid: "u-1".into(),
        }
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_token_reads_back_for_five_minutes_as_often_as_one_likes() {
        let tokens = ConnectionTokens::generate().unwrap();
        let token = tokens.mint(&claims(), at(1000));
        assert_eq!(tokens.verify(&token, at(1001)), Some(claims()));
        assert_eq!(tokens.verify(&token, at(1299)), Some(claims()));
        assert_eq!(tokens.verify(&token, at(1300)), None);
    }

    #[test]
    fn a_token_of_another_key_or_a_changed_one_is_invalid() {
        let (tokens, other) = (ConnectionTokens::generate().unwrap(), ConnectionTokens::generate().unwrap());
        let token = tokens.mint(&claims(), at(1000));
        assert_eq!(other.verify(&token, at(1001)), None);
        let parts: Vec<&str> = token.split('.').collect();
        let none = BASE64URL_NOPAD.encode(br#"{"alg":"none"}"#);
        for forged in
            [format!("{none}.{}.", parts[1]), format!("{none}.{}.{}", parts[1], parts[2]), token + "x"]
        {
            assert_eq!(tokens.verify(&forged, at(1001)), None, "{forged}");
        }
        assert_eq!(tokens.verify("nonsense", at(1001)), None);
    }

    #[test]
    fn the_router_accepts_a_token_on_its_own_host_only() {
        let tokens = ConnectionTokens::generate().unwrap();
        let verify = tokens.verifier();
        let token = tokens.mint(&claims(), Timestamp::now());
        assert_eq!(
            verify(&token, "lab-nzzq.spaces.localhost"),
            Ok(TokenClaims { user: "ds-a1".into(), space_uid: "u-1".into() })
        );
        assert_eq!(verify(&token, "other-nzzq.spaces.localhost"), Err(Refusal::WrongHost));
        assert_eq!(verify("x", "lab-nzzq.spaces.localhost"), Err(Refusal::Invalid));
    }
}
