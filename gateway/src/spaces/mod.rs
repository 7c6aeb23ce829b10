//! What the product does with Spaces: what the asker sees of them, and changes in the asker's own name.
//!
//! Reads come from the hub, filtered by the asker's own access reviews. Changes, logs and single objects go through the
//! asker's own client, changes by way of the audit door.

pub mod change;
pub mod connection;
pub mod create;
pub mod edit;
pub mod evidence;
mod ide_link;
pub mod list;
pub mod options;
mod refusal;
pub mod view;

pub use view::View;

/// Our name among the managers of an object's fields.
pub const FIELD_MANAGER: &str = "spaceport";
