//! Logical pages in equal steps.

use wordline_base::ids::Lpa;

/// Logical pages in equal steps.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// The first one.
    pub first: Lpa,
    /// From one to the next.
    pub step: u32,
    /// How many.
    pub count: usize,
}
