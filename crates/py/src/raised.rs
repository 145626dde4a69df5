//! What the Python policies of a run raised, kept by thread until the run has ended.

use std::cell::RefCell;

use pyo3::prelude::*;

thread_local! {
    /// The first of it in the run of this thread.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Forgets what an earlier run on this thread left behind.
pub fn forget() {
    RAISED.set(None);
}

/// Keeps what went wrong with a policy of the run on this thread, if it is the first.
pub fn raise(error: PyErr) {
    RAISED.with_borrow_mut(|raised| {
        raised.get_or_insert(error);
    });
}

/// Whether a policy of the run on this thread has raised something.
pub fn has_raised() -> bool {
    RAISED.with_borrow(Option::is_some)
}

/// Takes what a policy raised in the run that has ended on this thread.
pub fn take() -> Option<PyErr> {
    RAISED.take()
}
