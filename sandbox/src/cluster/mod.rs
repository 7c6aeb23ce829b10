//! Everything that happens inside a HyperPod cluster: admission of Spaces, the Spaces operator, workload controllers,
//! scheduler, nodes, kubelet, volumes and connections.
//!
//! Works through the API server's in-process caller only, as each component's own user; knows nothing of HTTP, AWS
//! and seeds.

pub mod addon;
pub mod admission;
mod fields;
pub mod names;
pub mod nodes;
pub mod pace;
pub mod sentinel;

pub use nodes::InstanceGroup;
pub use pace::Pace;
