//! Field numbers of the messages that travel as protobuf (k8s.io/api `generated.proto`). Only what kubectl sends or
//! asks for in this form first; everything else is served as JSON.

pub enum Kind {
    Text,
    Bool,
    Number,
    Message(&'static [Field]),
    /// Text to text.
    Map,
    /// Text to a list of texts.
    MapOfLists,
    Time,
    MicroTime,
    /// JSON inside a `raw` field (FieldsV1).
    Json,
}

pub struct Field {
    pub number: u32,
    pub name: &'static str,
    pub kind: Kind,
    pub repeated: bool,
    /// A pointer in Go: left out when absent, and present even when empty.
    pub presence: bool,
}

const fn field(number: u32, name: &'static str, kind: Kind) -> Field {
    Field { number, name, kind, repeated: false, presence: false }
}

const fn text(number: u32, name: &'static str) -> Field {
    field(number, name, Kind::Text)
}

const fn texts(number: u32, name: &'static str) -> Field {
    Field { repeated: true, ..text(number, name) }
}

const fn number(number: u32, name: &'static str) -> Field {
    field(number, name, Kind::Number)
}

const fn flag(number: u32, name: &'static str) -> Field {
    field(number, name, Kind::Bool)
}

const fn time(number: u32, name: &'static str) -> Field {
    field(number, name, Kind::Time)
}

const fn one(number: u32, name: &'static str, fields: &'static [Field]) -> Field {
    field(number, name, Kind::Message(fields))
}

const fn maybe(number: u32, name: &'static str, fields: &'static [Field]) -> Field {
    Field { presence: true, ..one(number, name, fields) }
}

const fn many(number: u32, name: &'static str, fields: &'static [Field]) -> Field {
    Field { repeated: true, ..one(number, name, fields) }
}

pub const TIME: &[Field] = &[number(1, "seconds"), number(2, "nanos")];
pub const RAW: &[Field] = &[text(1, "raw")];
pub const EXTRA_VALUE: &[Field] = &[texts(1, "items")];

const OWNER: &[Field] = &[
    text(1, "kind"),
    text(3, "name"),
    text(4, "uid"),
    text(5, "apiVersion"),
    flag(6, "controller"),
    flag(7, "blockOwnerDeletion"),
];
const MANAGED: &[Field] = &[
    text(1, "manager"),
    text(2, "operation"),
    text(3, "apiVersion"),
    time(4, "time"),
    text(6, "fieldsType"),
    field(7, "fieldsV1", Kind::Json),
    text(8, "subresource"),
];
const OBJECT_META: &[Field] = &[
    text(1, "name"),
    text(2, "generateName"),
    text(3, "namespace"),
    text(4, "selfLink"),
    text(5, "uid"),
    text(6, "resourceVersion"),
    number(7, "generation"),
    time(8, "creationTimestamp"),
    time(9, "deletionTimestamp"),
    number(10, "deletionGracePeriodSeconds"),
    field(11, "labels", Kind::Map),
    field(12, "annotations", Kind::Map),
    many(13, "ownerReferences", OWNER),
    texts(14, "finalizers"),
    many(17, "managedFields", MANAGED),
];
const LIST_META: &[Field] =
    &[text(1, "selfLink"), text(2, "resourceVersion"), text(3, "continue"), number(4, "remainingItemCount")];

const RESOURCE_ATTRIBUTES: &[Field] = &[
    text(1, "namespace"),
    text(2, "verb"),
    text(3, "group"),
    text(4, "version"),
    text(5, "resource"),
    text(6, "subresource"),
    text(7, "name"),
    maybe(8, "fieldSelector", &[text(1, "rawSelector")]),
    maybe(9, "labelSelector", &[text(1, "rawSelector")]),
];
const PATH_ATTRIBUTES: &[Field] = &[text(1, "path"), text(2, "verb")];
const ACCESS_STATUS: &[Field] =
    &[flag(1, "allowed"), text(2, "reason"), text(3, "evaluationError"), flag(4, "denied")];
const SELF_ACCESS_REVIEW: &[Field] = &[
    one(1, "metadata", OBJECT_META),
    one(
        2,
        "spec",
        &[
            maybe(1, "resourceAttributes", RESOURCE_ATTRIBUTES),
            maybe(2, "nonResourceAttributes", PATH_ATTRIBUTES),
        ],
    ),
    one(3, "status", ACCESS_STATUS),
];
const ACCESS_REVIEW: &[Field] = &[
    one(1, "metadata", OBJECT_META),
    one(
        2,
        "spec",
        &[
            maybe(1, "resourceAttributes", RESOURCE_ATTRIBUTES),
            maybe(2, "nonResourceAttributes", PATH_ATTRIBUTES),
            text(3, "user"),
            texts(4, "groups"),
            field(5, "extra", Kind::MapOfLists),
            text(6, "uid"),
        ],
    ),
    one(3, "status", ACCESS_STATUS),
];
const RULES_REVIEW: &[Field] = &[
    one(1, "metadata", OBJECT_META),
    one(2, "spec", &[text(1, "namespace")]),
    one(
        3,
        "status",
        &[
            many(
                1,
                "resourceRules",
                &[texts(1, "verbs"), texts(2, "apiGroups"), texts(3, "resources"), texts(4, "resourceNames")],
            ),
            many(2, "nonResourceRules", &[texts(1, "verbs"), texts(2, "nonResourceURLs")]),
            flag(3, "incomplete"),
            text(4, "evaluationError"),
        ],
    ),
];
const USER: &[Field] =
    &[text(1, "username"), text(2, "uid"), texts(3, "groups"), field(4, "extra", Kind::MapOfLists)];
const SELF_REVIEW: &[Field] =
    &[one(1, "metadata", OBJECT_META), one(2, "status", &[one(1, "userInfo", USER)])];
const TOKEN_REVIEW: &[Field] = &[
    one(1, "metadata", OBJECT_META),
    one(2, "spec", &[text(1, "token"), texts(2, "audiences")]),
    one(
        3,
        "status",
        &[flag(1, "authenticated"), one(2, "user", USER), text(3, "error"), texts(4, "audiences")],
    ),
];

const STATUS: &[Field] = &[
    one(1, "metadata", LIST_META),
    text(2, "status"),
    text(3, "message"),
    text(4, "reason"),
    maybe(
        5,
        "details",
        &[
            text(1, "name"),
            text(2, "group"),
            text(3, "kind"),
            many(4, "causes", &[text(1, "reason"), text(2, "message"), text(3, "field")]),
            number(5, "retryAfterSeconds"),
            text(6, "uid"),
        ],
    ),
    number(6, "code"),
];

const NAMESPACE: &[Field] = &[
    one(1, "metadata", OBJECT_META),
    one(2, "spec", &[texts(1, "finalizers")]),
    one(
        3,
        "status",
        &[
            text(1, "phase"),
            many(
                2,
                "conditions",
                &[
                    text(1, "type"),
                    text(2, "status"),
                    time(4, "lastTransitionTime"),
                    text(5, "reason"),
                    text(6, "message"),
                ],
            ),
        ],
    ),
];
const REFERENCE: &[Field] = &[
    text(1, "kind"),
    text(2, "namespace"),
    text(3, "name"),
    text(4, "uid"),
    text(5, "apiVersion"),
    text(6, "resourceVersion"),
    text(7, "fieldPath"),
];
const EVENT: &[Field] = &[
    one(1, "metadata", OBJECT_META),
    one(2, "involvedObject", REFERENCE),
    text(3, "reason"),
    text(4, "message"),
    one(5, "source", &[text(1, "component"), text(2, "host")]),
    time(6, "firstTimestamp"),
    time(7, "lastTimestamp"),
    number(8, "count"),
    text(9, "type"),
    field(10, "eventTime", Kind::MicroTime),
    maybe(11, "series", &[number(1, "count"), field(2, "lastObservedTime", Kind::MicroTime)]),
    text(12, "action"),
    maybe(13, "related", REFERENCE),
    text(14, "reportingComponent"),
    text(15, "reportingInstance"),
];

const NAMESPACES: &[Field] = &[one(1, "metadata", LIST_META), many(2, "items", NAMESPACE)];
const EVENTS: &[Field] = &[one(1, "metadata", LIST_META), many(2, "items", EVENT)];

/// The fields of a kind that travels as protobuf.
pub fn message(api_version: &str, kind: &str) -> Option<&'static [Field]> {
    Some(match (api_version, kind) {
        ("v1", "Status") => STATUS,
        ("v1", "Namespace") => NAMESPACE,
        ("v1", "NamespaceList") => NAMESPACES,
        ("v1", "Event") => EVENT,
        ("v1", "EventList") => EVENTS,
        ("authorization.k8s.io/v1", "SelfSubjectAccessReview") => SELF_ACCESS_REVIEW,
        ("authorization.k8s.io/v1", "SubjectAccessReview" | "LocalSubjectAccessReview") => ACCESS_REVIEW,
        ("authorization.k8s.io/v1", "SelfSubjectRulesReview") => RULES_REVIEW,
        ("authentication.k8s.io/v1", "SelfSubjectReview") => SELF_REVIEW,
        ("authentication.k8s.io/v1", "TokenReview") => TOKEN_REVIEW,
        _ => return None,
    })
}
