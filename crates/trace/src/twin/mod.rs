//! Twins: a small profile of a trace, and a generator of requests that behave like it.
//!
//! [`fit`] goes over a trace and writes a [`Profile`]; [`TwinSource`] plays one. What a profile holds, and how well its
//! twin does, stands in `docs/twins.md`.

mod calibrate;
mod codes;
mod fit;
mod gaps;
mod history;
mod library;
mod load;
mod locate;
mod model;
mod model_source;
mod pieces;
mod play;
mod profile;
mod reference;
mod shapes;
mod source;
mod space;
mod streams;
mod summary;

pub use fit::{FitOptions, fit};
pub use model::{Model, PageClass, Walk};
pub use profile::{FitFor, PROFILE_BYTES, Phase, Profile, Summary};
pub(crate) use source::open_twin;
