//! Primitives that know nothing of the product beyond its tones and its errors.

pub mod age;
pub mod badge;
pub mod banner;
pub mod button;
pub mod copy;
pub mod dialog;
pub mod field;
pub mod icon;
pub mod menu;
pub mod states;
