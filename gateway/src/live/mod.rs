//! Live views over one websocket per tab, and as NDJSON for scripts.
//!
//! `subscription` is the pure part: what a subscriber has, and what to send for a change. `socket` and `lines` carry it.

pub mod frame;
pub mod limits;
pub mod lines;
pub mod socket;
mod source;
pub mod subscription;
