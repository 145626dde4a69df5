//! Address translation: from logical to physical pages.
//!
//! The engine's own page map is the truth about where everything is. A mapping policy decides what of it the firmware
//! knows at a moment, and what finding out costs: a read of a translation page, or a read at a place that was guessed.

mod capacity;
mod changes;
pub mod copies;
mod dealt;
pub mod demand;
pub mod fetched_layout;
pub mod journaled;
pub mod layout;
mod lists;
pub mod page;
mod page_order;
pub mod parity_layout;
pub mod part;
pub mod run;
pub mod scattered;
pub mod segments;
pub mod tpftl;
pub mod used;
pub mod view;

use wordline_base::class::Cause;
use wordline_base::ids::{Lpa, Ppa};
use wordline_base::policies;
use wordline_base::snapshot::Stored;
use wordline_config::scheme::{MappingConfig, MappingKind};

pub use copies::{Copies, FurtherCopy};
pub use demand::Demand;
pub use journaled::Journaled;
pub use layout::Layout;
pub use page::{PageMap, WholeMap};
pub use parity_layout::ParityLayout;
pub use segments::Segments;
pub use tpftl::Tpftl;
pub use view::{MapSizes, MapView};

/// A question of the engine: where is this page?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// Logical page of the host.
    pub lpa: Lpa,
    /// Whether its entry is about to change: the page will be written.
    pub write: bool,
    /// Logical pages of the same request from this one on, itself among them; 1 for what no request asks.
    pub units: u32,
    /// The flow (tenant) of that request; `None` for what no request asks: write-backs of the data cache, preparation.
    pub flow: Option<u16>,
}

impl Lookup {
    /// Of a page by itself.
    pub fn alone(lpa: Lpa, write: bool) -> Self {
        Self { lpa, write, units: 1, flow: None }
    }
}

/// What the firmware knows of where a logical page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// Its entry is in DRAM, and says this; [`Ppa::NONE`] for a page that holds no data. It must be what
    /// [`MapView::find`] says.
    Known(Ppa),
    /// This translation page must be read. A map whose pages are of any size numbers them as it likes, below
    /// [`MapSizes::translation_pages`], of which `translation_entry_bytes` makes more; which lie on flash at the start goes by
    /// [`MapSizes::page_of`] unless all do.
    Load(u32),
    /// It may be here: the engine reads, compares the logical page in the OOB, and asks again when it was wrong.
    /// In answer to a write of a whole page it counts as known: nothing needs to be read then.
    Guess(Ppa),
}

/// An entry of the map changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Update {
    /// Logical page of the host.
    pub lpa: Lpa,
    /// Where it was; [`Ppa::NONE`] if it held nothing.
    pub old: Ppa,
    /// Where it is; [`Ppa::NONE`] after a TRIM.
    pub new: Ppa,
    /// Why.
    pub cause: Cause,
}

/// A translation page is to be programmed, with what its entries are when its program begins; or a page of the journal, with
/// the changes that were gathered for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct WriteBack {
    /// Translation page; behind the last one the journal's pages follow.
    pub page: u32,
    /// All its entries are in DRAM, so that it needn't be read first.
    pub whole: bool,
}

/// A rule by which entries or translation pages are kept: the least recently used gives way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keeping {
    /// Whether translation pages are kept whole, else single entries.
    pub pages: bool,
    /// How many of them.
    pub room: u32,
    /// How many of these places are for those that were used again, until others push them back.
    pub protected: u32,
    /// Whether the change of an entry that isn't kept and wasn't looked up takes it in.
    pub takes_in_changes: bool,
    /// Most changes of entries that aren't kept; the oldest ones' page is written with all that is changed of it.
    pub held_changes: u32,
}

/// Decides what the firmware knows of the map.
///
/// A policy is told of every change and may look at the whole map through its view, but must not say more than its
/// own tables would hold. Every answer is checked: a wrong [`Found::Known`], a translation page or a guess beyond the
/// drive, or asking for the same page again and again, ends the run with an error that names it. It is asked once for
/// each mapping unit that the host reads or writes, and again when the page that it asked for is there and after a
/// wrong guess. Moves don't ask: the drive finds the logical page in the OOB.
pub trait Mapping {
    /// Short name, as in results.
    fn name(&self) -> &str;

    /// Where a page is, as far as the firmware knows.
    fn find(&mut self, lookup: &Lookup, view: &MapView<'_>) -> Found;

    /// The translation page that this look-up asked for is in the controller; [`Mapping::find`] follows at
    /// once for each page that waited for it. Entries that had to make room may have to be written.
    fn loaded(&mut self, _page: u32, _lookup: &Lookup, _view: &MapView<'_>, _writes: &mut Vec<WriteBack>) {}

    /// There was something else at the place guessed: this logical page, or none that could be told ([`Lpa::NONE`]).
    fn wrong_guess(&mut self, _lpa: Lpa, _guessed: Ppa, _found: Lpa) {}

    /// An entry changed: what must be written now?
    fn updated(&mut self, _update: &Update, _view: &MapView<'_>, _writes: &mut Vec<WriteBack>) {}

    /// An entry is about to change: brings what [`Mapping::updated`] looks at towards the processor's caches. Changes nothing else.
    fn fetch(&self, _lpa: Lpa) {}

    /// A superblock has been erased: what must be written now?
    fn erased(&mut self, _writes: &mut Vec<WriteBack>) {}

    /// Whether a page whose entry pushed out another waits until that one is written.
    fn waits_for_evictions(&self) -> bool {
        false
    }

    /// Whether what it asks to be written keeps the map on flash complete, but for entries that [`Self::is_dirty`].
    /// Checked mode then verifies that no change of an entry is ever lost.
    fn keeps_map_on_flash(&self) -> bool {
        false
    }

    /// Whether this entry is in DRAM and newer than on flash.
    fn is_dirty(&self, _lpa: Lpa) -> bool {
        false
    }

    /// Entries in DRAM now.
    fn cached_entries(&self) -> u64 {
        0
    }

    /// Those of them that are newer than on flash.
    fn dirty_entries(&self) -> u64 {
        0
    }

    /// Bytes of controller memory reserved for its tables.
    fn bytes(&self) -> u64 {
        0
    }

    /// By which rule it keeps what is looked up while so many logical pages hold data, where that rule is one of those whose outcome
    /// is known as a formula.
    fn keeping(&self, _occupied: u32) -> Option<Keeping> {
        None
    }

    /// So many entries come before the first request: room for them may be taken at once.
    fn expect(&mut self, _entries: u64) {}

    wordline_base::state_methods!(Mapping);
}

policies!(MappingPolicy, "mapping policy", rebuilt: [Page], stored: [Demand, Segments, Journaled, Tpftl]);

impl Stored for Demand {}
impl Stored for Segments {}
impl Stored for Tpftl {}

/// The built-in policies, and a user's own.
pub enum MappingPolicy {
    /// The whole map in DRAM.
    Page(WholeMap),
    /// Entries cached on demand.
    Demand(Box<Demand>),
    /// Translation pages cached whole.
    Segments(Box<Segments>),
    /// Entries cached by translation page, and fetched ahead.
    Tpftl(Box<Tpftl>),
    /// The whole map in DRAM, kept on flash by a journal.
    Journaled(Box<Journaled>),
    /// A user's own.
    Custom(Box<dyn Mapping + Send>),
}

impl MappingPolicy {
    /// The one that a scheme names, for a drive with superblocks of so many mapping units of so many bytes.
    pub fn new(config: &MappingConfig, sizes: MapSizes, superblock_units: u32, unit_bytes: u32) -> Self {
        match config.policy {
            MappingKind::Page => Self::Page(WholeMap::new(sizes, config.translation_entry_bytes)),
            MappingKind::Demand => Self::Demand(Box::new(Demand::new(config, sizes, superblock_units))),
            MappingKind::Segments => Self::Segments(Box::new(Segments::new(config, sizes, superblock_units))),
            MappingKind::Tpftl => Self::Tpftl(Box::new(Tpftl::new(config, sizes, superblock_units))),
            MappingKind::Journaled => Self::Journaled(Box::new(Journaled::new(config, sizes, unit_bytes))),
        }
    }

    /// Through the trait.
    #[inline]
    pub fn get(&self) -> &dyn Mapping {
        match self {
            Self::Page(policy) => policy,
            Self::Demand(policy) => &**policy,
            Self::Segments(policy) => &**policy,
            Self::Tpftl(policy) => &**policy,
            Self::Journaled(policy) => &**policy,
            Self::Custom(policy) => &**policy,
        }
    }

    /// The same, to change it.
    #[inline]
    pub fn get_mut(&mut self) -> &mut dyn Mapping {
        match self {
            Self::Page(policy) => policy,
            Self::Demand(policy) => &mut **policy,
            Self::Segments(policy) => &mut **policy,
            Self::Tpftl(policy) => &mut **policy,
            Self::Journaled(policy) => &mut **policy,
            Self::Custom(policy) => &mut **policy,
        }
    }

    /// [`Mapping::find`], without a virtual call for the built-in ones.
    #[inline]
    pub fn find(&mut self, lookup: &Lookup, view: &MapView<'_>) -> Found {
        match self {
            Self::Page(policy) => policy.find(lookup, view),
            Self::Demand(policy) => policy.find(lookup, view),
            Self::Segments(policy) => policy.find(lookup, view),
            Self::Tpftl(policy) => policy.find(lookup, view),
            Self::Journaled(policy) => policy.find(lookup, view),
            Self::Custom(policy) => policy.find(lookup, view),
        }
    }
}
