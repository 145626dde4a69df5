//! Address translation: from logical to physical pages.

pub mod layout;
pub mod page;

pub use layout::Layout;
pub use page::PageMap;
