//! The one place that reads the clock. Everything that decides by time takes the time as a value.

use spaceport_shared::time::Timestamp;

use std::time::SystemTime;

pub fn now() -> Timestamp {
    Timestamp(jiff::Timestamp::now().as_millisecond())
}

/// The same instant in the type that the AWS crates sign and expire by.
pub fn system_now() -> SystemTime {
    jiff::Timestamp::now().into()
}
