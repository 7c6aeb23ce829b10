//! One watch for each kind under the gateway's own identity, reduced into rows and fanned out to everybody.
//!
//! Who may see which row is not decided here: a subscription filters by its holder's own access reviews.

mod children;
pub mod row;
pub mod state;

#[cfg(test)]
mod tests;
