//! The controller: its cores, its DRAM, the data cache in that, and the host's memory that it may use.

use crate::cache::{Cache, Ledger};
use crate::cores::{AroundCores, Cpu, HostMemory};
use crate::device::Device;
use crate::device::timers::Timer;
use crate::front::deliver;
use crate::host::HostRequest;
use crate::sched::queue::{Op, OpId};
use wordline_base::class::Class;
use wordline_base::fields;
use wordline_base::time::Ns;
use wordline_flash::work::submit;
use wordline_ftl::work::{end_translation_wait, go_on, place_planned};

/// Cores and memory of the controller.
pub(in crate::device) struct Controller {
    pub cpu: Cpu,
    /// Who uses the DRAM.
    pub dram: Ledger,
    /// The data cache, off where there is none.
    pub cache: Cache,
    /// Look-ups of what of the map lies in the host's memory.
    pub host_memory: HostMemory,
}

fields! {
    Controller:
    rebuilt: ;
    state: dram cpu host_memory;
    parts: cache;
    dropped: ;
}

impl AroundCores for Device {
    #[inline(always)]
    fn cores(&self) -> &Cpu {
        &self.controller.cpu
    }

    #[inline(always)]
    fn cores_mut(&mut self) -> &mut Cpu {
        &mut self.controller.cpu
    }

    #[inline(always)]
    fn now(&self) -> Ns {
        self.flash.now()
    }

    fn set_timer(&mut self, at: Ns) {
        self.flash.set_timer(Timer::Cores.number(), at);
    }

    #[cold]
    fn fail(&mut self, what: String) {
        Self::fail(self, what);
    }

    fn asked(&self, request: u32) -> &HostRequest {
        self.front.request(request).asked()
    }

    fn unit_bytes(&self) -> u32 {
        self.geometry.unit_bytes
    }

    fn search_steps(&self) -> u64 {
        self.ftl.translation().search_steps()
    }

    fn domain_of(&self, head: OpId) -> usize {
        self.ftl.domain_of(self.flash.pool[head].ppa).index()
    }

    fn units_moved(&self, head: OpId) -> Option<u64> {
        self.flash.pool[head].class.is_move().then(|| self.flash.pool.units(head).count() as u64)
    }

    fn units_rearranged(&self, head: OpId) -> u64 {
        if self.flash.pool[head].class != Class::ReclaimProgram {
            return 0;
        }
        let leaves = |unit: &OpId| {
            let Op { ppa, source, .. } = self.flash.pool[*unit];
            self.ftl.is_pinned(*unit) && self.geometry.plane_of(source).0 != self.geometry.plane_of(ppa).0
        };
        self.flash.pool.units(head).filter(leaves).count() as u64
    }

    fn next_mut(&mut self, head: OpId) -> &mut OpId {
        &mut self.flash.pool[head].next
    }

    fn note_work(&mut self, request: u32, waits: Ns, works: Ns) {
        self.front.note_work(request, waits, works);
    }

    #[inline(always)]
    fn deliver(&mut self, request: u32) {
        deliver(self, request);
    }

    #[inline(always)]
    fn enqueue(&mut self, head: OpId) {
        submit(self, head);
    }

    fn place(&mut self, unit: OpId) {
        place_planned(self, unit);
    }
}

impl Device {
    /// Enters a user of the DRAM that comes behind the data cache.
    pub(in crate::device) fn reserve_dram(&mut self, name: &str, bytes: u64) {
        self.controller.dram.reserve(name, bytes);
        self.check_dram();
    }

    /// The same of one that takes the place of who had this name. The data cache keeps what it has.
    pub(in crate::device) fn replace_in_dram(&mut self, name: &str, bytes: u64) {
        self.controller.dram.replace(name, bytes);
        self.check_dram();
    }

    fn check_dram(&mut self) {
        if let Err(error) = self.controller.dram.check() {
            self.fail(error.to_string());
        }
    }

    /// An operation of the host found its entry: whether it must still come over the link.
    #[inline(always)]
    pub(in crate::device) fn fetches_entry(&mut self, id: OpId) -> bool {
        let fetches = self.controller.host_memory.is_on();
        if fetches {
            let now = self.flash.now();
            self.flash.pool[id].wait_from = now;
            let first = self.controller.host_memory.fetch(now, id);
            self.wait_for_entry(first);
        }
        fetches
    }

    fn wait_for_entry(&mut self, first: Option<Ns>) {
        if let Some(end) = first {
            self.flash.set_timer(Timer::HostMemory.number(), end);
        }
    }

    /// The entries are here that come now: units of a request ask at one time, and those of a flash page are read together.
    pub(in crate::device) fn entry_is_here(&mut self) {
        let now = self.flash.now();
        let mut next = Some(now);
        while next == Some(now) {
            let Some((id, end)) = self.controller.host_memory.take() else {
                let what = "an entry came from the host's memory, and no operation waited for it";
                return self.fail(what.into());
            };
            end_translation_wait(self, id);
            go_on(self, id);
            next = end;
        }
        self.wait_for_entry(next);
    }
}
