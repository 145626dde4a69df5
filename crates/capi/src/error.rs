//! What went wrong last, by thread.

use std::cell::RefCell;
use std::ffi::{CString, c_char};

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

pub(crate) fn keep(reason: &str) {
    // A text with a 0 in it ends there for C.
    let until = reason.split('\0').next().unwrap_or_default();
    LAST.set(CString::new(until).unwrap_or_default());
}

/// Why the last call of this thread that failed did, in one line of UTF-8; an empty text before any. It is there until the next call
/// that fails.
#[unsafe(no_mangle)]
pub extern "C" fn wordline_last_error() -> *const c_char {
    LAST.with_borrow(|last| last.as_ptr())
}
