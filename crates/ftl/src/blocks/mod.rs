//! Blocks and superblocks: which planes belong together, what each holds, which are free, where writing goes on.

pub mod bad;
pub mod domains;
pub mod end_of_life;
pub mod free_list;
pub mod history;
pub mod isolation;
pub mod mixing;
pub mod order;
pub mod points;
pub mod separation;
pub mod slc_cache;
pub mod steady;
pub mod stripes;
pub mod table;
pub mod together;
pub mod write_point;

pub use domains::Domains;
pub use end_of_life::EndOfLife;
pub use free_list::FreeList;
pub use history::Needs;
pub use isolation::Isolated;
pub use points::Points;
pub use stripes::Stripes;
pub use table::{BlockState, BlockTable};
pub use write_point::WritePoint;
