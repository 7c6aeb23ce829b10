//! What tests of the whole product share: harnesses, recorded answers of other programs.

pub mod transcripts;
