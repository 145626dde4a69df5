//! What a host of several flows or drives asks of the drive: figures by flow, who was answered, and where a read goes.

use crate::device::Device;
use crate::host::{DriveView, HostOp, HostRequest};
use crate::stats::tenants::{FlowName, Tenants};
use wordline_base::ids::{DieId, Lpa};

impl Device {
    /// From now on figures are kept for each of these flows and their groups, and [`Self::take_answered`] tells which
    /// requests were answered. Without flows neither.
    pub fn set_flows(&mut self, flows: impl ExactSizeIterator<Item = FlowName>) {
        self.front.keep_answered(flows.len() > 0);
        self.observers.recorder.tenants = (flows.len() > 1).then(|| Box::new(Tenants::new(flows)));
    }

    /// Appends the numbers of the requests that were answered since this was asked last.
    pub fn take_answered(&mut self, into: &mut Vec<u64>) {
        self.front.take_answered(into);
    }

    /// Flash pages waiting or running on the die that holds this byte of the host's address space; 0 for a page without
    /// data.
    pub fn waiting_before(&self, offset: u64) -> u32 {
        let lpa = offset / u64::from(self.geometry.unit_bytes);
        if lpa >= u64::from(self.ftl.logical_units()) {
            return 0;
        }
        let ppa = self.ftl.lookup(Lpa(lpa as u32));
        if ppa.is_some() { self.flash.loads()[self.geometry.die_at(ppa).0.index()] } else { 0 }
    }
}

impl DriveView for Device {
    fn die_of_request(&self, request: &HostRequest) -> Option<DieId> {
        let lpa = request.offset / u64::from(self.geometry.unit_bytes);
        if request.op != HostOp::Read || request.length == 0 || lpa >= u64::from(self.ftl.logical_units()) {
            return None;
        }
        let ppa = self.ftl.lookup(Lpa(lpa as u32));
        ppa.is_some().then(|| self.geometry.die_at(ppa).0)
    }

    fn die_load(&self) -> &[u32] {
        self.flash.loads()
    }
}
