//! The browser application: a client of the gateway, and nothing that the gateway does not know.
//!
//! `words` speaks, `api` and `live` listen and send, `state` lives as long as the tab, `model` is pure and tested on
//! the host, `ui` is blind to the product, `shell` frames the pages.

mod api;
mod app;
mod live;
mod model;
mod pages;
mod panic;
mod routes;
mod shell;
mod state;
mod ui;
mod words;

fn main() {
    panic::install();
    leptos::mount::mount_to_body(app::App);
}
