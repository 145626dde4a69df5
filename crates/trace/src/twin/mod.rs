//! Twins: a small profile of a trace, and a generator of requests that behave like it.
//!
//! [`fit`] goes over a trace and writes a [`Profile`]; [`crate::open`] plays one. What a profile holds, and how well its
//! twin does, stands in `docs/twins.md`.

mod codes;
mod cut;
mod fit;
mod gaps;
mod history;
mod likeness;
mod locate;
mod model;
mod model_bursts;
mod model_class;
mod model_source;
mod overrides;
mod pack;
mod page_counts;
mod patterns;
mod play;
mod profile;
mod reference;
mod shapes;
mod source;
mod space;
mod streams;
mod summary;

pub use fit::{FitOptions, fit, summarise};
pub use model::{Again, Aligned, Burst, BurstOp, Model, PageClass, Recent, Skew, Walk};
pub use page_counts::PageKind;
pub use patterns::{BurstPattern, ClassPattern, Patterns};
pub use profile::{FitFor, PROFILE_BYTES, Packed, Profile, Summary};
pub(crate) use source::open_twin;
