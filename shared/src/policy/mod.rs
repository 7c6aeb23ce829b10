//! Who may do what: the role × capability matrix as data, and the action map of a Space.

pub mod matrix;
