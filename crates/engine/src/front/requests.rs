//! What the drive keeps of a request from the link to its answer.

use serde::{Deserialize, Serialize};

use wordline_base::parts::Part;
use wordline_base::request::HostRequest;
use wordline_base::time::Ns;

/// A request inside the drive.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Request {
    pub(super) request: HostRequest,
    pub(super) id: u64,
    pub(super) arrival: Ns,
    /// Pages that are not done; of a request that was split, its commands.
    pub(super) left: u32,
    pub(super) measured: bool,
    /// Time that it waited at the host, and on the link, ns.
    pub(super) admission: u64,
    pub(super) link: u64,
    /// Time of the firmware's work for it, and that it waited for a core, ns.
    pub(super) cpu: u64,
    pub(super) cpu_wait: u64,
    /// Bytes of a read that the link has taken already.
    pub(super) crossed: u64,
    pub(super) carried: Carried,
}

/// What the link to the drive carries of a request, or has carried last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Carried {
    /// The command, and with it the data of a write unless that comes by itself.
    Command,
    /// The data of a write, all in one piece.
    Data,
    /// One page of the data of a write that stands beside it.
    Page,
}

impl Request {
    /// One that waited so long at the host, ns, and of which nothing is under way yet.
    #[inline(always)]
    pub fn new(request: HostRequest, id: u64, arrival: Ns, measured: bool, admission: u64) -> Self {
        let carried = Carried::Command;
        let (left, link, cpu, cpu_wait, crossed) = (0, 0, 0, 0, 0);
        Self { request, id, arrival, left, measured, admission, link, cpu, cpu_wait, crossed, carried }
    }

    /// A command of it that carries `length` bytes from `first` on, counted from its own first byte.
    pub(super) fn command(&self, first: u64, length: u64) -> Self {
        let offset = self.request.offset + first;
        Self { request: HostRequest { offset, length, ..self.request }, left: 0, ..*self }
    }

    /// It ends with this command, whose times are its own from now on.
    pub(super) fn ends_with(&mut self, command: &Self) {
        *self = Self { request: self.request, carried: self.carried, left: 0, ..*command };
    }

    /// Whether any of the parts of its response time outside the flash is more than nothing.
    #[inline(always)]
    pub(super) fn has_outside(&self) -> bool {
        self.admission | self.link | self.cpu | self.cpu_wait != 0
    }

    /// The parts of its response time outside the flash.
    pub(super) fn outside(&self) -> [(Part, u64); 4] {
        [
            (Part::Admission, self.admission),
            (Part::Link, self.link),
            (Part::Cpu, self.cpu),
            (Part::CpuWait, self.cpu_wait),
        ]
    }

    /// What the host asks.
    #[inline(always)]
    pub fn asked(&self) -> &HostRequest {
        &self.request
    }

    /// The identity that it was submitted with.
    #[inline(always)]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// When the host had it ready.
    #[inline(always)]
    pub fn arrival(&self) -> Ns {
        self.arrival
    }

    /// Whether it counts in the results.
    #[inline(always)]
    pub fn is_measured(&self) -> bool {
        self.measured
    }

    /// The flow that it belongs to.
    #[inline(always)]
    pub fn flow(&self) -> u16 {
        self.request.flow
    }

    /// The stream that it belongs to.
    #[inline(always)]
    pub fn stream(&self) -> u16 {
        self.request.stream
    }
}
