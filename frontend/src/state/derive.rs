//! Derived values by boxed closures: the machinery behind them is compiled once a type, not once a closure. A page has
//! a hundred of them and each copy costs a kilobyte of the first visit.

use leptos::prelude::*;

/// A value worked out anew whenever it is read.
pub fn derived<T: Send + Sync + 'static>(read: impl Fn() -> T + Send + Sync + 'static) -> Signal<T> {
    fn of<T: Send + Sync + 'static>(read: Box<dyn Fn() -> T + Send + Sync>) -> Signal<T> {
        Signal::derive(read)
    }
    of(Box::new(read))
}

/// A value worked out when its sources change, that tells its readers only when it differs.
pub fn remembered<T: PartialEq + Send + Sync + 'static>(
    read: impl Fn() -> T + Send + Sync + 'static,
) -> Memo<T> {
    fn of<T: PartialEq + Send + Sync + 'static>(read: Box<dyn Fn() -> T + Send + Sync>) -> Memo<T> {
        Memo::new(move |_| read())
    }
    of(Box::new(read))
}

/// Runs now and whenever what it reads changes.
pub fn watch(run: impl Fn() + 'static) {
    fn of(run: Box<dyn Fn()>) {
        Effect::new(move |_| run());
    }
    of(Box::new(run));
}
