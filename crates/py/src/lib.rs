//! Python bindings, for the module `wordline._core` and for modules of one's own with further policies
//! ([`fill`]). Thin: texts in, a text out, and the watch over a run.

mod assumed;
mod check;
mod columns;
mod combinations;
mod course;
mod describe;
mod drive;
mod error;
mod files;
mod fio;
mod guard;
mod held;
mod past;
mod policies;
mod raised;
mod request_log;
mod requests;
mod run;
mod schemes;
mod state;
mod timeline;
mod trace;
mod traces;
mod twin;
mod watch;
mod without_effect;
mod wording;

use pyo3::prelude::*;
use pyo3::wrap_pyfunction;
use wordline_engine::custom::{CustomPolicy, register};

pub use pyo3;

/// The name of these sources: what decides a result beside its inputs.
pub const BUILD: &str = env!("WORDLINE_BUILD");

/// Fills a Python module with all that the package `wordline` takes from its core, and makes these policies known to
/// schemes, those that are written in Python among them. `build` is the name of the build, which rows of sweeps are keyed by: [`BUILD`], with the name of one's own
/// sources behind it.
///
/// An error if a policy has a name that can't be a key, or if this was done before in this process.
pub fn fill(module: &Bound<'_, PyModule>, build: &str, policies: Vec<CustomPolicy>) -> PyResult<()> {
    register(policies.into_iter().chain(policies::all()).collect()).map_err(error::mistake)?;
    wordline_trace::silence_expected_panics();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("__build__", build)?;
    module.add("WordlineError", module.py().get_type::<error::WordlineError>())?;
    module.add_class::<course::Course>()?;
    module.add_class::<held::Held>()?;
    module.add_class::<policies::drive::DriveView>()?;
    module.add_class::<run::RunResult>()?;
    module.add_class::<drive::Drive>()?;
    module.add_function(wrap_pyfunction!(check::check, module)?)?;
    module.add_function(wrap_pyfunction!(combinations::parts, module)?)?;
    module.add_function(wrap_pyfunction!(describe::resolve, module)?)?;
    module.add_function(wrap_pyfunction!(fio::fio_workload, module)?)?;
    module.add_function(wrap_pyfunction!(held::hold, module)?)?;
    module.add_function(wrap_pyfunction!(run::run, module)?)?;
    module.add_function(wrap_pyfunction!(schemes::combined, module)?)?;
    module.add_function(wrap_pyfunction!(state::load_drive, module)?)?;
    module.add_function(wrap_pyfunction!(state::check_prepare, module)?)?;
    module.add_function(wrap_pyfunction!(state::prepare, module)?)?;
    module.add_function(wrap_pyfunction!(trace::trace_convert, module)?)?;
    module.add_function(wrap_pyfunction!(trace::trace_info, module)?)?;
    module.add_function(wrap_pyfunction!(twin::trace_fit, module)?)?;
    module.add_function(wrap_pyfunction!(twin::trace_gen, module)?)?;
    module.add_function(wrap_pyfunction!(wording::nearest, module)?)?;
    module.add_function(wrap_pyfunction!(wording::speak_of_options, module)?)?;
    module.add_function(wrap_pyfunction!(wording::speaks_of_options, module)?)
}
