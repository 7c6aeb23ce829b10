//! One binary for all integration tests: cargo runs test binaries one after another.

mod access;
mod bad_input;
mod hyp;
mod isolation;
mod kubectl;
mod session;
mod transcripts;
mod web;
