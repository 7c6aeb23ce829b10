//! What the Spaces add-on does to writes before they are stored.

pub mod policies;
