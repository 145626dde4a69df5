//! Chips one by one, on request: their queues, and how long their arrays work and their data moves.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use wordline_base::class::{CLASSES, Cause, Class, FlashOp};
use wordline_base::time::Ns;

/// Commands that are counted together.
const KINDS: [&str; 7] = [
    "host_read",
    "host_program",
    "map_read",
    "map_program",
    "internal_read",
    "internal_program",
    "internal_erase",
];

/// The kind of each class.
const KIND_OF: [u8; CLASSES] = {
    let (mut kinds, mut index) = ([0; CLASSES], 0);
    while index < CLASSES {
        kinds[index] = kind_of(Class::ALL[index]) as u8;
        index += 1;
    }
    kinds
};

fn kind(class: Class) -> usize {
    usize::from(KIND_OF[class.index()])
}

/// Of the host and its cache; of the map; of all else.
const fn kind_of(class: Class) -> usize {
    let owner = match class.cause() {
        Cause::Host | Cause::WriteBack => 0,
        Cause::Mapping => 2,
        _ => 4,
    };
    let operation = match class.op() {
        FlashOp::Read => 0,
        FlashOp::Program => 1,
        FlashOp::Erase => 2,
    };
    // What is erased counts together, whoever wants it.
    if owner + operation < KINDS.len() { owner + operation } else { KINDS.len() - 1 }
}

/// A queue's length over time, and how long commands waited in it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Queue {
    length: u32,
    since: Ns,
    entered: u64,
    left: u64,
    longest: u32,
    /// Length × ns, and length² × ns.
    area: u128,
    square: u128,
    waited: u64,
    longest_wait: u64,
    commands: u64,
    multi_plane: u64,
    suspensions: u64,
    done: u64,
    served_ns: u64,
    cell_ns: u64,
    transfer_ns: u64,
}

impl Queue {
    fn pass(&mut self, now: Ns) {
        if self.length > 0 {
            let (length, time) = (u64::from(self.length), u128::from(now.since(self.since).0));
            self.area += u128::from(length) * time;
            self.square += u128::from(length * length) * time;
        }
        self.since = now;
    }

    fn restart(&mut self, now: Ns) {
        *self = Self { length: self.length, longest: self.length, since: now, ..Self::default() };
    }
}

/// One chip.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Chip {
    queues: [Queue; KINDS.len()],
    /// When the arrays of its dies work that hadn't ended when that was last counted, by their begin.
    working: Vec<Working>,
    /// Until when array time is counted.
    counted: Ns,
    array_ns: u64,
    transfer_ns: u64,
    both_ns: u64,
}

/// The array of a die at work.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Working {
    die: u32,
    from: Ns,
    until: Ns,
}

/// Records chips.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ChipRecorder {
    dies: u32,
    start: Ns,
    chips: Vec<Chip>,
}

impl ChipRecorder {
    /// For a drive of so many dies, `dies_per_chip` in each chip.
    pub fn new(dies: u32, dies_per_chip: u32, now: Ns) -> Self {
        let chips = dies.div_ceil(dies_per_chip.max(1)) as usize;
        let mut this = Self { dies: dies_per_chip.max(1), start: now, chips: vec![Chip::default(); chips] };
        this.restart(now);
        this
    }

    /// Forgets all but what waits now.
    pub fn restart(&mut self, now: Ns) {
        self.start = now;
        for chip in &mut self.chips {
            chip.queues.iter_mut().for_each(|queue| queue.restart(now));
            chip.count_arrays(now);
            (chip.array_ns, chip.transfer_ns, chip.both_ns) = (0, 0, 0);
        }
    }

    fn of(&mut self, die: usize) -> Option<&mut Chip> {
        // A second server of a die counts nowhere.
        self.chips.get_mut(die / self.dies.max(1) as usize)
    }

    /// A command begins to wait.
    pub fn enters(&mut self, die: usize, class: Class, now: Ns) {
        let Some(queue) = self.of(die).map(|chip| &mut chip.queues[kind(class)]) else { return };
        queue.pass(now);
        queue.length += 1;
        queue.entered += 1;
        queue.longest = queue.longest.max(queue.length);
    }

    /// A command that waits since a time in the queue of its die waits no more.
    pub fn leaves(&mut self, die: usize, class: Class, since: Ns, now: Ns) {
        let Some(queue) = self.of(die).map(|chip| &mut chip.queues[kind(class)]) else { return };
        queue.pass(now);
        queue.length = queue.length.saturating_sub(1);
        queue.left += 1;
        let waited = now.since(since).0;
        queue.waited += waited;
        queue.longest_wait = queue.longest_wait.max(waited);
    }

    /// Commands or data of a die use the channel. Arrays that begin later than a transfer of their chip begin after it,
    /// since they wait for the same channel.
    pub fn transfers(&mut self, die: usize, class: Class, from: Ns, until: Ns) {
        let Some(chip) = self.of(die) else { return };
        chip.queues[kind(class)].transfer_ns += until.since(from).0;
        chip.transfer_ns += until.since(from).0;
        let array_until = chip.working.iter().map(|work| work.until).max().unwrap_or(from);
        chip.both_ns += array_until.min(until).since(from).0;
    }

    /// A command of so many planes begins.
    pub fn begins(&mut self, die: usize, class: Class, planes: u32) {
        let Some(queue) = self.of(die).map(|chip| &mut chip.queues[kind(class)]) else { return };
        queue.commands += 1;
        queue.multi_plane += u64::from(planes > 1);
    }

    /// So many flash pages are read or programmed, or a block is erased; they came to their die at `arrived`.
    pub fn done(&mut self, die: usize, class: Class, pages: u32, arrived: Ns, now: Ns) {
        let Some(queue) = self.of(die).map(|chip| &mut chip.queues[kind(class)]) else { return };
        queue.done += u64::from(pages);
        queue.served_ns += u64::from(pages) * now.since(arrived).0;
    }

    /// The array of a die is to work, now or later.
    pub fn works(&mut self, die: usize, class: Class, [from, until]: [Ns; 2], now: Ns) {
        let Some(chip) = self.of(die) else { return };
        chip.queues[kind(class)].cell_ns += until.since(from).0;
        chip.count_arrays(now);
        let place = chip.working.partition_point(|work| work.from <= from);
        chip.working.insert(place, Working { die: die as u32, from, until });
    }

    /// The array of a die, at work for this class until `until`, is stopped at `at`.
    pub fn stops(&mut self, die: usize, class: Class, [at, until]: [Ns; 2], now: Ns) {
        let Some(chip) = self.of(die) else { return };
        let queue = &mut chip.queues[kind(class)];
        queue.suspensions += 1;
        queue.cell_ns = queue.cell_ns.saturating_sub(until.since(at).0);
        chip.count_arrays(now);
        let stopped = chip.working.iter_mut().filter(|work| work.die == die as u32 && work.until == until);
        stopped.for_each(|work| work.until = at);
    }

    /// What was recorded until `now`.
    pub fn report(&self, now: Ns) -> Vec<ChipReport> {
        let length = now.since(self.start).0.max(1);
        self.chips.iter().map(|chip| chip.report(length, now)).collect()
    }
}

impl Chip {
    /// Time up to `now` in which the array of any die worked, ns.
    fn array_ns_at(&self, now: Ns) -> u64 {
        let (mut ns, mut counted) = (self.array_ns, self.counted);
        for work in &self.working {
            let until = work.until.min(now);
            ns += until.since(work.from.max(counted)).0;
            counted = counted.max(until);
        }
        ns
    }

    /// From now on that is counted up to `now`.
    fn count_arrays(&mut self, now: Ns) {
        (self.array_ns, self.counted) = (self.array_ns_at(now), now);
        self.working.retain(|work| work.until > now);
    }

    fn report(&self, length: u64, now: Ns) -> ChipReport {
        let named = KINDS.iter().zip(&self.queues).map(|(&name, queue)| {
            let mut queue = queue.clone();
            queue.pass(now);
            (name.to_owned(), queue.report(length))
        });
        ChipReport {
            array_ns: self.array_ns_at(now),
            transfer_ns: self.transfer_ns,
            both_ns: self.both_ns,
            queues: named.filter(|(_, queue)| queue.entered + queue.left > 0).collect(),
        }
    }
}

impl Queue {
    fn report(&self, length: u64) -> QueueReport {
        let mean = self.area as f64 / length as f64;
        let square = self.square as f64 / length as f64;
        QueueReport {
            entered: self.entered,
            left: self.left,
            mean_length: mean,
            std_length: (square - mean * mean).max(0.0).sqrt(),
            max_length: self.longest,
            mean_wait_ns: if self.left == 0 { 0.0 } else { self.waited as f64 / self.left as f64 },
            max_wait_ns: self.longest_wait,
            commands: self.commands,
            multi_plane: self.multi_plane,
            suspensions: self.suspensions,
            done: self.done,
            served_ns: self.served_ns,
            cell_ns: self.cell_ns,
            transfer_ns: self.transfer_ns,
        }
    }
}

/// A chip in the window.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChipReport {
    /// Time in which the array of any of its dies worked, ns.
    pub array_ns: u64,
    /// Time in which commands or data moved between it and the controller, ns.
    pub transfer_ns: u64,
    /// Time of both at once, ns.
    pub both_ns: u64,
    /// Its queues by kind (`host_read`, …); those in which nothing ever waited are left out.
    pub queues: BTreeMap<String, QueueReport>,
}

/// A queue of a chip in the window.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueueReport {
    /// Commands that began to wait.
    pub entered: u64,
    /// Commands that were taken.
    pub left: u64,
    /// Mean length over time.
    pub mean_length: f64,
    /// Standard deviation of the length over time.
    pub std_length: f64,
    /// Longest it was.
    pub max_length: u32,
    /// Mean wait of those that were taken, since they came to a die, ns.
    pub mean_wait_ns: f64,
    /// Longest of these waits, ns.
    pub max_wait_ns: u64,
    /// Commands that the chip began; one of several planes counts once.
    pub commands: u64,
    /// Those of several planes.
    pub multi_plane: u64,
    /// How often one was suspended.
    pub suspensions: u64,
    /// Flash pages read or programmed and blocks erased.
    pub done: u64,
    /// Sum of their times from coming to a die until they were done, ns.
    pub served_ns: u64,
    /// Array times of the commands, ns; of several planes it counts once.
    pub cell_ns: u64,
    /// Times of their commands and data on the channel, ns.
    pub transfer_ns: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_queue_s_length_is_averaged_over_time() {
        let mut chips = ChipRecorder::new(2, 2, Ns(100));
        chips.enters(0, Class::HostRead, Ns(100));
        chips.enters(1, Class::HostRead, Ns(150));
        chips.leaves(0, Class::HostRead, Ns(100), Ns(200));
        chips.leaves(1, Class::HostRead, Ns(150), Ns(300));
        let report = &chips.report(Ns(300))[0].queues["host_read"];
        assert_eq!((report.entered, report.left, report.max_length), (2, 2, 2));
        // 1 for 50 ns, 2 for 50 ns, 1 for 100 ns.
        assert_eq!((report.mean_length, report.mean_wait_ns, report.max_wait_ns), (1.25, 125.0, 150));
        assert!((report.std_length - (1.75f64 - 1.5625).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn arrays_count_once_however_many_dies_work_and_transfers_beside_them_twice() {
        let mut chips = ChipRecorder::new(4, 2, Ns::ZERO);
        chips.transfers(0, Class::GcErase, Ns(0), Ns(10));
        chips.works(0, Class::GcErase, [Ns(10), Ns(110)], Ns(10));
        chips.transfers(1, Class::GcErase, Ns(10), Ns(20));
        chips.works(1, Class::GcErase, [Ns(20), Ns(60)], Ns(20));
        chips.transfers(0, Class::GcErase, Ns(110), Ns(130));
        let report = &chips.report(Ns(200))[0];
        assert_eq!((report.array_ns, report.transfer_ns, report.both_ns), (100, 40, 10));
        chips.works(1, Class::GcErase, [Ns(130), Ns(230)], Ns(130));
        chips.stops(1, Class::GcErase, [Ns(180), Ns(230)], Ns(170));
        assert_eq!(chips.report(Ns(200))[0].array_ns, 150);
    }

    #[test]
    fn an_array_that_stops_beside_another_one_and_one_that_outlives_the_window_count_as_far_as_they_worked() {
        let mut chips = ChipRecorder::new(2, 2, Ns::ZERO);
        let class = Class::GcErase;
        chips.works(0, class, [Ns(10), Ns(1000)], Ns(0));
        chips.works(1, class, [Ns(300), Ns(700)], Ns(290));
        chips.stops(0, class, [Ns(350), Ns(1000)], Ns(345));
        chips.works(0, class, [Ns(900), Ns(5000)], Ns(900));
        assert_eq!(chips.report(Ns(1000))[0].array_ns, 690 + 100);
        chips.restart(Ns(1000));
        assert_eq!(chips.report(Ns(1250))[0].array_ns, 250, "what began before goes on");
    }
}
