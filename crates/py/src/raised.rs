//! What the Python policies of a run raised, kept by thread until the run has ended.

use std::cell::RefCell;

use pyo3::prelude::*;

use crate::error::mistake;

thread_local! {
    /// The first of it in the run of this thread.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
    /// The last answer with actions in the run of this thread.
    static ANSWERED: RefCell<Option<Answered>> = const { RefCell::new(None) };
}

/// An answer whose actions the engine checks as it carries them out, when Python is asked no more.
struct Answered {
    /// Name of the system.
    system: String,
    /// The system, as `wordline.policies` asks it.
    policy: Py<PyAny>,
    method: &'static str,
}

/// Forgets what an earlier run on this thread left behind.
pub fn forget() {
    RAISED.set(None);
    ANSWERED.set(None);
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

/// Keeps which method of a system answered last with actions.
pub fn answered(system: &str, policy: Py<PyAny>, method: &'static str) {
    ANSWERED.set(Some(Answered { system: system.to_owned(), policy, method }));
}

/// What ended the run of this thread, with the place of the method whose answer came before it, if it is about that system.
pub fn placed(error: PyErr) -> PyErr {
    let Some(last) = ANSWERED.take() else { return error };
    Python::attach(|py| {
        let text = error.value(py).to_string();
        if !text.contains(&format!("the system {}", last.system)) {
            return error;
        }
        let told = last.policy.bind(py).call_method1("after", (last.method, &text));
        told.and_then(|told| told.extract::<String>()).map_or(error, mistake)
    })
}
