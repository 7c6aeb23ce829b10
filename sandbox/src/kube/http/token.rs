//! Continue tokens: opaque to clients, the same shape as upstream's.

use crate::kube::failure::Failure;
use crate::kube::refusals::bad_request;
use crate::kube::store::Key;
use data_encoding::BASE64URL_NOPAD;
use serde_json::{Value, json};

/// Where the next page starts, and as of which version (`None`: whatever is newest then).
#[derive(Debug, PartialEq, Eq)]
pub struct Token {
    pub version: Option<u64>,
    pub after: Key,
}

impl Token {
    /// `namespaced`: the list is of one namespace, whose name is then left out.
    pub fn encode(&self, namespaced: bool) -> String {
        let after = &self.after;
        let place = if namespaced || after.namespace.is_empty() {
            after.name.clone()
        } else {
            format!("{}/{}", after.namespace, after.name)
        };
        let version = self.version.map_or(json!(-1), |version| json!(version));
        let token = json!({"v": "meta.k8s.io/v1", "rv": version, "start": format!("{place}\u{0}")});
        BASE64URL_NOPAD.encode(token.to_string().as_bytes())
    }

    /// # Errors
    /// 400 when it is not one of ours.
    pub fn decode(text: &str, namespace: Option<&str>) -> Result<Token, Failure> {
        let bad = |why: &str| bad_request(format!("continue key is not valid: {why}"));
        let bytes = BASE64URL_NOPAD
            .decode(text.trim_end_matches('=').as_bytes())
            .map_err(|error| bad(&format!("illegal base64 data at input byte {}", error.position)))?;
        let token: Value = serde_json::from_slice(&bytes).map_err(|_| bad("unexpected end of JSON input"))?;
        if token["v"] != json!("meta.k8s.io/v1") {
            return Err(bad(&format!(
                "server does not recognize this encoded version {}",
                crate::kube::refusals::quote(token["v"].as_str().unwrap_or_default())
            )));
        }
        let version = match token["rv"].as_i64() {
            Some(0) | None => {
                return Err(bad("incorrect encoded start resourceVersion (version meta.k8s.io/v1)"));
            }
            Some(version) => u64::try_from(version).ok(),
        };
        let start = token["start"].as_str().unwrap_or_default().trim_end_matches('\u{0}');
        if start.is_empty() {
            return Err(bad("encoded start key empty (version meta.k8s.io/v1)"));
        }
        let after = match (namespace, start.split_once('/')) {
            (Some(namespace), _) => Key::new(namespace, start),
            (None, Some((namespace, name))) => Key::new(namespace, name),
            (None, None) => Key::new("", start),
        };
        Ok(Token { version, after })
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[test]
    fn a_token_comes_back_as_it_was() {
        let token = Token { version: Some(7), after: Key::new("a", "p1") };
        assert_eq!(Token::decode(&token.encode(false), None).unwrap(), token);
        assert_eq!(Token::decode(&token.encode(true), Some("a")).unwrap(), token);
    }

    #[test]
    fn a_made_up_token_is_refused() {
        assert_eq!(Token::decode("!!", None).unwrap_err().code, 400);
    }
}
