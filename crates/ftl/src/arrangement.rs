//! How a drive is arranged before anything is on it: what is reserved, which planes form superblocks, who writes where,
//! and what that leaves for the host.

use crate::blocks::{Domains, Points};
use crate::replicate::reservation::Reserved;
use crate::space::SpacePlan;
use wordline_base::ids::PlaneId;
use wordline_flash::nand::Geometry;

/// A drive on paper.
pub struct Arrangement {
    /// Counts and addresses.
    pub geometry: Geometry,
    /// Planes that data of the host may be on, in the order of placement.
    pub plane_at: Vec<PlaneId>,
    /// Which planes form superblocks.
    pub domains: Domains,
    /// Who writes where.
    pub points: Points,
    /// What is reserved.
    pub reserved: Reserved,
    /// What that leaves.
    pub plan: SpacePlan,
    /// Most copies of each system, mapping units.
    pub budgets: Vec<u32>,
}
