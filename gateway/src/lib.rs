//! stub

pub mod cluster;
