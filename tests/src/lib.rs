//! What tests of the whole product share: harnesses, recorded answers of other programs.

pub mod callers;
pub mod patience;
pub mod stack;
pub mod transcripts;
