//! The host's side: requests, how they arrive, which of several flows goes next, and the link that carries them.

pub mod arbiter;
mod course;
pub mod flows;
pub mod places;
pub mod schedulers;
pub mod side;
pub mod submitter;

pub use course::Settling;
pub use flows::{Flow, FlowSet, Flows};
pub use side::{DriveView, HostSide, RestoreError};
pub use wordline_base::request::{self, HostOp, HostRequest, RequestSource, SourceError};
