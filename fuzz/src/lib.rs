//! What the fuzz targets share. `runs` and what it needs are a test of the engine
//! too, over the saved corpus.

pub mod bounded;
#[cfg(feature = "traces")]
pub mod descriptions;
pub mod keys;
pub mod runs;

#[doc(hidden)]
pub use libfuzzer_sys;

/// Reads bytes as a trace of the form of this name, with bad lines refused and passed over.
#[cfg(feature = "traces")]
pub fn trace(form: &str, bytes: &[u8]) {
    // The fuzzer ends at any panic, also at those of the Parquet library that the reader catches.
    wordline_trace::silence_expected_panics();
    let Ok(format) = serde_json::from_value(form.into()) else { return };
    for skip in [false, true] {
        let _ = wordline_trace::fuzz::read_trace(format, bytes, skip);
    }
}

/// A target that reads traces of one form.
#[macro_export]
macro_rules! trace_target {
    ($form:literal) => {
        $crate::libfuzzer_sys::fuzz_target!(|bytes: &[u8]| $crate::trace($form, bytes));
    };
}
