//! Memory that is handed to C.

use crate::border::{call, put};

/// Bytes that belong to whoever got them, to be freed with `wordline_bytes_free`.
#[repr(C)]
pub struct WordlineBytes {
    /// The first; NULL where there are none.
    pub data: *mut u8,
    /// How many. A text has a 0 behind these.
    pub length: usize,
}

impl WordlineBytes {
    /// No bytes.
    pub(crate) fn none() -> Self {
        Self { data: std::ptr::null_mut(), length: 0 }
    }

    /// These bytes, and a 0 behind them.
    pub(crate) fn of(mut bytes: Vec<u8>) -> Self {
        let length = bytes.len();
        bytes.push(0);
        Self { data: Box::into_raw(bytes.into_boxed_slice()).cast(), length }
    }
}

/// Frees bytes, and leaves none in their place; NULL and no bytes are nothing to free.
///
/// # Safety
/// `bytes` is NULL, or leads to bytes that came from this library and were neither changed in number nor freed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wordline_bytes_free(bytes: *mut WordlineBytes) {
    call(|| {
        if bytes.is_null() {
            return Ok(());
        }
        // SAFETY: the caller's.
        let WordlineBytes { data, length } = unsafe { bytes.read() };
        // SAFETY: the caller's.
        unsafe { put("bytes", bytes, WordlineBytes::none()) }?;
        if !data.is_null() {
            let whole = std::ptr::slice_from_raw_parts_mut(data, length.saturating_add(1));
            // SAFETY: the caller's: they are those of `of`, which made a box of so many and one.
            drop(unsafe { Box::from_raw(whole) });
        }
        Ok(())
    });
}
