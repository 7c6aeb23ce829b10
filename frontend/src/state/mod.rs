//! What lives as long as the tab: the address, preferences, the signed-in person, the server's clock, messages, the dialog.

pub mod address;
pub mod clock;
pub mod confirm;
pub mod derive;
pub mod preferences;
pub mod session;
pub mod toasts;
