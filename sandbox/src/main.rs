//! The `spaceport-sandbox` binary.

fn main() {}
