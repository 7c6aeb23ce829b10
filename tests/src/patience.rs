//! Waiting by condition, with a deadline: never by a fixed sleep.

use anyhow::{Result, bail};
use std::future::Future;
use std::time::Duration;
use tokio::time::Instant;

/// Long enough for a busy machine; a condition that holds earlier ends the wait at once.
const DEADLINE: Duration = Duration::from_secs(30);
const POLL: Duration = Duration::from_millis(25);

/// Asks until `ask` answers something.
///
/// # Errors
/// After the deadline, with `what` was awaited; or at once with the first error of `ask`.
pub async fn eventually<T, F, Fut>(what: &str, mut ask: F) -> Result<T>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Result<Option<T>>>,
{
    let end = Instant::now() + DEADLINE;
    loop {
        if let Some(found) = ask().await? {
            return Ok(found);
        }
        if Instant::now() > end {
            bail!("not within {DEADLINE:?}: {what}");
        }
        tokio::time::sleep(POLL).await;
    }
}
