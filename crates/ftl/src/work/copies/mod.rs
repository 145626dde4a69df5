//! Further copies of pages: made, moved, dropped, chosen to serve a read.

pub(crate) mod audit;
pub(crate) mod choice;
pub(crate) mod making;
pub(crate) mod space;
