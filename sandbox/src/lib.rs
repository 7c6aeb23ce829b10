//! A HyperPod cluster and its AWS account in one process, speaking the real protocols.
//!
//! `kube/` is the API server, `aws/` the AWS endpoint, `cluster/` the controllers, `runtime/` the processes behind
//! Spaces, `seed/` the first objects. The product never links this crate: it meets the sandbox on the wire only.

pub mod cluster;
pub mod kube;
pub mod runtime;
