//! What lives as long as the tab: preferences, the signed-in person, the server's clock, messages, the dialog.

pub mod clock;
pub mod confirm;
pub mod preferences;
pub mod session;
pub mod toasts;
