//! People who have signed in, keyed by (issuer, subject), each with a session name that nobody else has.

use super::Db;
use crate::error::ApiError;
use spaceport_shared::error::Layer;
use spaceport_shared::time::Timestamp;
use sqlx::Row;

/// Two names that Kubernetes or a careless comparison could take for one: case and `@` are folded.
fn fold(session_name: &str) -> String {
    session_name.to_ascii_lowercase().replace('@', "-")
}

/// Records a sign-in. The session name of a known person never changes, since it owns their private Spaces.
///
/// # Errors
/// `Forbidden` if the name belongs to somebody else, or this person had another one before: an administrator must
/// decide, a silent suffix would give the Spaces away.
pub async fn record(
    db: &Db,
    issuer: &str,
    subject: &str,
    session_name: &str,
    now: Timestamp,
) -> Result<(), ApiError> {
    sqlx::query(
        "INSERT INTO users (issuer, subject, session_name, session_name_folded, created_at) \
         VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
    )
    .bind(issuer)
    .bind(subject)
    .bind(session_name)
    .bind(fold(session_name))
    .bind(now.0)
    .execute(db.pool())
    .await?;
    let row = sqlx::query("SELECT session_name FROM users WHERE issuer = $1 AND subject = $2")
        .bind(issuer)
        .bind(subject)
        .fetch_optional(db.pool())
        .await?;
    match row {
        Some(row) if row.try_get::<String, _>(0)? == session_name => Ok(()),
        _ => Err(ApiError::Forbidden {
            layer: Layer::Organization,
            rule: format!(
                "The session name \"{session_name}\" clashes with another one; ask an administrator."
            ),
        }),
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_session_name_belongs_to_one_person_for_ever() {
        let db = Db::connect("sqlite::memory:").await.unwrap();
        let at = Timestamp(0);
        record(&db, "i", "1", "li-na", at).await.unwrap();
        record(&db, "i", "1", "li-na", at).await.unwrap();
        for (subject, name) in [("2", "li-na"), ("2", "Li-Na"), ("2", "li@na"), ("1", "other")] {
            let refused = record(&db, "i", subject, name, at).await;
            assert!(matches!(refused, Err(ApiError::Forbidden { .. })), "{subject} {name}");
        }
    }
}
