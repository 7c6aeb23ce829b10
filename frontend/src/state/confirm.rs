//! The one dialog that asks before something is lost.

use leptos::prelude::*;
use shared::space::{Action, SpaceRow};

/// What is asked: one action on several Spaces, and those it leaves out with the reason.
#[derive(Clone, Debug)]
pub struct Question {
    pub action: Action,
    pub spaces: Vec<SpaceRow>,
    pub left_out: Vec<(SpaceRow, String)>,
}

#[derive(Clone, Copy)]
pub struct Confirm(pub RwSignal<Option<Question>>);
