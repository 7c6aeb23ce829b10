//! The signed-in person. Kept when the session ends, so that the page and its typed words stay below the sign-in.

use crate::api::{self, Failure};
use crate::state::clock::Clock;
use leptos::prelude::*;
use shared::error::ErrorCode;
use shared::session::Me;

#[derive(Clone, Debug, PartialEq)]
pub enum Standing {
    /// Not asked yet.
    Asking,
    SignedOut,
    SignedIn,
    /// Was signed in and is no longer: sign in again over the page.
    Expired,
    /// The portal did not answer.
    Failed(Failure),
}

#[derive(Clone, Copy)]
pub struct Session {
    pub me: RwSignal<Option<Me>>,
    pub standing: RwSignal<Standing>,
    clock: Clock,
}

impl Session {
    pub fn new(clock: Clock) -> Session {
        Session { me: RwSignal::new(None), standing: RwSignal::new(Standing::Asking), clock }
    }

    /// Asks whether somebody is signed in, and only then who: a refused question would be an error in the console of
    /// everybody who has yet to sign in.
    pub async fn load(self) {
        let answer = match api::sign_in_options().await {
            Ok(options) if !options.signed_in => {
                let _ = self.standing.try_set(Standing::SignedOut);
                return;
            }
            Ok(_) => api::me().await,
            Err(failure) => Err(failure),
        };
        match answer {
            Ok(me) => self.arrive(me),
            Err(failure) if failure.code() == Some(ErrorCode::Unauthenticated) => {
                let _ = self.standing.try_set(Standing::SignedOut);
            }
            Err(failure) => {
                let _ = self.standing.try_set(Standing::Failed(failure));
            }
        }
    }

    pub fn arrive(self, me: Me) {
        self.clock.correct(me.server_time);
        let _ = self.me.try_set(Some(me));
        let _ = self.standing.try_set(Standing::SignedIn);
    }

    /// Called by whoever met a 401 or 4401.
    pub fn expire(self) {
        if self.standing.try_get_untracked() == Some(Standing::SignedIn) {
            let _ = self.standing.try_set(Standing::Expired);
        }
    }
}
