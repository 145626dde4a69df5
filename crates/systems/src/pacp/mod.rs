//! Reads and writes on channels of their own: pages that are predicted to be read go to read channels, those that are predicted
//! to be written to write channels.
//!
//! H. J. Lim, D. Shin, T. H. Han, "Parallelism-Aware Channel Partition for Read/Write Interference Mitigation in Solid-State
//! Drives", Electronics 11(23), 2022 (PACP). Sections are that paper's. Without a way out when the channels are busy and with a
//! split that stays it is the static partition that the paper compares with (Lv et al., DAC 2020). `docs/pacp.md` says where
//! the papers had to be read.

pub mod channels;
pub mod history;
mod idle;

use serde::{Deserialize, Serialize};

use super::{Access, Action, AllowedPlanes, DriveView, Event, Figure, System, Watches};
use channels::{Channels, Kind, read_channels};
use history::{History, Majority};
use wordline_base::class::{Cause, Class};
use wordline_base::ids::{DieId, Lpa, PlaneId, Ppa};
use wordline_base::snapshot::Stored;
use wordline_config::partition::{Adapts, BusyChannel, FirstReads, PartitionConfig, WhenBusy};
use wordline_config::scheme::{PlacementKind, SuperblockSpan};
use wordline_config::{ConfigError, DeviceConfig, SchemeConfig};
use wordline_flash::nand::Geometry;
use wordline_ftl::blocks::Domains;
use wordline_ftl::placement::{PlaneSet, ProgramIntent};
use wordline_ftl::replicate::Reserved;
use wordline_ftl::space::described_units;

/// Bytes of the count of pages to be read that is kept for each block, to find what is to be migrated.
const COUNT_BYTES: u64 = 2;

/// What it did in the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Counters {
    accesses: u64,
    predictions: u64,
    right: u64,
    without_history: u64,
    ties: u64,
    /// Programs predicted to be read, to be written.
    placed: [u64; 2],
    /// Of those, which went to the other channels since theirs were busy, and since they had no room.
    left_busy: [u64; 2],
    left_full: [u64; 2],
    piggybacked: u64,
    stayed: u64,
    idle_plans: u64,
    migrated_at_idle: u64,
    adjustments: u64,
    switches: u64,
}

/// The system.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Partition {
    #[serde(skip)]
    config: PartitionConfig,
    /// Mapping units that the host sees, as far as the description of the drive tells.
    entries: u64,
    blocks: u64,
    history: History,
    channels: Channels,
    /// Pages predicted to be read by superblock; of those that no page was counted on, nothing.
    to_be_read: Vec<u32>,
    /// Accesses since the last adjustment.
    since: u64,
    /// Whether the split stays as it is.
    fixed: bool,
    /// Whether a plan of it is under way.
    migrating: bool,
    /// Programs of any cause, and those of migration at idle time, since the window opened.
    programs: [u64; 2],
    counters: Counters,
}

impl Stored for Partition {
    fn take_up(&mut self, saved: Self) -> Option<()> {
        let fits = (saved.entries, saved.blocks) == (self.entries, self.blocks)
            && saved.channels.fits(&self.channels)
            && saved.history.fits(&self.history)
            && [0, self.blocks].contains(&(saved.to_be_read.len() as u64));
        fits.then(|| *self = Self { config: std::mem::take(&mut self.config), ..saved })
    }
}

/// What a page is predicted to get next, and whether only its channel tells.
type Prediction = Option<(Kind, bool)>;

impl Partition {
    /// For a drive.
    pub fn new(config: &PartitionConfig, device: &DeviceConfig) -> Self {
        let geometry = Geometry::new(&device.geometry);
        let entries = described_units(device, &geometry);
        Self {
            config: config.clone(),
            entries: u64::from(entries),
            blocks: u64::from(geometry.planes()) * u64::from(geometry.blocks_per_plane),
            history: History::new(entries, config.history),
            channels: Channels::default(),
            to_be_read: Vec::new(),
            since: 0,
            fixed: config.adapts == Adapts::Never,
            migrating: false,
            programs: [0; 2],
            counters: Counters::default(),
        }
    }

    /// Gets to know the drive: which planes of each channel are the host's.
    fn look_at(&mut self, drive: &DriveView<'_>) {
        if !self.channels.is_empty() {
            return;
        }
        let geometry = drive.geometry();
        let mut planes = vec![Vec::new(); geometry.channels as usize];
        for plane in (0..geometry.planes()).map(PlaneId) {
            let die = geometry.die_of(plane).0;
            if !drive.is_reserved(die)
                && let Some(planes) = planes.get_mut(geometry.channel_of(die) as usize)
            {
                planes.push(plane);
            }
        }
        let count = planes.iter().filter(|planes| !planes.is_empty()).count() as u32;
        let half = self.config.first_read_channels.unwrap_or(count / 2);
        self.channels = Channels::new(planes, half.clamp(1, count.max(2) - 1));
        self.to_be_read = vec![0; self.blocks as usize];
    }

    fn channel_of(drive: &DriveView<'_>, ppa: Ppa) -> u32 {
        drive.geometry().channel_of(drive.die_of(ppa))
    }

    /// What a page that lies there gets next (§3.1): what most of its requests were; where there were as many of each, what
    /// its channel is for (§3.2, lines 18 to 23 of Algorithm 1: to be read, where it lies nowhere).
    fn predict(&self, lpa: Lpa, place: Ppa, drive: &DriveView<'_>) -> Prediction {
        match self.history.of(lpa).majority() {
            Majority::Unknown => None,
            Majority::Read => Some((Kind::Read, false)),
            Majority::Write => Some((Kind::Write, false)),
            Majority::Tie if place.is_some() => {
                Some((self.channels.kind(Self::channel_of(drive, place)), true))
            }
            Majority::Tie => Some((Kind::Read, true)),
        }
    }

    /// Whether the channels of a kind have no room for data of the host.
    fn is_full(&self, kind: Kind, drive: &DriveView<'_>) -> bool {
        !self.channels.planes(kind).iter().any(|plane| drive.has_room(plane))
    }

    /// Whether all channels of a kind are busy.
    fn is_busy(&self, kind: Kind, drive: &DriveView<'_>) -> bool {
        self.channels.of(kind).all(|channel| self.channel_is_busy(channel, drive))
    }

    fn channel_is_busy(&self, channel: u32, drive: &DriveView<'_>) -> bool {
        let geometry = drive.geometry();
        let of_channel = geometry.ways * geometry.dies_per_chip;
        let mut dies = (channel * of_channel..(channel + 1) * of_channel)
            .map(DieId)
            .filter(|&die| !drive.is_reserved(die));
        let has_work = |die: DieId| drive.outstanding().get(die.index()).is_some_and(|&load| load > 0);
        match self.config.busy {
            BusyChannel::AllDies => dies.all(has_work),
            BusyChannel::AnyDie => dies.any(has_work),
            BusyChannel::Bus => drive.bus_is_busy(channel),
        }
    }

    /// The channels for a page that the host writes (Algorithm 1). Those without room count as busy.
    fn choose(&mut self, kind: Kind, tie: bool, drive: &DriveView<'_>) -> Option<Kind> {
        let full = self.is_full(kind, drive);
        let asks = self.config.when_busy != WhenBusy::Wait && !tie;
        let stays = !full && (!asks || !self.is_busy(kind, drive));
        if stays {
            return Some(kind);
        }
        if self.is_full(kind.other(), drive) {
            // Neither has room: wherever the placement finds some.
            return (!full).then_some(kind);
        }
        if !full && self.config.when_busy == WhenBusy::OtherIfIdle && self.is_busy(kind.other(), drive) {
            return Some(kind);
        }
        let left = if full { &mut self.counters.left_full } else { &mut self.counters.left_busy };
        if let Some(left) = left.get_mut(kind.index()) {
            *left += 1;
        }
        Some(kind.other())
    }

    fn planes_for_write(
        &mut self,
        program: &ProgramIntent,
        drive: &DriveView<'_>,
        planes: &mut PlaneSet,
    ) -> AllowedPlanes {
        let counts = program.first_read && self.config.first_reads == FirstReads::ReadChannels;
        let known = self.predict(program.lpa, drive.find(program.lpa), drive);
        let Some((kind, tie)) = known.or(counts.then_some((Kind::Read, false))) else {
            self.counters.without_history += 1;
            return AllowedPlanes::All;
        };
        self.counters.ties += u64::from(tie);
        if let Some(placed) = self.counters.placed.get_mut(kind.index()) {
            *placed += 1;
        }
        let Some(chosen) = self.choose(kind, tie, drive) else { return AllowedPlanes::All };
        planes.copy_from(self.channels.planes(chosen));
        AllowedPlanes::Listed
    }

    /// Where a page goes that moves: to a read channel, if it is to be read and lies on a write channel.
    fn planes_for_move(
        &mut self,
        program: &ProgramIntent,
        drive: &DriveView<'_>,
        planes: &mut PlaneSet,
    ) -> AllowedPlanes {
        let wanted = match program.cause {
            Cause::Gc => self.config.migrate_with_gc,
            Cause::Migration => self.config.migrate_at_idle,
            _ => false,
        };
        if !(wanted && self.is_misplaced(program.lpa, program.source, drive)) {
            return AllowedPlanes::All;
        }
        let has_room = |plane: PlaneId| match program.cause {
            Cause::Gc => drive.has_room_for_move(plane, program.cause),
            // What a plan moves waits for space like what the host writes.
            _ => drive.has_room(plane),
        };
        let with_room = self.channels.planes(Kind::Read).iter().filter(|&plane| has_room(plane));
        let mut any = false;
        with_room.for_each(|plane| {
            any = true;
            planes.insert(plane);
        });
        if any {
            return AllowedPlanes::Listed;
        }
        self.counters.stayed += 1;
        AllowedPlanes::All
    }

    /// Whether a page that is to be read lies on a write channel.
    fn is_misplaced(&self, lpa: Lpa, place: Ppa, drive: &DriveView<'_>) -> bool {
        self.history.of(lpa).majority() == Majority::Read
            && self.channels.kind(Self::channel_of(drive, place)) == Kind::Write
    }

    /// A page lies there from now on.
    fn add(&mut self, majority: Majority, place: Ppa, drive: &DriveView<'_>) {
        if place.is_some() {
            self.channels.add(Self::channel_of(drive, place), majority);
            if majority == Majority::Read
                && let Some(count) = self.to_be_read.get_mut(drive.superblock_of(place).index())
            {
                *count += 1;
            }
        }
    }

    /// A page lies there no more.
    fn remove(&mut self, majority: Majority, place: Ppa, drive: &DriveView<'_>) {
        if place.is_some() {
            self.channels.remove(Self::channel_of(drive, place), majority);
            if majority == Majority::Read
                && let Some(count) = self.to_be_read.get_mut(drive.superblock_of(place).index())
            {
                *count = count.saturating_sub(1);
            }
        }
    }

    fn relocate(&mut self, lpa: Lpa, old: Ppa, new: Ppa, drive: &DriveView<'_>) {
        self.look_at(drive);
        let majority = self.history.of(lpa).majority();
        self.remove(majority, old, drive);
        self.add(majority, new, drive);
    }

    fn count_program(&mut self, cause: Cause) {
        let [all, at_idle] = &mut self.programs;
        *all += 1;
        *at_idle += u64::from(cause == Cause::Migration);
    }

    /// Makes the split follow the pages of each type, when it is time (§3.2).
    fn adjust(&mut self) {
        self.since += 1;
        if self.fixed || self.since < self.config.interval_accesses {
            return;
        }
        self.since = 0;
        self.divide();
    }

    /// Divides the channels by the pages of each type, if there are any.
    fn divide(&mut self) {
        let (read, written) = (self.channels.predicted(Kind::Read), self.channels.predicted(Kind::Write));
        if let Some(reads) = read_channels(self.channels.count(), read, written, self.config.rounding) {
            self.counters.adjustments += 1;
            self.counters.switches += u64::from(self.channels.split(reads));
        }
    }
}

impl System for Partition {
    fn name(&self) -> &str {
        "partition"
    }

    fn watches(&self) -> Watches {
        let always = Watches::PLACEMENT.and(Watches::ACCESS).and(Watches::ALLOCATED).and(Watches::TRIMMED);
        let mut watches = always.and(Watches::WRITTEN).and(Watches::MOVED);
        if self.config.migrate_with_gc || self.config.migrate_at_idle {
            watches = watches.and(Watches::MOVES_PLACEMENT);
        }
        if self.config.migrate_at_idle {
            watches = watches.and(Watches::IDLE);
        }
        watches
    }

    fn check(
        &self,
        scheme: &SchemeConfig,
        geometry: &Geometry,
        _domains: &Domains,
        reserved: &Reserved,
    ) -> Result<(), ConfigError> {
        let planes_of = geometry.planes() / geometry.channels.max(1);
        let is_used = |channel: &u32| {
            (channel * planes_of..(channel + 1) * planes_of).any(|plane| !reserved.has(PlaneId(plane)))
        };
        let channels = (0..geometry.channels).filter(is_used).count() as u32;
        if channels < 2 {
            let allowed = "at least 2 that are not reserved, beside scheme.partition.enabled";
            return Err(ConfigError::new("device.geometry.channels", geometry.channels, allowed));
        }
        if let Some(reads) = self.config.first_read_channels.filter(|&reads| reads >= channels) {
            let allowed = format!("1 to {}, so that a channel is left for writes", channels - 1);
            return Err(ConfigError::new("scheme.partition.first_read_channels", reads, allowed));
        }
        if scheme.placement.policy != PlacementKind::Dynamic {
            let allowed = "\"dynamic\" beside scheme.partition.enabled: a static one leaves no choice";
            return Err(ConfigError::new("scheme.placement.policy", "\"static\"", allowed));
        }
        let span = match scheme.blocks.superblock {
            SuperblockSpan::Channels => "\"channels\"",
            SuperblockSpan::Drive => "\"drive\"",
            SuperblockSpan::None | SuperblockSpan::Die | SuperblockSpan::Chip => return Ok(()),
        };
        let allowed =
            "\"none\", \"die\" or \"chip\" beside scheme.partition.enabled: no superblock may span channels";
        Err(ConfigError::new("scheme.blocks.superblock", span, allowed))
    }

    fn allowed_planes(
        &mut self,
        program: &ProgramIntent,
        drive: &DriveView<'_>,
        planes: &mut PlaneSet,
    ) -> AllowedPlanes {
        self.look_at(drive);
        if Class::read_for(program.cause).is_move() {
            self.planes_for_move(program, drive, planes)
        } else {
            self.planes_for_write(program, drive, planes)
        }
    }

    fn accessed(&mut self, access: &Access, drive: &DriveView<'_>) -> bool {
        self.look_at(drive);
        let &Access { lpa, write } = access;
        let place = drive.find(lpa);
        self.counters.accesses += 1;
        if let Some((kind, _)) = self.predict(lpa, place, drive) {
            self.counters.predictions += 1;
            self.counters.right += u64::from((kind == Kind::Write) == write);
        }
        let before = self.history.of(lpa);
        let after = self.history.record(lpa, write);
        if before.majority() != after.majority() {
            self.remove(before.majority(), place, drive);
            self.add(after.majority(), place, drive);
        }
        self.adjust();
        before != after
    }

    fn told(&mut self, event: &Event, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        match *event {
            Event::Allocated { lpa, ppa } => self.allocated(lpa, ppa, drive),
            Event::Trimmed { lpa, old } => self.trimmed(lpa, old, drive),
            Event::Written { lpa, old, new } => self.written(lpa, old, new, drive),
            Event::Moved { lpa, old, new, cause } => self.moved(lpa, old, new, cause, drive),
            Event::Idle => self.idle(drive, actions),
            Event::PlanDone(_) => self.plan_done(drive, actions),
            _ => {}
        }
    }

    /// The bits of the history with each entry of the map, and a count for each block.
    fn bytes(&self) -> u64 {
        let bits = self.entries * u64::from(History::bits_of_entry(self.config.history));
        let counts = if self.config.migrate_at_idle { self.blocks * COUNT_BYTES } else { 0 };
        bits.div_ceil(8) + counts
    }

    fn figures(&self) -> Vec<Figure> {
        let Counters { accesses, predictions, right, without_history, ties, .. } = self.counters;
        let Counters { placed: [to_be_read, to_be_written], .. } = self.counters;
        let Counters { left_busy: [reads_left_busy, writes_left_busy], .. } = self.counters;
        let Counters { left_full: [reads_left_full, writes_left_full], .. } = self.counters;
        let Counters { piggybacked, stayed, idle_plans, migrated_at_idle, .. } = self.counters;
        let Counters { adjustments, switches, .. } = self.counters;
        let pages = |on, predicted| self.channels.pages_of(on, predicted);
        vec![
            ("accesses", accesses),
            ("predictions", predictions),
            ("predictions_right", right),
            ("programs_without_history", without_history),
            ("programs_of_ties", ties),
            ("programs_to_be_read", to_be_read),
            ("programs_to_be_written", to_be_written),
            ("left_read_channels_busy", reads_left_busy),
            ("left_read_channels_full", reads_left_full),
            ("left_write_channels_busy", writes_left_busy),
            ("left_write_channels_full", writes_left_full),
            ("piggybacked", piggybacked),
            ("stayed_without_room", stayed),
            ("idle_plans", idle_plans),
            ("migrated_at_idle", migrated_at_idle),
            ("adjustments", adjustments),
            ("switches", switches),
            ("read_channels", u64::from(self.channels.count_of(Kind::Read))),
            ("write_channels", u64::from(self.channels.count_of(Kind::Write))),
            ("read_pages_on_read_channels", pages(Kind::Read, Kind::Read)),
            ("read_pages_on_write_channels", pages(Kind::Write, Kind::Read)),
            ("written_pages_on_read_channels", pages(Kind::Read, Kind::Write)),
            ("written_pages_on_write_channels", pages(Kind::Write, Kind::Write)),
        ]
    }

    fn window_opens(&mut self) {
        if self.config.adapts == Adapts::WarmUp && self.counters.adjustments == 0 {
            // A warm-up that is shorter than an interval divides the channels at its end.
            self.divide();
        }
        (self.counters, self.programs) = (Counters::default(), [0; 2]);
        self.fixed |= self.config.adapts == Adapts::WarmUp;
    }
}

impl Partition {
    fn allocated(&mut self, lpa: Lpa, ppa: Ppa, drive: &DriveView<'_>) {
        self.relocate(lpa, Ppa::NONE, ppa, drive);
    }

    fn trimmed(&mut self, lpa: Lpa, old: Ppa, drive: &DriveView<'_>) {
        self.relocate(lpa, old, Ppa::NONE, drive);
        self.history.forget(lpa);
    }

    fn written(&mut self, lpa: Lpa, old: Ppa, new: Ppa, drive: &DriveView<'_>) {
        self.count_program(Cause::Host);
        self.relocate(lpa, old, new, drive);
    }

    fn moved(&mut self, lpa: Lpa, old: Ppa, new: Ppa, cause: Cause, drive: &DriveView<'_>) {
        self.count_program(cause);
        self.relocate(lpa, old, new, drive);
        if Self::channel_of(drive, old) != Self::channel_of(drive, new) {
            self.counters.piggybacked += u64::from(cause == Cause::Gc);
            self.counters.migrated_at_idle += u64::from(cause == Cause::Migration);
        }
    }

    fn idle(&mut self, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        self.migrate(drive, actions);
    }

    fn plan_done(&mut self, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        self.migrating = false;
        self.migrate(drive, actions);
    }
}
