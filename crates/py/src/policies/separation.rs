//! Write points of the host by a class in Python.

use pyo3::prelude::*;
use wordline_engine::blocks::separation::Separation;
use wordline_engine::ids::Lpa;

use super::{Policy, state};

/// Asks `write_point(page, stream, points)`.
pub struct Points(pub Policy);

impl Separation for Points {
    fn write_point(&mut self, lpa: Lpa, stream: u16, points: u8) -> u8 {
        self.0.ask("write_point", |py| (lpa.0, stream, points).into_pyobject(py)).unwrap_or(0)
    }

    fn is_hot(&self, lpa: Lpa) -> bool {
        self.0.ask("is_hot", |py| (lpa.0,).into_pyobject(py)).unwrap_or(false)
    }

    state!(Separation, 0, |_, policy| Self(policy));
}
