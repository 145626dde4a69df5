//! What a system in Python may look at: the drive, while it is asked.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use scoped_tls_hkt::scoped_thread_local;
use wordline_engine::ids::{DieId, DomainId, Lpa, PlaneId, Ppa, SuperblockId};
use wordline_engine::nand::Geometry;
use wordline_engine::systems::DriveView as View;

use super::{blocks, bytes_of};
use crate::error::mistake;

scoped_thread_local!(
    /// The drive that this thread's system is being asked about.
    static SHOWN: for<'a> &'a View<'a>
);

/// Runs `ask` while Python may look at this drive.
pub fn showing<T>(view: &View<'_>, ask: impl FnOnce() -> T) -> T {
    SHOWN.set(view, ask)
}

/// The drive as a system sees it. It can be looked at while the system is asked, not later.
#[pyclass(frozen, module = "wordline._core")]
pub struct DriveView;

/// What the drive says, if there is one to be asked.
fn look<T>(ask: impl FnOnce(&View<'_>) -> PyResult<T>) -> PyResult<T> {
    if !SHOWN.is_set() {
        return Err(mistake("the drive can be looked at only while the policy is asked about it".to_owned()));
    }
    SHOWN.with(ask)
}

/// A number below a count, or the mistake of a call.
fn below(what: &str, number: u32, count: u32) -> PyResult<u32> {
    let allowed = || mistake(format!("{what} {number}: allowed: 0 to {}", count.saturating_sub(1)));
    if number < count { Ok(number) } else { Err(allowed()) }
}

fn place(number: u32, geometry: &Geometry) -> PyResult<Ppa> {
    below("place", number, geometry.physical_units()).map(Ppa)
}

fn domain(number: u32, view: &View<'_>) -> PyResult<DomainId> {
    below("domain", number, view.domains().len() as u32).map(DomainId)
}

fn superblock(number: u32, view: &View<'_>) -> PyResult<SuperblockId> {
    let each = view.geometry().blocks_per_plane;
    below("superblock", number, view.domains().len() as u32 * each).map(SuperblockId)
}

fn array<'py>(py: Python<'py>, numbers: impl Iterator<Item = u32>) -> PyResult<Bound<'py, PyAny>> {
    let bytes = PyBytes::new(py, &bytes_of(numbers));
    py.import("numpy")?.call_method1("frombuffer", (bytes, "int64"))
}

#[pymethods]
impl DriveView {
    /// The simulated time.
    #[getter]
    fn now_ns(&self) -> PyResult<u64> {
        look(|view| Ok(view.now().0))
    }

    /// Logical pages (mapping units) that the host sees.
    #[getter]
    fn pages(&self) -> PyResult<u32> {
        look(|view| Ok(view.logical_units()))
    }

    /// Planes of the drive.
    #[getter]
    fn planes(&self) -> PyResult<u32> {
        look(|view| Ok(view.geometry().planes()))
    }

    /// Dies of the drive.
    #[getter]
    fn dies(&self) -> PyResult<u32> {
        look(|view| Ok(view.geometry().dies()))
    }

    /// Channels of the drive.
    #[getter]
    fn channels(&self) -> PyResult<u32> {
        look(|view| Ok(view.geometry().channels))
    }

    /// Groups of planes that are written and collected together.
    #[getter]
    fn domains(&self) -> PyResult<u32> {
        look(|view| Ok(view.domains().len() as u32))
    }

    /// Whether no request has been inside for `scheme.maintenance.idle_after_ns`, and none has come since.
    #[getter]
    fn idle(&self) -> PyResult<bool> {
        look(|view| Ok(view.is_idle()))
    }

    /// Flash pages waiting or running on each die.
    #[getter]
    fn outstanding<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        look(|view| array(py, view.outstanding().iter().copied()))
    }

    /// Where a logical page lies: its primary copy; `None` if it holds nothing.
    fn find(&self, page: u32) -> PyResult<Option<u32>> {
        look(|view| {
            let ppa = view.find(Lpa(below("page", page, view.logical_units())?));
            Ok(ppa.is_some().then_some(ppa.0))
        })
    }

    /// Where the further copies of a logical page lie, the oldest first.
    fn copies(&self, page: u32) -> PyResult<Vec<u32>> {
        look(|view| {
            let lpa = Lpa(below("page", page, view.logical_units())?);
            Ok(view.copies(lpa).iter().map(|copy| copy.ppa.0).collect())
        })
    }

    /// The logical page that a place holds, if it is still wanted.
    fn page_at(&self, place: u32) -> PyResult<Option<u32>> {
        look(|view| Ok(view.valid_lpa(self::place(place, view.geometry())?).map(|lpa| lpa.0)))
    }

    /// The die of a place.
    fn die_of(&self, place: u32) -> PyResult<u32> {
        look(|view| Ok(view.die_of(self::place(place, view.geometry())?).0))
    }

    /// The superblock of a place.
    fn superblock_of(&self, place: u32) -> PyResult<u32> {
        look(|view| Ok(view.superblock_of(self::place(place, view.geometry())?).0))
    }

    /// The domain of a superblock.
    fn domain_of(&self, superblock: u32) -> PyResult<u32> {
        look(|view| Ok(view.split(self::superblock(superblock, view)?).0.0))
    }

    /// The superblocks of a domain, as a choice of victims sees them.
    fn blocks<'py>(&self, py: Python<'py>, domain: u32) -> PyResult<Bound<'py, PyAny>> {
        look(|view| {
            let shown = blocks(py, &view.blocks(self::domain(domain, view)?))?;
            py.import("wordline.policies")?.call_method1("blocks", shown)
        })
    }

    /// Free superblocks of a domain.
    fn free(&self, domain: u32) -> PyResult<u32> {
        look(|view| Ok(view.free(self::domain(domain, view)?)))
    }

    /// The places of a superblock in the order in which it is filled.
    fn places<'py>(&self, py: Python<'py>, superblock: u32) -> PyResult<Bound<'py, PyAny>> {
        look(|view| {
            let superblock = self::superblock(superblock, view)?;
            let (domain, _) = view.split(superblock);
            let units = 0..view.blocks(domain).capacity;
            array(py, units.map(|unit| view.unit_at(superblock, unit).0))
        })
    }

    /// Array reads of a block of a plane since its erase; 0 where they are not counted (`scheme.read_counts`).
    fn block_reads(&self, plane: u32, block: u32) -> PyResult<u32> {
        look(|view| {
            let geometry = view.geometry();
            let plane = PlaneId(below("plane", plane, geometry.planes())?);
            Ok(view.block_reads(plane, below("block", block, geometry.blocks_per_plane)?))
        })
    }

    /// What a die is doing, and for how many ns still; `None` if nothing.
    fn running(&self, die: u32) -> PyResult<Option<(&'static str, u64)>> {
        look(|view| {
            let die = DieId(below("die", die, view.geometry().dies())?);
            Ok(view.running(die).map(|(class, left)| (class.name(), left.0)))
        })
    }

    /// Reads of the host that wait or run at a die, in its order: logical page and place of each.
    fn reads_at(&self, die: u32) -> PyResult<Vec<(u32, u32)>> {
        look(|view| {
            let (die, mut found) = (DieId(below("die", die, view.geometry().dies())?), Vec::new());
            view.reads_at(die, &mut found);
            Ok(found.iter().map(|read| (read.lpa.0, read.ppa.0)).collect())
        })
    }

    /// Whether the domain of a plane has room for more of the host's data.
    fn has_room(&self, plane: u32) -> PyResult<bool> {
        look(|view| Ok(view.has_room(PlaneId(below("plane", plane, view.geometry().planes())?))))
    }
}
