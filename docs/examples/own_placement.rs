use wordline_engine::config::run::{Occupancy, StartConfig};
use wordline_engine::config::{Layer, resolve_run};
use wordline_engine::host::{HostOp, HostRequest, RequestSource, SourceError};
use wordline_engine::ids::PlaneId;
use wordline_engine::placement::{Placement, PlacementView, ProgramIntent};
use wordline_engine::time::Ns;
use wordline_engine::{Kept, Setup, Unobserved, replay};

/// The planes of even channels in turn; any plane with room when those are full.
#[derive(Default)]
struct EvenChannels {
    next: u32,
}

impl Placement for EvenChannels {
    fn place(&mut self, _program: &ProgramIntent, view: &PlacementView<'_>) -> PlaneId {
        let planes = view.geometry.planes();
        let in_turn = || (0..planes).map(|step| PlaneId((self.next + step) % planes));
        let is_even = |plane: &PlaneId| view.geometry.channel_of(view.geometry.die_of(*plane).0) % 2 == 0;
        let has_room = |plane: &PlaneId| (view.has_room)(*plane);
        let chosen = in_turn()
            .filter(is_even)
            .find(has_room)
            .or_else(|| in_turn().find(has_room))
            .unwrap_or(PlaneId(0));
        self.next = chosen.0 + 1;
        chosen
    }
}

/// Writes every page of the drive's first `self.0` pages, once.
struct InOrder(u64);

impl RequestSource for InOrder {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        let write = |page| HostRequest {
            time: Ns::ZERO,
            op: HostOp::Write,
            offset: page * 8192,
            length: 8192,
            flow: 0,
            stream: 0,
        };
        batch.extend((0..std::mem::take(&mut self.0)).map(write));
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string("../../presets/devices/mqsim.toml")?;
    let overrides =
        [("geometry.channels", "4"), ("geometry.blocks", "64"), ("capacity.overprovisioning", "0.2")]
            .map(|(key, value)| (format!("device.{key}"), value.to_owned()));
    let (device, scheme) =
        resolve_run(&Layer::from_toml("mqsim.toml", &text)?, &Layer::from_toml("none", "")?, &overrides)?;
    let start = StartConfig { occupancy: Occupancy::None, ..StartConfig::default() };
    let setup = Setup { start, kept: Kept::Checked, ..Setup::of(device, scheme) };
    let mut drive = setup.prepare(&[])?;
    drive.set_placement(Box::new(EvenChannels::default()));
    let report = replay(&setup, &mut drive, &mut InOrder(1000), &mut Unobserved)?.report;
    for die in &report.dies {
        assert_eq!(die.busy_ns["host_program"] > 0, die.channel % 2 == 0);
    }
    assert_eq!(report.flash.programs, 1000);
    Ok(())
}
