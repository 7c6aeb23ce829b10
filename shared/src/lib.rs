//! What crosses the network, and the pure engines that both sides run.
//!
//! Owns: wire types, identifiers, REST paths, error codes, the live protocol, quantities, names, the derived
//! status of a Space, its explanation, the action map, the role matrix, the fit verdict.
//! Must not know: tokio, kube, k8s-openapi, AWS SDKs, leptos, the clock (time always comes in as a value).

pub mod cluster;
pub mod error;
pub mod live;
pub mod page;
pub mod partition;
pub mod path;
pub mod policy;
pub mod project;
pub mod quantity;
pub mod session;
pub mod space;
pub mod template;
pub mod time;
