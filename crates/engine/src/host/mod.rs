//! The host's side: requests, how they arrive, and the link that carries them.

pub mod front;
pub mod request;

pub use request::{HostOp, HostRequest, RequestSource, SourceError};
