//! Python bindings: one module, `wordline._core`. Thin: texts in, a text out, and the watch over a run.

mod check;
mod columns;
mod combinations;
mod describe;
mod error;
mod fio;
mod held;
mod requests;
mod run;
mod state;
mod timeline;
mod trace;
mod twin;
mod watch;

use pyo3::prelude::*;

#[pymodule]
mod _core {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::check::check;
    #[pymodule_export]
    use crate::combinations::parts;
    #[pymodule_export]
    use crate::describe::resolve;
    #[pymodule_export]
    use crate::fio::fio_workload;
    #[pymodule_export]
    use crate::held::{Held, hold};
    #[pymodule_export]
    use crate::run::{RunResult, run};
    #[pymodule_export]
    use crate::state::{Drive, load_drive, prepare};
    #[pymodule_export]
    use crate::trace::{trace_convert, trace_info};
    #[pymodule_export]
    use crate::twin::{trace_fit, trace_gen};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("__build__", env!("WORDLINE_BUILD"))?;
        module.add("WordlineError", module.py().get_type::<crate::error::WordlineError>())
    }
}
