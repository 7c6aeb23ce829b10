//! `[session]`: how long a sign-in lasts.

use super::{Problems, PublicUrl};
use serde::Deserialize;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Session {
    /// Ends after so many minutes without a request.
    pub idle_minutes: u32,
    /// Ends after so many hours, whatever is clicked.
    pub absolute_hours: u32,
    /// Names the cookie `spaceport` and leaves out `Secure`: for clients that do not treat plain http on loopback as
    /// trustworthy (Safari, many HTTP libraries; Chromium and curl do). Refused with https.
    pub plain_cookie: bool,
}

impl Default for Session {
    fn default() -> Self {
        Session { idle_minutes: 30, absolute_hours: 12, plain_cookie: false }
    }
}

impl Session {
    pub(super) fn validate(&self, public_url: &PublicUrl, problems: &mut Problems) {
        if self.idle_minutes == 0 {
            problems.add("session.idle_minutes", "must be at least 1");
        }
        if !(1..=24 * 7).contains(&self.absolute_hours) {
            problems.add("session.absolute_hours", "must be between 1 and 168");
        }
        if self.plain_cookie && public_url.is_https() {
            problems.add("session.plain_cookie", "only for plain http on loopback");
        }
    }
}
