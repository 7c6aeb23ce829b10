//! HTTP handlers: extract, call one function, answer. What the product does lives in the other modules.

pub mod clusters;
pub mod docs;
pub mod health;
pub mod me;
pub mod session;
