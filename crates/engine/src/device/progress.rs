//! Dies and channels get on: transfers are granted, arrays finish, operations are suspended and resumed.

use super::Device;
use super::rebuild::is_source;
use crate::config::device::ChannelArbitration;
use crate::events::Event;
use crate::ids::DieId;
use crate::nand::die::{ChannelWait, Command, CommandForm, Phase, Suspended};
use crate::sched::class::{Cause, Class, FlashOp};
use crate::sched::queue::{NONE, Op, OpId};
use crate::stats::blame::Part;
use crate::time::Ns;

/// Units of a flash page whose bytes are added up in one walk over those who want them.
const UNITS_AT_ONCE: u32 = 16;

impl Device {
    /// Handles events, as long as they go before an arrival at `arrival` and before [`Self::wake_at`], until the host must
    /// hear of something: an answer, a fault, the end of the drive's life.
    pub fn advance(&mut self, arrival: Ns) {
        self.arrival = arrival;
        while !self.host_must_hear() {
            // Nearly always an event of the flash is next, and alone at its time.
            let flash = self.events.first_time();
            if flash < self.next_beside_flash().min(arrival) && flash <= self.wake_at {
                self.begin_event(flash);
                self.flash_event();
                self.finish_event();
                continue;
            }
            let (time, event) = self.next_of(self.events.first());
            let behind = event.is_some_and(Event::is_behind);
            if time == Ns::NEVER || arrival < time || (behind && arrival == time) || self.wake_at < time {
                break;
            }
            self.handle(time, event.is_some());
        }
        self.arrival = Ns::ZERO;
    }

    /// Whether there is an answer, a fault, or the end of the drive's life.
    #[inline(always)]
    fn host_must_hear(&self) -> bool {
        self.completed > 0 || self.fault.is_some() || self.end_of_life().is_some()
    }

    /// Whether the last step of an event that wants a channel is its last: nothing but dies that were touched follows it.
    /// What systems asked for, copies that were dropped, and writes that paced collection lets go on would.
    #[inline(always)]
    fn channel_request_is_last_step(&self) -> bool {
        if self.pace.as_ref().is_some_and(|pace| !pace.due.is_empty()) {
            return false;
        }
        self.is_without_hooks()
            || (self.rules.channel_request_comes_last
                && !self.systems_asked()
                && self.replication.dropped.is_empty()
                && self.wake_at > self.now)
    }

    /// Whether a request for a channel that becomes free just now is certain to be the only one among which it will choose
    /// behind all other events of this nanosecond: nothing else happens in it. To be asked in the last step of an event.
    #[inline(always)]
    fn is_only_channel_request(&self, channel: u32) -> bool {
        self.channels[channel as usize].ends_at(self.now)
            && self.arrival > self.now
            && self.events.first_time() > self.now
            && self.next_beside_flash() > self.now
            && self.touched.is_empty()
            && !self.host_must_hear()
    }

    /// Handles the next event, if there is one.
    pub fn step(&mut self) {
        let (time, event) = self.next_of(self.events.first());
        if time != Ns::NEVER && self.fault.is_none() {
            self.handle(time, event.is_some());
        }
    }

    /// Handles the event at `time`: one of the flash, or else one of the link or of the processor. These go before those
    /// of the flash at the same time.
    fn handle(&mut self, time: Ns, of_flash: bool) {
        self.begin_event(time);
        if of_flash {
            self.flash_event();
        } else {
            self.event_beside_flash(time);
        }
        self.finish_event();
    }

    #[inline(always)]
    fn begin_event(&mut self, time: Ns) {
        self.note_time(time);
        self.now = time;
        self.events_processed += 1;
    }

    /// Handles the event of the link or of the processor at `time`.
    #[inline]
    fn event_beside_flash(&mut self, time: Ns) {
        let [link_in, link_out] = self.link_event;
        if time == link_out {
            self.link_done(true);
        } else if time == link_in {
            self.link_done(false);
        } else if time == self.cpu.event() {
            self.firmware_done();
        } else {
            self.entry_is_here();
        }
    }

    #[inline(always)]
    fn flash_event(&mut self) {
        let (resource, dies) = (self.events.take_first(), self.dies.len());
        if resource < dies {
            return self.die_event(DieId(resource as u32));
        }
        self.event_beside_dies(resource);
    }

    /// Handles the event of a resource of the flash that is no die.
    #[inline(never)]
    fn event_beside_dies(&mut self, resource: usize) {
        let dies = self.dies.len();
        if resource - dies < self.channels.len() {
            self.channel_event((resource - dies) as u32);
        } else if resource < self.decoder_resource() {
            self.register_event(DieId((resource - dies - self.channels.len()) as u32));
        } else if resource == self.decoder_resource() {
            self.decoding_done();
        } else if resource == self.xor_resource() {
            self.joining_done();
        } else if resource >= self.pause_resource() {
            self.tend_cache();
        } else {
            self.dram_event();
        }
    }

    /// A die wants the channel for so long.
    #[inline(always)]
    pub(super) fn want_channel(&mut self, die: DieId, class: Class, duration: Ns) {
        let number = self.channel_of[die.index()];
        let mut is_free = self.channels[number as usize].is_free(self.now);
        if !is_free && self.channel_request_is_last_step() && self.is_only_channel_request(number) {
            // The event in which the channel chooses, without setting it.
            self.events_processed += 1;
            is_free = true;
        }
        if !is_free {
            return self.wait_for_channel(die, number, duration);
        }
        let end = self.channels[number as usize].grant(class, self.now, duration);
        self.expect_turns(number, end);
        self.channel_granted(die, end);
    }

    /// A die waits for its channel, which is taken.
    #[inline(never)]
    fn wait_for_channel(&mut self, die: DieId, number: u32, duration: Ns) {
        let command = &self.dies[die.index()].command;
        let blamed = !self.nobody_waits_for_this(command);
        let channel = &mut self.channels[number as usize];
        let wait = &mut self.dies[die.index()].channel_wait;
        wait.duration = duration;
        if blamed {
            wait.ahead = (channel.class, channel.free_at.since(self.now).0);
            channel.clock.copy_to(&mut wait.snapshot);
        }
        let first = channel.waiting.is_empty();
        let free_at = channel.free_at;
        channel.waiting.push(die);
        if first {
            let resource = self.channel_resource(number);
            self.events.set_behind(resource, free_at);
        }
    }

    /// A channel became free and somebody waits for it.
    fn channel_event(&mut self, number: u32) {
        let resource = self.channel_resource(number);
        let dies = &self.dies;
        let channel = &mut self.channels[number as usize];
        let chips = self.chips.is_some();
        let goes_first = |die: &DieId| {
            let die = &dies[die.index()];
            match self.rules.arbitration {
                // Commands that wait are those of the chip whose turn it is.
                _ if chips => die.phase == Phase::Command,
                ChannelArbitration::Fifo => true,
                ChannelArbitration::CommandFirst => die.phase == Phase::Command && die.command.is_bare(),
                ChannelArbitration::DataOutFirst => die.phase == Phase::DataWait,
            }
        };
        let alone = channel.waiting.len() <= 1;
        let place = if alone { 0 } else { channel.waiting.iter().position(goes_first).unwrap_or(0) };
        let Some(die) = channel.take(place) else { return self.serve_chips(number) };
        let blamed = !self.nobody_waits_for_this(&self.dies[die.index()].command);
        let state = &mut self.dies[die.index()];
        let channel = &mut self.channels[number as usize];
        let ChannelWait { ahead: (class, rest), snapshot, duration } = &state.channel_wait;
        let duration = *duration;
        if blamed {
            state.command.parts.add(Part::ChannelWait(*class), *rest);
            state.command.parts.add_channel_wait(&channel.clock, snapshot);
        }
        let end = channel.grant(state.command.class, self.now, duration);
        if chips || !channel.waiting.is_empty() {
            self.events.set_behind(resource, end);
        }
        self.channel_granted(die, end);
    }

    /// The channel is the die's until `end`.
    #[inline(always)]
    fn channel_granted(&mut self, die: DieId, end: Ns) {
        let beside = if self.watches_grants() { self.tell_grant(die, end) } else { None };
        let state = &mut self.dies[die.index()];
        let event = if state.phase == Phase::DataWait {
            state.phase = Phase::DataOut;
            end
        } else if let Some(event) = beside {
            event
        } else {
            state.phase = Phase::Array;
            let cell = state.command.cell;
            state.array = [end, end + cell];
            self.recorder.array_ns[die.index()] += cell.0;
            if self.rules.interrupts {
                // A read may have come while the command waited for the channel.
                self.touched.push(die);
            }
            end + cell
        };
        self.events.set(Self::die_resource(die), event);
    }

    /// Whether anybody wants to hear who has a channel, or goes on beside it.
    #[inline(always)]
    fn watches_grants(&self) -> bool {
        !self.reads_bypass_queues()
            && (self.probe.is_some() || self.monitor.chips.is_some() || self.overlap.is_on())
    }

    /// Tells those who watch that the channel is the die's until `end`. Returns the die's next event, if what is granted
    /// goes on beside its array.
    #[inline(never)]
    fn tell_grant(&mut self, die: DieId, end: Ns) -> Option<Ns> {
        self.tell_channel(die, end);
        let data = self.dies[die.index()].phase == Phase::DataWait;
        self.note_transfer(die, end, data);
        if self.overlap.is_on() && !data { self.granted_beside(die, end) } else { None }
    }

    #[inline(always)]
    fn die_event(&mut self, die: DieId) {
        match self.dies[die.index()].phase {
            Phase::Array => self.array_done(die),
            Phase::DataOut => self.data_left(die),
            Phase::Suspending => self.suspended(die),
            Phase::Moving => self.register_moved(die),
            Phase::Loading => self.loaded(die),
            // A gate opens behind which work waits.
            Phase::Idle => self.start_next(die),
            Phase::Command | Phase::DataWait | Phase::Loaded => {}
        }
    }

    #[inline(always)]
    fn array_done(&mut self, die: DieId) {
        let Command { head, class, .. } = self.dies[die.index()].command;
        if class.op() == FlashOp::Read {
            if self.overlap.read {
                return self.page_in_register(die);
            }
            return self.send_data(die, head, class);
        }
        if self.rules.fast_path_moves {
            self.end_command_on_fast_path(die);
        } else {
            if self.dies[die.index()].command.form == CommandForm::CopybackRead {
                return self.copyback_read(die);
            }
            self.pages_done(die);
        }
        self.command_done(die);
    }

    /// The pages of the die's program are programmed, or the blocks of its erase erased.
    pub(super) fn pages_done(&mut self, die: DieId) {
        let Command { mut head, class, planes, .. } = self.dies[die.index()].command;
        let program = class.op() == FlashOp::Program;
        let pages =
            if program { self.geometry.pages_at_once(self.cell_mode(self.pool[head].ppa)) } else { 1 };
        self.count(class, planes, pages);
        while head != NONE {
            let next = self.pool[head].next;
            self.change_load(die, -1);
            self.note_done(die, class, head);
            if class.op() == FlashOp::Program {
                self.program_ended(head, die);
            } else {
                self.block_erased(head);
            }
            head = next;
        }
    }

    /// The page register's content wants to leave.
    #[inline(always)]
    pub(super) fn send_data(&mut self, die: DieId, head: OpId, class: Class) {
        if class.is_move() && self.geometry.unit_shift > 0 {
            self.fetch_entries_of(head);
        }
        let bytes = self.bytes_wanted(head);
        let duration = self.transfer(bytes);
        self.charge_channel(class, bytes);
        let blamed = !self.nobody_waits_for(class);
        let state = &mut self.dies[die.index()];
        state.phase = Phase::DataWait;
        state.data_out = duration;
        if blamed {
            state.command.parts.add(Part::Transfer, duration.0);
        }
        self.want_channel(die, class, duration);
    }

    /// Bytes of a flash page that its readers want; a unit that several want moves once.
    #[inline]
    pub(super) fn bytes_wanted(&self, head: OpId) -> u32 {
        let op = &self.pool[head];
        if op.next_unit == NONE { op.bytes } else { self.bytes_of_chain(head) }
    }

    fn bytes_of_chain(&self, head: OpId) -> u32 {
        let (mut bytes, units) = (0u32, self.geometry.units_per_page());
        for first in (0..units).step_by(UNITS_AT_ONCE as usize) {
            // The most that is wanted of each unit of the page.
            let mut most = [0u32; UNITS_AT_ONCE as usize];
            for unit in self.pool.units(head) {
                let Op { ppa, bytes: wanted, .. } = self.pool[unit];
                let number = (ppa.0 & (units - 1)).wrapping_sub(first);
                let Some(before) = most.get_mut(number as usize) else { continue };
                bytes = bytes.saturating_add(wanted.saturating_sub(*before));
                *before = wanted.max(*before);
            }
        }
        bytes
    }

    /// One flash page of a read has left.
    #[inline(always)]
    fn data_left(&mut self, die: DieId) {
        let Command { head, class, planes, .. } = self.dies[die.index()].command;
        let next = self.pool[head].next;
        if self.is_read_on_fast_path(head, class) {
            self.end_read_on_fast_path(die, head, class);
        } else {
            self.change_load(die, -1);
            self.note_done(die, class, head);
            let ended = self.end_at_once(die, head, class);
            if !ended && !self.begin_decoding(head, die) {
                self.page_read(head, class, Some(die));
            }
        }
        let blamed = !self.nobody_waits_for(class);
        let state = &mut self.dies[die.index()];
        if next == NONE {
            self.count(class, planes, 1);
            return self.command_done(die);
        }
        // For the planes that follow, this transfer was a wait.
        state.command.head = next;
        if blamed {
            state.command.parts.shift(Part::Transfer, Part::ChannelWait(class), state.data_out.0);
        }
        self.send_data(die, next, class);
    }

    /// The units of a flash page are with the controller. `die` is where the command runs whose parts count for them,
    /// unless they carry those already.
    #[inline]
    pub(super) fn page_read(&mut self, head: OpId, class: Class, die: Option<DieId>) {
        let first = self.pool[head].ppa;
        let mut unit = head;
        while unit != NONE {
            let op = &mut self.pool[unit];
            let next_unit = std::mem::replace(&mut op.next_unit, NONE);
            op.last_unit = unit;
            if class == Class::HostRead && !op.partial && !op.guess && !is_source(op.request) {
                self.tell_read_done(unit);
                if self.cache.is_some() {
                    self.keep_read(unit);
                }
                self.unit_done(unit, die);
            } else {
                self.unit_read(unit, class, die, next_unit == NONE);
            }
            unit = next_unit;
        }
        if class.is_move() {
            // A plan reads pages of any domain, in whose collection that changes nothing.
            let domain = self.domain_of(first);
            self.advance_collection(domain);
        }
    }

    /// One unit is with the controller that is not what a read of the host asked for, or not all of it; `last` tells whether it is
    /// the last of its flash page.
    fn unit_read(&mut self, unit: OpId, class: Class, die: Option<DieId>, last: bool) {
        let Op { partial, guess, ppa, .. } = self.pool[unit];
        if class.is_move() {
            self.unit_read_for_move(unit);
        } else if class == Class::MapRead {
            self.map_page_read(unit, die.filter(|_| last));
        } else if guess {
            self.guess_was_wrong(unit);
        } else if class == Class::CopyRead {
            self.read_for_copy_done(unit);
        } else if partial || class.cause() == Cause::WriteBack {
            // A program follows, whose response time this is a part of.
            if let Some(die) = die {
                self.pool.parts_mut(unit).merge(&self.dies[die.index()].command.parts);
            }
            if class.cause() == Cause::WriteBack {
                return self.merged(unit);
            }
            self.pool[unit].source = ppa;
            self.program_anywhere(unit);
        } else {
            self.source_read(unit, die);
        }
    }

    #[inline(always)]
    fn command_done(&mut self, die: DieId) {
        if self.rules.fast_path_moves {
            let state = &mut self.dies[die.index()];
            (state.phase, state.command.head) = (Phase::Idle, NONE);
            return if state.waiting() != 0 {
                self.take_turn_on_fast_path(die)
            } else {
                self.start_next(die)
            };
        }
        if self.overlap.read && self.next_read_takes_over(die) {
            return;
        }
        let state = &mut self.dies[die.index()];
        (state.phase, state.command.head) = (Phase::Idle, NONE);
        self.start_next(die);
    }

    #[inline(always)]
    pub(super) fn count(&mut self, class: Class, planes: u32, pages: u32) {
        self.flash_operations += u64::from(planes * pages);
        self.recorder.operations[class.index()] += u64::from(planes * pages);
        self.recorder.transactions[class.index()] += 1;
        self.recorder.multi_plane += u64::from(planes > 1);
    }

    /// Interrupts the running program or erase at `begin`, when `left` of it remains.
    #[inline(never)]
    pub(super) fn suspend(&mut self, die: DieId, begin: Ns, left: Ns, takes: Ns) {
        self.recorder.suspensions += 1;
        self.note_array_stops(die, begin, begin + left);
        let state = &mut self.dies[die.index()];
        let mut command = state.command;
        command.suspensions += 1;
        command.parts.add(Part::Suspend, takes.0);
        let snapshot = state.clock(self.now);
        state.suspended = Some(Suspended { command, left, since: begin, snapshot });
        state.command.head = NONE;
        state.phase = Phase::Suspending;
        self.events.set(Self::die_resource(die), begin + takes);
    }

    /// The die is free for reads.
    #[inline(never)]
    fn suspended(&mut self, die: DieId) {
        let now = self.now;
        let state = &mut self.dies[die.index()];
        let snapshot = state.clock(now);
        if let Some(suspended) = &mut state.suspended {
            (suspended.since, suspended.snapshot) = (now, snapshot);
        }
        state.phase = Phase::Idle;
        self.start_next(die);
    }

    /// The interrupted command goes on.
    #[inline(never)]
    pub(super) fn resume(&mut self, die: DieId) {
        let (now, takes) = (self.now, Ns(self.rules.suspend.resume_ns));
        let reads_wait = self.open_work(die) & (1 << Class::HostRead.index()) != 0;
        let state = &mut self.dies[die.index()];
        let Some(Suspended { mut command, left, snapshot, since }) = state.suspended.take() else { return };
        if reads_wait {
            // It goes on although reads wait: they must not stop it again before it is done.
            command.suspensions = u32::MAX;
        }
        command.parts.add(Part::Suspend, takes.0);
        let clock = state.clock(now);
        command.parts.add_die_wait(&clock, &snapshot);
        if self.chips.is_some() {
            // It rested while other dies of its chip read.
            let occupied = clock.total() - snapshot.total();
            command.parts.add(Part::Chip, now.since(since).0 - occupied);
        }
        state.command = command;
        state.phase = Phase::Array;
        state.array = [now + takes, now + takes + left];
        state.occupy(Some(command.class), now);
        let [begin, end] = state.array;
        self.note_array_works(die, begin, end);
        self.tell_die(die, Some(command.class));
        self.events.set(Self::die_resource(die), end);
        self.expect_loading(die, begin);
    }
}
