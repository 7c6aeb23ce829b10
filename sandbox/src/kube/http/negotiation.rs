//! Which representation the client wants: media type, table or metadata alone, pretty or not (apiserver
//! `negotiation`).

use super::query::Query;
use crate::kube::failure::Failure;
use http::{HeaderMap, header};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    Json,
    Yaml,
    Protobuf,
}

/// What is made of the object. The version is that of `meta.k8s.io`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    Whole,
    Table(&'static str),
    Metadata(&'static str),
    MetadataList(&'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    pub encoding: Encoding,
    pub form: Form,
    pub pretty: bool,
}

impl Wanted {
    /// Plain JSON.
    pub const JSON: Wanted = Wanted { encoding: Encoding::Json, form: Form::Whole, pretty: false };
}

/// What an endpoint can answer in.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    pub protobuf: bool,
    /// Tables and metadata alone.
    pub forms: bool,
    /// A stream of events, which YAML cannot be.
    pub stream: bool,
}

/// One clause of an Accept header.
struct Clause<'h> {
    media_type: (&'h str, &'h str),
    parameters: Vec<(&'h str, &'h str)>,
    quality: f64,
}

impl<'h> Clause<'h> {
    fn parse(text: &'h str) -> Option<Clause<'h>> {
        let mut parts = text.split(';').map(str::trim);
        let media_type = match parts.next()? {
            "*" => ("*", "*"),
            full => full.split_once('/')?,
        };
        let mut clause = Clause { media_type, parameters: Vec::new(), quality: 1.0 };
        for part in parts {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            if key.trim() == "q" {
                clause.quality = value.trim().parse().unwrap_or(1.0);
            } else {
                clause.parameters.push((key.trim(), value.trim()));
            }
        }
        Some(clause)
    }

    fn parameter(&self, key: &str) -> &str {
        self.parameters.iter().find(|(known, _)| *known == key).map_or("", |(_, value)| value)
    }

    fn fits(&self, encoding: Encoding) -> bool {
        let subtype = match encoding {
            Encoding::Json => "json",
            Encoding::Yaml => "yaml",
            Encoding::Protobuf => "vnd.kubernetes.protobuf",
        };
        match self.media_type {
            ("*", "*") | ("application", "*") => true,
            ("application", wanted) => wanted == subtype,
            _ => false,
        }
    }

    /// The form of this clause; `None` when the endpoint does not offer it in this encoding.
    fn form(&self, encoding: Encoding, offer: Offer) -> Option<Form> {
        if offer.stream && encoding == Encoding::Yaml {
            return None;
        }
        let kind = self.parameter("as");
        if kind.is_empty() {
            return (encoding != Encoding::Protobuf || offer.protobuf).then_some(Form::Whole);
        }
        let version = match self.parameter("v") {
            "v1" => "meta.k8s.io/v1",
            "v1beta1" => "meta.k8s.io/v1beta1",
            _ => return None,
        };
        if !offer.forms || self.parameter("g") != "meta.k8s.io" || encoding == Encoding::Protobuf {
            return None;
        }
        match kind {
            "Table" => Some(Form::Table(version)),
            "PartialObjectMetadata" => Some(Form::Metadata(version)),
            "PartialObjectMetadataList" => Some(Form::MetadataList(version)),
            _ => None,
        }
    }
}

/// Picks the first clause, by quality, that the endpoint can answer.
///
/// # Errors
/// 406 when there is none.
pub fn negotiate(headers: &HeaderMap, query: &Query, offer: Offer) -> Result<Wanted, Failure> {
    const ENCODINGS: [Encoding; 3] = [Encoding::Json, Encoding::Yaml, Encoding::Protobuf];
    let pretty = is_pretty(headers, query);
    let accept: Vec<&str> =
        headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
    if accept.iter().all(|value| value.trim().is_empty()) {
        return Ok(Wanted { pretty, ..Wanted::JSON });
    }
    let mut clauses: Vec<Clause<'_>> = accept
        .iter()
        .flat_map(|value| value.split(','))
        .filter_map(|text| Clause::parse(text.trim()))
        .collect();
    clauses.sort_by(|one, other| other.quality.total_cmp(&one.quality));
    for clause in &clauses {
        for encoding in ENCODINGS.into_iter().filter(|encoding| clause.fits(*encoding)) {
            if let Some(form) = clause.form(encoding, offer) {
                let pretty = pretty || clause.parameter("pretty") == "1";
                return Ok(Wanted { encoding, form, pretty });
            }
        }
    }
    Err(not_acceptable(offer))
}

fn not_acceptable(offer: Offer) -> Failure {
    let message = if offer.stream {
        "only the following media types are accepted: application/json;stream=watch, \
         application/vnd.kubernetes.protobuf;stream=watch"
    } else {
        "only the following media types are accepted: application/json, application/yaml, \
         application/vnd.kubernetes.protobuf"
    };
    Failure::new(406, "NotAcceptable", message)
}

/// People at a terminal or in a browser get line breaks.
fn is_pretty(headers: &HeaderMap, query: &Query) -> bool {
    match query.text("pretty") {
        "" => {
            let agent =
                headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
            ["curl", "Wget", "Mozilla/5.0"].iter().any(|program| agent.starts_with(program))
        }
        asked => matches!(asked, "1" | "t" | "T" | "true" | "TRUE" | "True"),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn asked(accept: &str, offer: Offer) -> Result<Wanted, Failure> {
        let mut headers = HeaderMap::new();
        headers.insert(header::ACCEPT, accept.parse().unwrap());
        negotiate(&headers, &Query::default(), offer)
    }

    const CUSTOM: Offer = Offer { protobuf: false, forms: true, stream: false };

    #[test]
    fn kubectl_gets_its_table() {
        let accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";
        assert_eq!(asked(accept, CUSTOM).unwrap().form, Form::Table("meta.k8s.io/v1"));
        assert_eq!(asked(accept, Offer { forms: false, ..CUSTOM }).unwrap(), Wanted::JSON);
    }

    #[test]
    fn unknown_types_are_refused_and_wildcards_are_not() {
        assert_eq!(asked("text/html", CUSTOM).unwrap_err().code, 406);
        assert_eq!(asked("application/json;as=Sofa;v=v1;g=meta.k8s.io", CUSTOM).unwrap_err().code, 406);
        assert_eq!(asked("text/html, */*;q=0.1", CUSTOM).unwrap(), Wanted::JSON);
    }

    #[test]
    fn protobuf_is_for_kinds_that_have_it() {
        let both = "application/vnd.kubernetes.protobuf,application/json";
        assert_eq!(asked(both, CUSTOM).unwrap().encoding, Encoding::Json);
        assert_eq!(asked(both, Offer { protobuf: true, ..CUSTOM }).unwrap().encoding, Encoding::Protobuf);
    }
}
