//! Planes of programs by a class in Python.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use wordline_engine::ids::PlaneId;
use wordline_engine::placement::{Placement, PlacementView, ProgramIntent};

use super::{Policy, bytes_of, state};

/// Asks `place(program, planes)` for the number of a plane; `None` is refused.
pub struct Planes(pub Policy);

impl Placement for Planes {
    fn places_moves(&self) -> bool {
        self.0.ask("places_moves", |py| Ok(pyo3::types::PyTuple::empty(py))).unwrap_or(false)
    }

    fn place(&mut self, program: &ProgramIntent, view: &PlacementView<'_>) -> PlaneId {
        let plane: Option<u32> = self.0.ask("place", |py| {
            let planes = || (0..view.geometry.planes()).map(PlaneId);
            let room: Vec<u8> =
                planes().map(|plane| u8::from(view.allows(plane) && (view.has_room)(plane))).collect();
            (
                program.lpa.0,
                program.cause.name(),
                program.source.is_some().then_some(program.source.0),
                program.stream,
                PyBytes::new(py, &bytes_of(view.outstanding.iter().copied())),
                PyBytes::new(py, &room),
                PyBytes::new(py, &bytes_of(planes().map(|plane| (view.held)(plane)))),
            )
                .into_pyobject(py)
        });
        PlaneId(plane.unwrap_or(0))
    }

    state!(Placement, 0, |_, policy| Self(policy));
}
