#![doc = include_str!("../README.md")]
//!
//! [`Builder`] says what drive it is. Then: [`Drive::submit`], [`Drive::next_event`], [`Drive::advance`], [`Drive::completions`];
//! [`Drive::fork`], [`Drive::save`] and [`Drive::restore`]; [`Drive::statistics`].
//!
//! In step with an event loop, the drive is asked when it wants to be advanced next:
//!
//! ```
//! use wordline_drive::{Drive, Op, Request};
//!
//! let mut drive = Drive::builder().device("enterprise-tlc").build()?;
//! for tag in 0..100 {
//!     drive.submit(Request::new(tag * 1_000, Op::Write, tag * 4096, 4096).tagged(tag))?;
//! }
//! let mut answered = 0;
//! while let Some(time) = drive.next_event()? {
//!     drive.advance(time)?;
//!     for completion in drive.completions()? {
//!         assert_eq!(completion.time, time);
//!         answered += 1;
//!     }
//! }
//! assert_eq!(answered, 100);
//! # Ok::<(), wordline_drive::Error>(())
//! ```

mod audit;
mod builder;
mod drive;
mod error;
mod front;
mod inside;
mod pending;
mod power_loss;
pub mod presets;
mod request;
pub mod schemes;
mod snapshot;
mod statistics;
mod volume;

#[cfg(doctest)]
#[doc = include_str!("../../../docs/embedding.md")]
struct Embedding;

pub use builder::Builder;
pub use drive::Drive;
pub use error::Error;
pub use presets::Text;
pub use request::{Completion, OPS, Op, Request, op_number, op_of_number};
pub use statistics::{Config, EngineFigures, Statistics};
pub use wordline_engine::Kept;
pub use wordline_engine::device::PowerLoss;
