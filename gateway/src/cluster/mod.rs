//! The clusters as the gateway sees them: projections of Kubernetes objects and the watch hub that serves everybody.

pub mod access;
mod client;
pub mod hub;
pub mod kind;
pub mod project;
pub mod reading;
mod registry;

pub use registry::{Access, Clusters};
