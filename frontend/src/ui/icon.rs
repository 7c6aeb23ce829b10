//! The icon set: outlines on a 16-pixel grid, drawn here so that no font or sprite has to be fetched.

use leptos::prelude::*;

/// Path data by name; an unknown name draws the neutral dot.
fn path(name: &str) -> &'static str {
    match name {
        "plus" => "M8 3v10M3 8h10",
        "search" => "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM11 11l3 3",
        "close" => "M4 4l8 8M12 4l-8 8",
        "check" => "M3 8.5l3.2 3.2L13 5",
        "play" => "M5 3.2v9.6l7.6-4.8z",
        "stop" => "M4 4h8v8H4z",
        "open" => "M6.5 3H3v10h10V9.5M9 3h4v4M13 3L7.5 8.5",
        "trash" => "M3 4.5h10M6.5 4.5V3h3v1.5M4.5 4.5l.6 8.5h5.8l.6-8.5M6.8 7v3.6M9.2 7v3.6",
        "edit" => "M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3zM9.2 4.5l2.3 2.3",
        "copy" => "M6 6h7v7H6zM10 6V3H3v7h3",
        "chevron" => "M6 3.5L10.5 8 6 12.5",
        "down" => "M3.5 6L8 10.5 12.5 6",
        "up" => "M3.5 10L8 5.5l4.5 4.5",
        "alert" => "M8 2.2L14.5 13.4H1.5zM8 6.5v3.2M8 11.6v.1",
        "clock" => "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.6",
        "spinner" => "M8 2a6 6 0 1 1-5.2 3",
        "gpu" => "M2 5h12v7H2zM4 5V3.5M7 5V3.5M10 5V3.5M4.5 7.5h3v2.5h-3zM10 7.5h1.8M10 10h1.8",
        "folder" => "M2 4h4.2l1.4 1.6H14V13H2z",
        "server" => "M2.5 3h11v4h-11zM2.5 9h11v4h-11zM5 5h.1M5 11h.1",
        "template" => "M2.5 3h11v3h-11zM2.5 8.5h4.5V13H2.5zM9 8.5h4.5V13H9z",
        "spaces" => "M8 2l5.2 3v6L8 14l-5.2-3V5zM2.8 5L8 8l5.2-3M8 8v6",
        "more" => "M3.5 8h.1M8 8h.1M12.5 8h.1",
        "menu" => "M2.5 4.5h11M2.5 8h11M2.5 11.5h11",
        "globe" => "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM2 8h12M8 2c4 4 4 8 0 12M8 2c-4 4-4 8 0 12",
        "moon" => "M13 9.5A5.5 5.5 0 1 1 6.5 3a4.6 4.6 0 0 0 6.5 6.5z",
        "person" => "M8 8a2.6 2.6 0 1 0 0-5.2A2.6 2.6 0 0 0 8 8zM3 13.4c.6-2.4 2.5-3.6 5-3.6s4.4 1.2 5 3.6",
        "pause" => "M5.5 3.5v9M10.5 3.5v9",
        "lock" => "M4 7.5h8V13H4zM5.5 7.5V5.5a2.5 2.5 0 0 1 5 0v2",
        "ide" => "M5.5 5L2.5 8l3 3M10.5 5l3 3-3 3",
        _ => "M8 8m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0",
    }
}

/// Decoration only: the word beside it says the same.
#[component]
pub fn Icon(name: &'static str) -> AnyView {
    let class = if name == "spinner" { "icon turning" } else { "icon" };
    view! { <svg class=class viewBox="0 0 16 16" aria-hidden="true"><path d=path(name)/></svg> }.into_any()
}
