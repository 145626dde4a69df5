//! What fuzzers call: bytes in, every request out, nothing may break.

use wordline_base::request::{HostOp, HostRequest, RequestSource, SourceError};

use crate::config::{TraceConfig, TraceFormat};
use crate::reader::TraceReader;

/// Reads bytes as a trace of this form to the end, in a window of 16 for sorting; bad lines are passed over where
/// `skip` is set. Returns the number of requests.
///
/// # Errors
/// Those of the reader: bytes that are no such trace.
///
/// # Panics
/// When a request breaks what sources promise: times that go back, a length of 0 other than a flush's, an end beyond
/// 2^64, or an error of several lines. That is a fault of the reader.
pub fn read_trace(format: TraceFormat, bytes: &[u8], skip: bool) -> Result<u64, SourceError> {
    let config =
        TraceConfig { format, skip_bad_lines: skip, sort_window: 16, ..TraceConfig::of_file("bytes") };
    let result = read(&config, bytes);
    if let Err(error) = &result {
        assert!(!error.0.contains('\n') && error.0.len() < 2000, "{error}");
    }
    result
}

fn read(config: &TraceConfig, bytes: &[u8]) -> Result<u64, SourceError> {
    let mut reader = TraceReader::of_bytes(config, bytes, u64::MAX)?;
    let (mut batch, mut count, mut last) = (Vec::new(), 0, 0);
    loop {
        batch.clear();
        reader.next_batch(&mut batch)?;
        if batch.is_empty() {
            return Ok(count);
        }
        count += batch.len() as u64;
        for request in &batch {
            check(request, last);
            last = request.time.0;
        }
    }
}

fn check(request: &HostRequest, last: u64) {
    assert!(request.time.0 >= last, "{request:?} after {last} ns");
    assert!(request.offset.checked_add(request.length).is_some(), "{request:?}");
    assert!((request.length == 0) == (request.op == HostOp::Flush), "{request:?}");
}
