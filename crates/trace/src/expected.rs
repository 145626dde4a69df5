//! Panics of libraries that are expected, and caught: damaged Parquet files make its library panic at places.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether what runs here now may panic without a word.
    static EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// Calls `work`; `None` if it panics.
#[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "no other library needs it"))]
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    let before = EXPECTED.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work)).ok();
    EXPECTED.set(before);
    done
}

/// Keeps the readers' expected panics, whose errors say what there is to say, from being printed. All others go where
/// they went before. For programs: it changes the panic hook of the process.
pub fn silence_expected_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            // A thread that ends has none.
            if !EXPECTED.try_with(Cell::get).unwrap_or(false) {
                before(panic);
            }
        }));
    });
}
