//! Blocks and superblocks: which planes belong together, what each holds, which are free, where writing goes on.

pub mod domains;
pub mod history;
pub mod table;
pub mod write_point;

pub use domains::Domains;
pub use history::Needs;
pub use table::{BlockState, BlockTable};
pub use write_point::WritePoint;
