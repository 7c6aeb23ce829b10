//! A HyperPod cluster and its AWS account in one process, speaking the real protocols.
//!
//! `kube/` is the API server, `aws/` the AWS endpoint, `cluster/` the controllers, `runtime/` the processes behind
//! Spaces, `seed/` the first objects, `assembly` puts them together. The product never links this crate: it meets the
//! sandbox on the wire only.

mod admin;
mod assembly;
pub mod aws;
pub mod cluster;
pub mod faults;
pub mod files;
mod gateway_config;
pub mod kube;
pub mod landscape;
mod listen;
pub mod options;
pub mod plain;
pub mod runtime;
mod secrets;
pub mod seed;
mod side;
mod tls;

pub use assembly::Sandbox;
