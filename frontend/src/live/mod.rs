//! Live state: one socket for the tab, one collection for every page.

mod batch;
pub mod collection;
mod socket;

pub use collection::Collection;
pub use socket::{Link, start};
