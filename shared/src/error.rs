//! The one error shape of the REST API and of the live protocol (docs/API.md, section Errors).

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Every answer that is not a success has this body, on every path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ErrorBody {
    pub error: ErrorDetail,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ErrorDetail {
    pub code: ErrorCode,
    /// English, for logs and scripts; the portal translates by `code`.
    pub message: String,
    pub request_id: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldError>,
    /// The control layer whose rule decided, when one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layer: Option<Layer>,
    /// Parameters of the message (rule, current version, retry time …), by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub details: BTreeMap<String, String>,
}

/// What is wrong with one field of a request; `path` is the JSON path of the field (`resources.memoryBytes`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FieldError {
    pub path: String,
    pub code: FieldCode,
    /// English fallback.
    pub message: String,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub params: BTreeMap<String, String>,
}

/// The control layers, outermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Layer {
    Organization,
    Project,
    Cluster,
    Workload,
}

macro_rules! codes {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
        pub enum $name {
            $($(#[$doc])* #[serde(rename = $text)] $variant,)+
            /// A code from a newer server than this reader.
            #[serde(other, rename = "unknown")]
            Unknown,
        }
        impl $name {
            /// Every code but `Unknown`, so that tests can demand a translation for each.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text,)+ $name::Unknown => "unknown" }
            }
        }
    };
}
pub(crate) use codes;

codes! {
    /// Stable machine codes of whole-request errors. The comment names the HTTP status.
    ErrorCode {
        /// 400: the request cannot be read at all.
        Malformed = "malformed",
        /// 401: sign in (again).
        Unauthenticated = "unauthenticated",
        /// 403: signed in, not allowed; `layer` and `details.rule` say what decides.
        Forbidden = "forbidden",
        /// 403: the Kubernetes username differs from the one computed for this person; writes are refused.
        IdentityMismatch = "identity_mismatch",
        /// 403: a browser request without the CSRF header, or from another origin.
        CsrfRejected = "csrf_rejected",
        /// 404: not there, or not for the caller to know of.
        NotFound = "not_found",
        /// 405
        MethodNotAllowed = "method_not_allowed",
        /// 409: the object changed since it was read; `details.resourceVersion` is the current one.
        Conflict = "conflict",
        /// 409: the name is taken.
        AlreadyExists = "already_exists",
        /// 409: the object is in a state that does not permit this (opening a Space that is not ready).
        NotReady = "not_ready",
        /// 412: the name now belongs to another object (uid differs).
        ObjectReplaced = "object_replaced",
        /// 413
        TooLarge = "too_large",
        /// 415
        UnsupportedMediaType = "unsupported_media_type",
        /// 421: the Host header is not on the allow-list.
        UnknownHost = "unknown_host",
        /// 422: `fields` say what is wrong.
        Invalid = "invalid",
        /// 422: a Kubernetes ResourceQuota or a rule of the cluster forbids it.
        QuotaExceeded = "quota_exceeded",
        /// 428: unsafe calls on one object need If-Match.
        PreconditionRequired = "precondition_required",
        /// 429
        RateLimited = "rate_limited",
        /// 500: our fault; the request id leads to the log.
        Internal = "internal",
        /// 502: the cluster or AWS answered with something that cannot be used.
        UpstreamFailed = "upstream_failed",
        /// 503: the cluster or AWS cannot be reached or asks to wait.
        UpstreamUnavailable = "upstream_unavailable",
        /// 503: shutting down or overloaded.
        Unavailable = "unavailable",
    }
}

codes! {
    /// Stable machine codes of field errors.
    FieldCode {
        Required = "required",
        /// Not of the field's form; `params.form` describes it.
        InvalidFormat = "invalid_format",
        /// A character that is not allowed; `params.character`.
        InvalidCharacter = "invalid_character",
        /// `params.max`, `params.length`
        TooLong = "too_long",
        /// The name and namespace together exceed the host label of the web address; `params.max`.
        NameBudget = "name_budget",
        /// `params.min`
        BelowMinimum = "below_minimum",
        /// `params.max`
        AboveMaximum = "above_maximum",
        /// `params.allowed`, comma separated
        NotAllowed = "not_allowed",
        NotFound = "not_found",
        /// `params.value`
        Duplicate = "duplicate",
        /// Whole GPU and MIG slices cannot be combined.
        MixedAccelerators = "mixed_accelerators",
        /// Volumes lie in different zones; `params.zones`.
        ZoneConflict = "zone_conflict",
        /// The value cannot be changed after creation.
        Immutable = "immutable",
        /// A volume can only grow; `params.current`.
        CannotShrink = "cannot_shrink",
        /// The object's reserved prefix or name; `params.prefix`.
        Reserved = "reserved",
        /// A pattern that the template demands; `params.pattern`.
        PatternMismatch = "pattern_mismatch",
        /// Unknown field in the request.
        UnknownField = "unknown_field",
        /// Refused by the cluster; `params.reason` has its words.
        Rejected = "rejected",
        /// Idle shutdown is on but nothing can detect activity.
        NoDetection = "no_detection",
        /// A namespace under task governance needs a queue.
        QueueRequired = "queue_required",
    }
}

impl FieldError {
    pub fn new(path: impl Into<String>, code: FieldCode, message: impl Into<String>) -> Self {
        FieldError { path: path.into(), code, message: message.into(), params: BTreeMap::new() }
    }

    #[must_use]
    pub fn with(mut self, name: &str, value: impl ToString) -> Self {
        self.params.insert(name.to_owned(), value.to_string());
        self
    }
}

impl ErrorCode {
    /// The HTTP status of the code; the table of docs/API.md.
    pub const fn status(self) -> u16 {
        use ErrorCode::*;
        match self {
            Malformed => 400,
            Unauthenticated => 401,
            Forbidden | IdentityMismatch | CsrfRejected => 403,
            NotFound => 404,
            MethodNotAllowed => 405,
            Conflict | AlreadyExists | NotReady => 409,
            ObjectReplaced => 412,
            TooLarge => 413,
            UnsupportedMediaType => 415,
            UnknownHost => 421,
            Invalid | QuotaExceeded => 422,
            PreconditionRequired => 428,
            RateLimited => 429,
            Internal | Unknown => 500,
            UpstreamFailed => 502,
            UpstreamUnavailable | Unavailable => 503,
        }
    }
}
