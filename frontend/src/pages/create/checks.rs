//! The server's dry run while typing. Each answer is kept with the request it answers: an answer to an older form is
//! never shown beside a newer one.

use super::Form;
use crate::api::{self, Failure};
use crate::state::derive::watch;
use leptos::prelude::*;
use leptos::task::spawn_local;
use shared::error::FieldError;
use shared::space::create::CreateSpace;
use std::time::Duration;

/// Quiet time after the last keystroke before the cluster is asked.
const DEBOUNCE: Duration = Duration::from_millis(600);

#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Accepted { warnings: Vec<String> },
    Refused { fields: Vec<FieldError>, failure: Option<Failure> },
}

#[derive(Clone, Copy)]
pub struct Checks {
    answered: RwSignal<Option<(CreateSpace, Outcome)>>,
    pub asking: RwSignal<bool>,
}

impl Checks {
    pub fn new() -> Checks {
        Checks { answered: RwSignal::new(None), asking: RwSignal::new(false) }
    }

    /// Reactive: the answer, if it is one to exactly this request.
    pub fn outcome(self, request: &CreateSpace) -> Option<Outcome> {
        self.answered.with(|a| a.as_ref().filter(|(asked, _)| asked == request).map(|(_, o)| o.clone()))
    }

    pub fn refusals(self, request: &CreateSpace) -> Vec<FieldError> {
        match self.outcome(request) {
            Some(Outcome::Refused { fields, .. }) => fields,
            _ => Vec::new(),
        }
    }

    /// A refused create marks its fields the same way.
    pub fn keep_refusal(self, request: &CreateSpace, failure: &Failure) {
        if let Failure::Refused(detail) = failure {
            let outcome = Outcome::Refused { fields: detail.fields.clone(), failure: Some(failure.clone()) };
            let _ = self.answered.try_set(Some((request.clone(), outcome)));
        }
    }
}

/// Asks the cluster whenever the request has been valid and unchanged for a moment.
pub fn watch_dry_run(form: Form) {
    let serial = StoredValue::new(0u64);
    watch(move || {
        let (request, errors) = form.request.get();
        serial.update_value(|n| *n += 1);
        if !errors.is_empty() {
            form.checks.asking.set(false);
            return;
        }
        let mine = serial.get_value();
        set_timeout(
            move || {
                if serial.try_get_value() == Some(mine) {
                    ask(form, request);
                }
            },
            DEBOUNCE,
        );
    });
}

fn ask(form: Form, request: CreateSpace) {
    form.checks.asking.set(true);
    let cluster = form.cluster.get_value();
    spawn_local(async move {
        let outcome = match api::try_create(&cluster, &request).await {
            Ok(answer) if answer.fields.is_empty() => Some(Outcome::Accepted { warnings: answer.warnings }),
            Ok(answer) => Some(Outcome::Refused { fields: answer.fields, failure: None }),
            Err(Failure::Refused(detail)) => {
                let fields = detail.fields.clone();
                Some(Outcome::Refused { fields, failure: Some(Failure::Refused(detail)) })
            }
            Err(Failure::Unreachable) => None,
        };
        let _ = form.checks.asking.try_set(false);
        if let Some(outcome) = outcome {
            let _ = form.checks.answered.try_set(Some((request, outcome)));
        }
    });
}
