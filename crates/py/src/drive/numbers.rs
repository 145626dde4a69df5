//! Numbers and operations out of Python.

use pyo3::prelude::*;
use pyo3::types::PyBool;
use wordline_drive::{OPS, Op, op_of_number};

use crate::error::mistake;

/// A whole number of 64 bits.
pub fn whole(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u64> {
    // Python's True and False are numbers, too, and mean none here.
    let number = if value.is_instance_of::<PyBool>() { None } else { value.extract().ok() };
    number.ok_or_else(|| {
        mistake(format_args!("{name} = {value}: allowed: a whole number from 0 to {}", u64::MAX))
    })
}

/// A stream's number.
pub fn stream(number: u64) -> PyResult<u16> {
    u16::try_from(number).map_err(|_| {
        mistake(format_args!("stream = {number}: allowed: a whole number from 0 to {}", u16::MAX))
    })
}

/// An operation by its name or its number.
pub fn op_of(value: &Bound<'_, PyAny>) -> PyResult<Op> {
    let found = match value.extract::<&str>() {
        Ok(name) => OPS.iter().find(|(_, known)| *known == name).map(|(op, _)| *op),
        Err(_) if value.is_instance_of::<PyBool>() => None,
        Err(_) => value.extract().ok().and_then(op_of_number),
    };
    found.ok_or_else(|| unknown(value))
}

/// Why there is no such operation.
pub fn unknown(found: &dyn std::fmt::Display) -> PyErr {
    let names: Vec<&str> = OPS.iter().map(|(_, name)| *name).collect();
    mistake(format_args!("op = {found}: allowed: {}, or their places from 0", names.join(", ")))
}
