//! Requests as columns of NumPy, completions as an array of records.

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyBytes;
use wordline_drive::{Completion, Request, op_number, op_of_number};

use super::numbers;
use crate::error::mistake;

/// Times, operations, offsets, lengths, tags and streams, as `wordline.embedding.columns` gives them: of one length.
pub type Columns = [PyBuffer<u64>; 6];

/// The requests of these columns.
pub fn requests_of(py: Python<'_>, columns: &Columns) -> PyResult<Vec<Request>> {
    let mut values = Vec::new();
    for column in columns {
        values.push(column.to_vec(py)?.into_iter());
    }
    let [times, ops, offsets, lengths, tags, streams] = values.as_mut_slice() else {
        return Err(mistake("columns: allowed: six"));
    };
    let mut requests = Vec::with_capacity(times.len());
    while let (Some(time), Some(op), Some(offset), Some(length), Some(tag), Some(stream)) =
        (times.next(), ops.next(), offsets.next(), lengths.next(), tags.next(), streams.next())
    {
        let known = u8::try_from(op).ok().and_then(op_of_number);
        let op = known.ok_or_else(|| numbers::unknown(&op))?;
        requests.push(Request { time, op, offset, length, tag, stream: numbers::stream(stream)? });
    }
    Ok(requests)
}

/// The bytes of records as `wordline.embedding.COMPLETION` has them.
pub fn completions_of(completions: impl Iterator<Item = Completion>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for Completion { request, time } in completions {
        for field in [request.tag, request.time, time, request.offset, request.length] {
            bytes.extend_from_slice(&field.to_ne_bytes());
        }
        bytes.extend_from_slice(&request.stream.to_ne_bytes());
        bytes.push(op_number(request.op));
    }
    bytes
}

/// `numpy.frombuffer` and the type of the records.
static READ: PyOnceLock<(Py<PyAny>, Py<PyAny>)> = PyOnceLock::new();

/// These bytes as an array of records.
pub fn as_array<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let (read, kind) = READ.get_or_try_init(py, || {
        let read = py.import("numpy")?.getattr("frombuffer")?.unbind();
        let kind = py.import("wordline.embedding")?.getattr("COMPLETION")?.unbind();
        Ok::<_, PyErr>((read, kind))
    })?;
    // Of no bytes NumPy makes no array.
    if bytes.is_empty() {
        return py.import("numpy")?.call_method1("empty", (0, kind.bind(py)));
    }
    read.bind(py).call1((PyBytes::new(py, bytes), kind.bind(py)))
}
