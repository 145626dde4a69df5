//! The contract of a system.

use crate::action::Action;
use crate::events::{Access, AllowedPlanes, Distance, Event, WornBlock, WritePlace};
use crate::plan::Plan;
use crate::view::DriveView;
use crate::watches::Watches;
use wordline_base::ids::{DieId, Lpa, SuperblockId};
use wordline_config::{ConfigError, SchemeConfig, StartConfig};
use wordline_flash::nand::Geometry;
use wordline_ftl::blocks::Domains;
use wordline_ftl::mapping::{Found, Lookup};
use wordline_ftl::placement::{PlaneSet, ProgramIntent};
use wordline_ftl::replicate::{CopyBudget, Reservation, Reserved, Serving};

/// A named figure of a system's own, for results.
pub type Figure = (&'static str, u64);

/// A scheme that spans slots. Every method has a default that does nothing.
///
/// An implementation decides from its own state and the read-only view. It has no clock and no randomness but what it was
/// given at its making, so that runs repeat. It is told of an [`Event`] after the engine's tables have changed.
pub trait System {
    /// Short name, as in results.
    fn name(&self) -> &str;

    /// What it wants to be told of; asked once.
    fn watches(&self) -> Watches {
        Watches::NOTHING
    }

    /// Something happened that it watches for, or that concerns it alone.
    fn told(&mut self, _event: &Event, _drive: &DriveView<'_>, _actions: &mut Vec<Action>) {}

    /// Where a logical page is, asked before the mapping policy; `None` leaves the answer to that policy. The rules of
    /// [`Mapping::find`](wordline_ftl::mapping::Mapping::find) hold.
    fn find(&mut self, _lookup: &Lookup, _drive: &DriveView<'_>) -> Option<Found> {
        None
    }

    /// Which planes a program may go to, asked before the placement is: it puts them into `planes`, which is empty. The first
    /// system that doesn't answer [`AllowedPlanes::All`] decides; the placement chooses among those planes. Asked for each program
    /// that carries no pin, once for the units that go to one flash page together, and again for one that waited for space in
    /// vain; not for pages of the map, nor for further copies. A move is known by its cause.
    fn allowed_planes(
        &mut self,
        _program: &ProgramIntent,
        _drive: &DriveView<'_>,
        _planes: &mut PlaneSet,
    ) -> AllowedPlanes {
        AllowedPlanes::All
    }

    /// Where a program of the host, or of the data cache, goes: asked for each mapping unit when it would get its place, behind
    /// [`Self::allowed_planes`] and the placement, whose answer it replaces. The first system that doesn't answer [`WritePlace::Free`]
    /// decides. Units that go to one program unit while that waits are programmed together.
    fn place_write(
        &mut self,
        _program: &ProgramIntent,
        _drive: &DriveView<'_>,
        _actions: &mut Vec<Action>,
    ) -> WritePlace {
        WritePlace::Free
    }

    /// The entry of a page was looked up for the host, once for each mapping unit of a request: for a read when it goes to
    /// flash (or would, if the page held anything), for a write, or a unit that the cache writes back, when its place has been
    /// chosen, thus behind [`Self::allowed_planes`]. Returns whether that changes what is kept with the entry: then it is dirty in a
    /// cache of the map.
    fn accessed(&mut self, _access: &Access, _drive: &DriveView<'_>) -> bool {
        false
    }

    /// Whether [`Self::fetch_for_read`] does anything; asked once.
    fn fetches_ahead(&self) -> bool {
        false
    }

    /// A read of a page that lies on this die now is likely to come soon: the system may bring what it will look up then
    /// towards the caches. For speed only: reads come without this, and this without reads.
    fn fetch_for_read(&self, _lpa: Lpa, _die: DieId, _distance: Distance) {}

    /// Whether the end of a read of this page is of any interest to it. Where all systems say no, none is told: for speed
    /// only.
    fn awaits(&self, _lpa: Lpa) -> bool {
        true
    }

    /// A block of a full superblock has been read too often (`scheme.reclaim`): a plan that takes its pages elsewhere and
    /// erases the superblock, or `None` to leave it to the policy of read reclaim.
    fn reclaim(&mut self, _worn: &WornBlock, _drive: &DriveView<'_>) -> Option<Plan> {
        None
    }

    /// The plan that was asked for as its `number`-th (from 0) begins: these superblocks were opened for its destinations, in
    /// their order. `true`: they stay open when it ends, for further plans ([`Pin::In`](crate::Pin::In)), until [`Action::Close`].
    fn plan_started(&mut self, _number: u64, _opened: &[SuperblockId], _drive: &DriveView<'_>) -> bool {
        false
    }

    /// Refuses a drive or a scheme that it can't work with; asked once, before the drive is laid out. Names the key.
    fn check(
        &self,
        _scheme: &SchemeConfig,
        _geometry: &Geometry,
        _domains: &Domains,
        _reserved: &Reserved,
    ) -> Result<(), ConfigError> {
        Ok(())
    }

    /// Refuses a beginning of runs that it can't work from; asked once. Names the key, relative to `workload.start`.
    fn check_start(&self, _start: &StartConfig) -> Result<(), ConfigError> {
        Ok(())
    }

    /// Whether it knows where every page is from its own tables, [`Self::bytes`]: then the mapping policy's take no memory.
    fn holds_map(&self) -> bool {
        false
    }

    /// Most copies that it may have; asked once, before the drive is laid out.
    fn copies(&self) -> CopyBudget {
        CopyBudget::None
    }

    /// Space that it wants reserved; asked once, before the drive is laid out.
    fn reservation(&self) -> Reservation {
        Reservation::default()
    }

    /// Which of these copies, one of which at least is its own, serves a read; `None` leaves it to the arbiter.
    fn serve(&mut self, _read: &Serving<'_>, _drive: &DriveView<'_>) -> Option<usize> {
        None
    }

    /// Bytes of controller memory that its structures take now, as its source counts them.
    fn bytes(&self) -> u64 {
        0
    }

    /// What it did in the measured window, by name; in results below `systems`.
    fn figures(&self) -> Vec<Figure> {
        Vec::new()
    }

    /// The measured window opens: what it counted so far is forgotten.
    fn window_opens(&mut self) {}

    wordline_base::state_methods!(System);
}
