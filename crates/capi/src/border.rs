//! The border to C: what comes over it is looked at before it is used, and no panic goes back.

use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use wordline_drive::Error;

use crate::error::keep;

/// How a call ended.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordlineStatus {
    /// It did what was asked.
    WordlineOk = 0,
    /// It did nothing: what was given can't be. `wordline_last_error` says why.
    WordlineRefused = 1,
    /// The simulator has a defect, or the drive found itself inconsistent; of this drive nothing more can be asked but to be freed.
    WordlineDefect = 2,
    /// The drive's life has ended, in this call or before: it takes no more requests, and what waits for space is never answered. Its
    /// answers and figures can still be taken.
    WordlineEnded = 3,
}

/// Why a call failed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    status: WordlineStatus,
    reason: String,
}

impl Failure {
    /// A defect that has shown.
    pub(crate) fn defect(reason: &str) -> Self {
        Self { status: WordlineStatus::WordlineDefect, reason: reason.to_owned() }
    }
}

impl From<String> for Failure {
    /// What was given can't be.
    fn from(reason: String) -> Self {
        Self { status: WordlineStatus::WordlineRefused, reason }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let status = match error {
            Error::EndOfLife { .. } => WordlineStatus::WordlineEnded,
            Error::Fault(_) => WordlineStatus::WordlineDefect,
            _ => WordlineStatus::WordlineRefused,
        };
        Self { status, reason: error.to_string() }
    }
}

/// Does the work of a call; what goes wrong is kept for [`crate::error::wordline_last_error`].
pub(crate) fn call(work: impl FnOnce() -> Result<(), Failure>) -> WordlineStatus {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => WordlineStatus::WordlineOk,
        Ok(Err(Failure { status, reason })) => {
            keep(&reason);
            status
        }
        Err(payload) => {
            let said = payload.downcast_ref::<String>().map(String::as_str);
            let said = said.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("unknown");
            keep(&format!("defect in the simulator: {said}"));
            WordlineStatus::WordlineDefect
        }
    }
}

/// Why a pointer that must lead somewhere doesn't.
fn null(name: &str) -> Failure {
    format!("{name} = NULL: allowed: a pointer to it").into()
}

/// What a pointer leads to.
///
/// # Safety
/// It is NULL, or leads to a value that nothing else changes as long as the reference lives.
pub(crate) unsafe fn given<'a, T>(name: &str, pointer: *const T) -> Result<&'a T, Failure> {
    aligned(name, pointer)?;
    // SAFETY: the caller's, beyond NULL and alignment, which were looked at.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(name))
}

/// The same to change it.
///
/// # Safety
/// It is NULL, or leads to a value that nothing else uses as long as the reference lives.
pub(crate) unsafe fn changed<'a, T>(name: &str, pointer: *mut T) -> Result<&'a mut T, Failure> {
    aligned(name, pointer)?;
    // SAFETY: the caller's, beyond NULL and alignment, which were looked at.
    unsafe { pointer.as_mut() }.ok_or_else(|| null(name))
}

/// Puts a value where a pointer leads; what is there is not looked at.
///
/// # Safety
/// It is NULL, or leads to memory for a value that nothing else uses meanwhile.
pub(crate) unsafe fn put<T>(name: &str, pointer: *mut T, value: T) -> Result<(), Failure> {
    aligned(name, pointer)?;
    if pointer.is_null() {
        return Err(null(name));
    }
    // SAFETY: the caller's, beyond NULL and alignment, which were looked at.
    unsafe { pointer.write(value) };
    Ok(())
}

/// So many values from a pointer on; none of them may be NULL.
///
/// # Safety
/// It is NULL, or leads to so many values that nothing else changes as long as the slice lives.
pub(crate) unsafe fn many<'a, T>(name: &str, pointer: *const T, count: usize) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    aligned(name, pointer)?;
    let fits = count.checked_mul(size_of::<T>()).is_some_and(|bytes| isize::try_from(bytes).is_ok());
    if pointer.is_null() || !fits {
        return Err(format!("{count} of {name}: allowed: a pointer to so many").into());
    }
    // SAFETY: the caller's, beyond NULL, alignment and length, which were looked at.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

/// A text, or `None` for NULL.
///
/// # Safety
/// It is NULL, or leads to bytes that end with 0 and that nothing changes as long as the text lives.
pub(crate) unsafe fn text<'a>(name: &str, pointer: *const c_char) -> Result<Option<&'a str>, Failure> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's, beyond NULL, which was looked at.
    let bytes = unsafe { CStr::from_ptr(pointer) };
    bytes.to_str().map(Some).map_err(|error| format!("{name}: no UTF-8 text: {error}").into())
}

fn aligned<T>(name: &str, pointer: *const T) -> Result<(), Failure> {
    if pointer.is_aligned() {
        Ok(())
    } else {
        Err(format!("{name}: allowed: a pointer aligned for its type").into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::wordline_last_error;

    #[test]
    fn a_panic_stays_on_this_side_and_is_told() {
        assert_eq!(call(|| panic!("at {}", 7)), WordlineStatus::WordlineDefect);
        // SAFETY: the text is read before the next call on this thread.
        let told = unsafe { CStr::from_ptr(wordline_last_error()) };
        assert_eq!(told.to_str(), Ok("defect in the simulator: at 7"));
    }

    #[test]
    fn what_is_refused_what_has_ended_and_what_is_broken_are_told_apart() {
        let status = |error: Error| call(|| Err(error.into()));
        assert_eq!(status(Error::Unchecked), WordlineStatus::WordlineRefused);
        assert_eq!(status(Error::EndOfLife { time: 7 }), WordlineStatus::WordlineEnded);
        assert_eq!(status(Error::Fault("two owners".to_owned())), WordlineStatus::WordlineDefect);
    }

    #[test]
    fn pointers_that_lead_nowhere_are_refused() {
        let odd = std::ptr::without_provenance::<u64>(9);
        // SAFETY: none of these is followed.
        unsafe {
            assert!(given::<u64>("a", std::ptr::null()).is_err() && given("a", odd).is_err());
            assert!(changed::<u64>("a", std::ptr::null_mut()).is_err());
            assert!(put("a", std::ptr::null_mut(), 1_u64).is_err() && put("a", odd.cast_mut(), 1).is_err());
            assert!(many::<u64>("a", std::ptr::null(), 1).is_err() && many("a", odd, 1).is_err());
            assert!(many("a", std::ptr::from_ref(&1_u64), usize::MAX).is_err());
            assert_eq!(many::<u64>("a", std::ptr::null(), 0), Ok(&[][..]));
            assert_eq!(text("a", std::ptr::null()), Ok(None));
            assert!(text("a", c"\xff".as_ptr()).unwrap_err().reason.starts_with("a: no UTF-8 text"));
        }
    }
}
