//! How much of the live channel one person may use.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::time::{Duration, Instant};

/// Tabs of one person, with room for browsers that close sockets late.
pub const SOCKETS_PER_PERSON: usize = 32;
pub const SUBSCRIPTIONS_PER_SOCKET: usize = 16;
/// Messages that a tab may send in a burst, and each second thereafter. A filter that changes with each key stays below.
const BURST: f64 = 40.0;
const PER_SECOND: f64 = 10.0;

/// Open sockets by person.
#[derive(Clone, Debug, Default)]
pub struct Sockets(Arc<Mutex<HashMap<String, usize>>>);

/// One counted socket; dropping it makes room.
#[derive(Debug)]
pub struct Seat {
    sockets: Sockets,
    person: String,
}

impl Sockets {
    /// `None` when the person has too many.
    pub fn take(&self, person: &str) -> Option<Seat> {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(person.to_owned()).or_default();
        if *count >= SOCKETS_PER_PERSON {
            return None;
        }
        *count += 1;
        Some(Seat { sockets: self.clone(), person: person.to_owned() })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut open = self.sockets.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.person) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.person);
            }
        }
    }
}

/// A token bucket over inbound messages.
#[derive(Debug)]
pub struct Throttle {
    tokens: f64,
    at: Instant,
}

impl Throttle {
    pub fn new(now: Instant) -> Throttle {
        Throttle { tokens: BURST, at: now }
    }

    pub fn admits(&mut self, now: Instant) -> bool {
        let passed: Duration = now.saturating_duration_since(self.at);
        self.at = now;
        self.tokens = (self.tokens + passed.as_secs_f64() * PER_SECOND).min(BURST);
        if self.tokens < 1.0 {
            return false;
        }
        self.tokens -= 1.0;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_socket_makes_room_for_another() {
        let sockets = Sockets::default();
        let mut seats: Vec<_> = (0..SOCKETS_PER_PERSON).map(|_| sockets.take("a").expect("room")).collect();
        assert!(sockets.take("a").is_none());
        assert!(sockets.take("b").is_some());
        seats.pop();
        assert!(sockets.take("a").is_some());
    }

    #[test]
    fn a_burst_is_admitted_and_a_flood_is_not() {
        let start = Instant::now();
        let mut throttle = Throttle::new(start);
        assert!((0..40).all(|_| throttle.admits(start)));
        assert!(!throttle.admits(start));
        assert!(throttle.admits(start + Duration::from_millis(150)));
    }
}
