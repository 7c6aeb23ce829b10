//! The product's own database: sessions, users and audit. SQLite (WAL) or PostgreSQL by one URL, one schema.
//!
//! Must not know Kubernetes or AWS: nothing here is needed to see Spaces.

pub mod users;

use crate::error::ApiError;
use sqlx::any::AnyPoolOptions;
use sqlx::{AnyPool, Executor};
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct Db(AnyPool);

impl Db {
    /// Connects and brings the schema up to date.
    ///
    /// # Errors
    /// An address that cannot be used, or a database newer than this program.
    pub async fn connect(address: &str) -> anyhow::Result<Db> {
        sqlx::any::install_default_drivers();
        let sqlite = address.starts_with("sqlite:");
        let memory = address.contains(":memory:");
        let address = if sqlite && !memory && !address.contains('?') {
            format!("{address}?mode=rwc")
        } else {
            address.to_owned()
        };
        // SQLite has one writer; a connection of its own per memory database would be an empty one.
        let limit = if memory { 1 } else { 8 };
        let pool = AnyPoolOptions::new()
            .max_connections(limit)
            .acquire_timeout(Duration::from_secs(5))
            .after_connect(move |connection, _| {
                Box::pin(async move {
                    if sqlite {
                        connection.execute("PRAGMA busy_timeout = 5000").await?;
                        connection.execute("PRAGMA journal_mode = WAL").await?;
                        connection.execute("PRAGMA synchronous = NORMAL").await?;
                        connection.execute("PRAGMA foreign_keys = ON").await?;
                    }
                    Ok(())
                })
            })
            .connect(&address)
            .await
            .map_err(|error| anyhow::anyhow!("database_url: cannot connect: {error}"))?;
        sqlx::migrate!().run(&pool).await.map_err(|error| anyhow::anyhow!("database schema: {error}"))?;
        Ok(Db(pool))
    }

    pub(crate) fn pool(&self) -> &AnyPool {
        &self.0
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), ApiError> {
        sqlx::query("SELECT 1").execute(&self.0).await?;
        Ok(())
    }
}

impl From<sqlx::Error> for ApiError {
    fn from(error: sqlx::Error) -> Self {
        match error {
            sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed => {
                ApiError::Unavailable { retry_after: Duration::from_secs(2) }
            }
            other => ApiError::internal(other),
        }
    }
}
