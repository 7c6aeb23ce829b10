//! Sessions in the product's database. Only a hash of the id is stored: reading the table signs nobody in.

use super::SessionKey;
use crate::db::Db;
use async_trait::async_trait;
use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};
use sqlx::Row;
use time::OffsetDateTime;
use tokio::sync::broadcast;
use tower_sessions::SessionStore;
use tower_sessions::session::{Id, Record};
use tower_sessions::session_store::{Error, Result};

#[derive(Clone, Debug)]
pub struct SqlStore {
    db: Db,
    ended: broadcast::Sender<SessionKey>,
}

pub(super) fn key(id: &Id) -> SessionKey {
    SessionKey(HEXLOWER.encode(&Sha256::digest(id.0.to_le_bytes())))
}

impl SqlStore {
    pub fn new(db: Db) -> SqlStore {
        SqlStore { db, ended: broadcast::channel(256).0 }
    }

    /// Sessions signed out on this replica. A receiver that lags must ask `is_alive`.
    pub fn ended(&self) -> broadcast::Receiver<SessionKey> {
        self.ended.subscribe()
    }

    /// For long-lived sockets, which see neither cookie nor middleware again.
    pub async fn is_alive(&self, key: &SessionKey) -> bool {
        let row = sqlx::query("SELECT 1 FROM sessions WHERE id_hash = $1 AND expires_at > $2")
            .bind(&key.0)
            .bind(crate::clock::now().0)
            .fetch_optional(self.db.pool())
            .await;
        row.is_ok_and(|row| row.is_some())
    }

    /// Removes sessions past their time; returns how many.
    pub async fn delete_expired(&self) -> sqlx::Result<u64> {
        let done = sqlx::query("DELETE FROM sessions WHERE expires_at <= $1")
            .bind(crate::clock::now().0)
            .execute(self.db.pool())
            .await?;
        Ok(done.rows_affected())
    }
}

#[async_trait]
impl SessionStore for SqlStore {
    /// A collision of 128 random bits takes another id rather than somebody's session.
    async fn create(&self, record: &mut Record) -> Result<()> {
        loop {
            let done = sqlx::query(
                "INSERT INTO sessions (id_hash, data, expires_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            )
            .bind(key(&record.id).0)
            .bind(encode(record)?)
            .bind(millis(record.expiry_date))
            .execute(self.db.pool())
            .await
            .map_err(backend)?;
            if done.rows_affected() == 1 {
                return Ok(());
            }
            record.id = Id::default();
        }
    }

    /// Updates only: a request that was under way during a sign-out must not bring the session back.
    async fn save(&self, record: &Record) -> Result<()> {
        sqlx::query("UPDATE sessions SET data = $2, expires_at = $3 WHERE id_hash = $1")
            .bind(key(&record.id).0)
            .bind(encode(record)?)
            .bind(millis(record.expiry_date))
            .execute(self.db.pool())
            .await
            .map_err(backend)?;
        Ok(())
    }

    async fn load(&self, id: &Id) -> Result<Option<Record>> {
        let row = sqlx::query("SELECT data, expires_at FROM sessions WHERE id_hash = $1 AND expires_at > $2")
            .bind(key(id).0)
            .bind(crate::clock::now().0)
            .fetch_optional(self.db.pool())
            .await
            .map_err(backend)?;
        let Some(row) = row else { return Ok(None) };
        let data: String = row.try_get(0).map_err(backend)?;
        let expires_at: i64 = row.try_get(1).map_err(backend)?;
        Ok(Some(Record {
            id: *id,
            data: serde_json::from_str(&data).map_err(|error| Error::Decode(error.to_string()))?,
            expiry_date: OffsetDateTime::from_unix_timestamp_nanos(i128::from(expires_at) * 1_000_000)
                .map_err(|error| Error::Decode(error.to_string()))?,
        }))
    }

    async fn delete(&self, id: &Id) -> Result<()> {
        sqlx::query("DELETE FROM sessions WHERE id_hash = $1")
            .bind(key(id).0)
            .execute(self.db.pool())
            .await
            .map_err(backend)?;
        // Nobody listening is no failure: then no socket is open.
        let _ = self.ended.send(key(id));
        Ok(())
    }
}

fn encode(record: &Record) -> Result<String> {
    serde_json::to_string(&record.data).map_err(|error| Error::Encode(error.to_string()))
}

fn millis(at: OffsetDateTime) -> i64 {
    at.unix_timestamp() * 1000 + i64::from(at.millisecond())
}

#[expect(clippy::needless_pass_by_value, reason = "the shape map_err asks for")]
fn backend(error: sqlx::Error) -> Error {
    Error::Backend(error.to_string())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
mod tests {
    use super::*;

    fn record(id: i128) -> Record {
        Record {
            id: Id(id),
            data: [("k".to_owned(), serde_json::json!(1))].into(),
            expiry_date: OffsetDateTime::now_utc() + time::Duration::hours(1),
        }
    }

    async fn store() -> SqlStore {
        SqlStore::new(Db::connect("sqlite::memory:").await.unwrap())
    }

    #[tokio::test]
    async fn a_collision_takes_a_new_id_and_keeps_the_old_session() {
        let store = store().await;
        store.create(&mut record(1)).await.unwrap();
        let mut second = record(1);
        second.data.insert("k".to_owned(), serde_json::json!(2));
        store.create(&mut second).await.unwrap();
        assert_ne!(second.id, Id(1));
        assert_eq!(store.load(&Id(1)).await.unwrap().unwrap().data["k"], 1);
    }

    #[tokio::test]
    async fn a_late_save_does_not_bring_a_signed_out_session_back() {
        let store = store().await;
        let mut ended = store.ended();
        let mut live = record(7);
        store.create(&mut live).await.unwrap();
        store.delete(&live.id).await.unwrap();
        store.save(&live).await.unwrap();
        assert!(store.load(&live.id).await.unwrap().is_none());
        assert_eq!(ended.try_recv().unwrap(), key(&live.id));
    }

    #[tokio::test]
    async fn expired_sessions_are_neither_loaded_nor_kept() {
        let store = store().await;
        let mut old = record(9);
        old.expiry_date = OffsetDateTime::now_utc() - time::Duration::seconds(1);
        store.create(&mut old).await.unwrap();
        assert!(store.load(&old.id).await.unwrap().is_none());
        assert!(!store.is_alive(&key(&old.id)).await);
        assert_eq!(store.delete_expired().await.unwrap(), 1);
    }
}
