//! HTTP handlers: extract, call one function, answer. What the product does lives in the other modules.

pub mod clusters;
pub mod docs;
pub mod health;
pub mod live;
pub mod me;
pub mod namespaces;
pub mod session;
pub mod spaces;
pub mod templates;
