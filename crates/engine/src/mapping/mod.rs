//! Address translation: from logical to physical pages.

pub mod copies;
pub mod layout;
pub mod page;

pub use copies::{Copies, FurtherCopy};
pub use layout::Layout;
pub use page::PageMap;
