//! The Kubernetes API server: store, verbs, admission, authentication, authorization, discovery.
//!
//! Must not know what a Space is: controllers, EKS and the Spaces add-on plug in through `hooks`.

pub mod failure;
pub mod hooks;
pub mod identity;
