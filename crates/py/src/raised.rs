//! What the Python policies of a run raised, kept by thread until the run has ended.

use std::cell::RefCell;
use std::collections::BTreeMap;

use pyo3::prelude::*;

use crate::error::mistake;

thread_local! {
    /// The first of it in the run of this thread.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
    /// Answers in the run of this thread that may end it, each by what an end of it would be told with.
    static ANSWERED: RefCell<BTreeMap<String, Answered>> = const { RefCell::new(BTreeMap::new()) };
}

/// An answer of which something may come when Python is asked no more, as with actions that the engine checks when it carries them out.
struct Answered {
    /// The policy, as `wordline.policies` asks it.
    policy: Py<PyAny>,
    /// What it answered: `choose() = None`, or the method alone.
    method: &'static str,
    answer: &'static str,
}

/// Forgets what an earlier run on this thread left behind.
pub fn forget() {
    RAISED.set(None);
    ANSWERED.with_borrow_mut(BTreeMap::clear);
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

/// Keeps the last answer of a method after which a run may end that is told `about` this. `answer`: what it was, where it is always the
/// same.
pub fn answered(about: String, policy: Py<PyAny>, method: &'static str, answer: &'static str) {
    ANSWERED.with_borrow_mut(|all| all.insert(about, Answered { policy, method, answer }));
}

/// The answer about this has been followed by others after which nothing ends.
pub fn answered_otherwise(about: &str) {
    ANSWERED.with_borrow_mut(|all| all.remove(about));
}

/// What ended the run of this thread, with the place of the method whose answer came before it, if it is about that.
pub fn placed(error: PyErr) -> PyErr {
    let all = ANSWERED.take();
    Python::attach(|py| {
        let text = error.value(py).to_string();
        let Some((_, last)) = all.iter().find(|(about, _)| text.contains(about.as_str())) else {
            return error;
        };
        let told = last.policy.bind(py).call_method1("after", (last.method, last.answer, &text));
        told.and_then(|told| told.extract::<String>()).map_or(error, mistake)
    })
}
