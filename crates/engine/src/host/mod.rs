//! The host's side: requests, how they arrive, which of several flows goes next, and the link that carries them.

pub mod arbiter;
pub mod draws;
pub mod flows;
pub mod front;
pub mod request;
pub mod schedulers;
pub mod side;

pub use flows::{Flow, Flows};
pub use request::{HostOp, HostRequest, RequestSource, SourceError};
pub use side::{DriveView, HostSide};
