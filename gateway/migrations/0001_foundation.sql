-- Portable between SQLite and PostgreSQL. Times are milliseconds since 1970, UTC.

CREATE TABLE sessions (
    id_hash    TEXT PRIMARY KEY,   -- SHA-256 of the cookie's value: the table alone signs nobody in
    data       TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX sessions_expires_at ON sessions (expires_at);

CREATE TABLE users (
    issuer              TEXT NOT NULL,
    subject             TEXT NOT NULL,
    session_name        TEXT NOT NULL,
    session_name_folded TEXT NOT NULL UNIQUE,
    created_at          BIGINT NOT NULL,
    PRIMARY KEY (issuer, subject)
);

-- Append-only. An intent without an outcome row means: unknown, the program was ended in between.
CREATE TABLE audit_intents (
    id           TEXT PRIMARY KEY,
    at           BIGINT NOT NULL,
    issuer       TEXT NOT NULL,
    subject      TEXT NOT NULL,
    session_name TEXT NOT NULL,
    client_ip    TEXT,
    request_id   TEXT NOT NULL,
    action       TEXT NOT NULL,
    cluster      TEXT NOT NULL,
    kind         TEXT NOT NULL,
    namespace    TEXT NOT NULL,
    name         TEXT NOT NULL,
    uid          TEXT
);
CREATE INDEX audit_intents_at ON audit_intents (at);

CREATE TABLE audit_outcomes (
    intent_id TEXT PRIMARY KEY REFERENCES audit_intents (id),
    at        BIGINT NOT NULL,
    outcome   TEXT NOT NULL,       -- ok, denied, failed, unknown
    code      TEXT                 -- the error code when not ok
);
