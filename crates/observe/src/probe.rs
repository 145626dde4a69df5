//! A look inside for tests and tools: what the host asked, what each page read found, when requests ended.

use wordline_base::class::Class;
use wordline_base::ids::Lpa;
use wordline_base::parts::{PARTS, Part, Parts};
use wordline_base::request::HostRequest;
use wordline_base::time::Ns;
pub use wordline_flash::servers::Server;
use wordline_systems::Action;

/// Told of what happens, in order. It can't change anything.
pub trait Probe: Send {
    /// A request entered the drive. `id` counts requests from 0.
    fn arrived(&mut self, id: u64, request: &HostRequest, now: Ns);

    /// The cell read of one logical page of request `id` began; it will return this version: the number of writes
    /// and TRIMs of that page that took effect before, or `None` for a page without data. Versions need checked mode;
    /// without it they are 0.
    fn read(&mut self, id: u64, lpa: Lpa, version: Option<u32>, now: Ns);

    /// A write or TRIM of one logical page took effect: later reads see it.
    fn took_effect(&mut self, id: u64, lpa: Lpa, now: Ns);

    /// A request was completed.
    fn completed(&mut self, id: u64, latency: Ns, now: Ns);

    /// The answer of a request is certain: when the host will have it, and where its time went.
    fn answer(&mut self, _answer: &Answer<'_>) {}

    /// A die, or who serves beside it, was taken by a command, goes on with one that was suspended, or became free. A command that
    /// follows another at once ends it. `waiting` is the number of flash pages that wait or run on the die.
    fn die_taken(&mut self, _server: Server, _command: Option<DieCommand>, _waiting: u32, _now: Ns) {}

    /// A system asked for this, and it is done now. Systems are numbered in the order of a report.
    fn asked(&mut self, _system: usize, _action: &Action, _now: Ns) {}

    /// A command or data of this server moves over a channel.
    fn channel_taken(&mut self, _channel: u32, _server: Server, _class: Class, _begin: Ns, _end: Ns) {}
}

/// An answer, as a probe is told of it.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// Identity of the request, as it was told when it arrived.
    pub id: u64,
    /// What the host asked.
    pub request: &'a HostRequest,
    /// When the host had it ready.
    pub arrival: Ns,
    /// When the host has the answer.
    pub end: Ns,
    /// Whether the request counts in the results.
    pub measured: bool,
    /// Parts of its time in the drive.
    pub inside: [Option<&'a Parts>; 2],
    /// Parts before and after, ns.
    pub outside: &'a [(Part, u64)],
}

impl Answer<'_> {
    /// Nanoseconds by part, in the order of [`Part::names`]. They add up to the time from arrival to end.
    pub fn blame_ns(&self) -> [u64; PARTS] {
        let mut sums = [0; PARTS];
        let inside = self.inside.into_iter().flatten().flat_map(Parts::iter);
        for (index, ns) in inside.chain(self.outside.iter().map(|&(part, ns)| (part.index(), ns))) {
            if let Some(sum) = sums.get_mut(index) {
                *sum += ns;
            }
        }
        sums
    }
}

/// A command that takes a die, as a probe is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DieCommand {
    /// Cause and operation.
    pub class: Class,
    /// Planes that work together.
    pub planes: u32,
    /// It was suspended before.
    pub resumed: bool,
    /// The host's requests that it serves, each once.
    pub requests: Vec<u64>,
}
