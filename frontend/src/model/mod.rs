//! Pure parts of the pages: no browser, no signals; tested on the host.

pub mod draft;
pub mod edit;
pub mod feed;
pub mod listing;
