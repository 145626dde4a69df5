//! Wordline with policies of one's own. A policy is one file and one line in [`policies`]; schemes then name it.

mod quiet_after_read;
mod round_robin;

use wordline_engine::custom::CustomPolicy;
use wordline_py::pyo3::prelude::*;

use quiet_after_read::QuietAfterRead;
use round_robin::RoundRobin;

/// Every policy: its name in schemes, and how it is made from its parameters and the seed of the run.
fn policies() -> Vec<CustomPolicy> {
    vec![
        CustomPolicy::victims("round_robin", |config, _seed| Ok(Box::new(RoundRobin::new(config)))),
        CustomPolicy::system("quiet_after_read", &[], |config, _seed| {
            Ok(Box::new(QuietAfterRead::new(config)?))
        }),
    ]
}

/// The module that Python loads in the place of `wordline._core`.
#[pymodule]
#[pyo3(crate = "wordline_py::pyo3")]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let build = format!("{}-{}", wordline_py::BUILD, env!("WORDLINE_BUILD"));
    wordline_py::fill(module, &build, policies())
}
