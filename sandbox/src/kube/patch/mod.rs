//! The patch formats: RFC 7396 merge, RFC 6902 steps, strategic merge of built-in kinds. Pure functions.

pub mod json;
pub mod merge;
pub mod strategic;
