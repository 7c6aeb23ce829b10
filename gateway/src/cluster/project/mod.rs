//! Kubernetes objects become shared types here, one file for each family of kinds, and never leave this module.
//!
//! Total on any JSON: what cannot be read is left out, and on Spaces it is named as an oddity.

pub mod event;
pub mod node;
pub mod pod;
pub mod space;
pub mod template;
pub mod volume;
pub mod workload;

#[cfg(test)]
mod tests;

/// Label that the operator puts on every child of a Space.
pub const SPACE_LABEL: &str = "workspace.jupyter.org/workspace-name";
