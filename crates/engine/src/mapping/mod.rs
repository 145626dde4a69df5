//! Address translation: from logical to physical pages.

pub mod layout;
pub mod page;
pub mod parity_layout;

pub use layout::Layout;
pub use page::PageMap;
pub use parity_layout::ParityLayout;
