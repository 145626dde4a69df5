use wordline_engine::config::{Layer, resolve_run};
use wordline_engine::host::{HostOp, HostRequest, RequestSource, SourceError};
use wordline_engine::rng::{Xoshiro256PlusPlus, below, stream};
use wordline_engine::sched::class::Class;
use wordline_engine::sched::{QueueView, Scheduler};
use wordline_engine::time::Ns;
use wordline_engine::{Kept, Setup, Unobserved, replay};

/// Host programs, then host reads, then the rest in order of arrival.
struct WriteFirst;

impl Scheduler for WriteFirst {
    fn next(&self, view: &QueueView<'_>) -> Option<Class> {
        let tier = |class| match class {
            Class::HostProgram => 0,
            Class::HostRead => 1,
            _ => 2,
        };
        let waiting = |class| view.first(class).map(|(order, _waited)| (tier(class), order, class));
        view.waiting().filter_map(waiting).min().map(|(_, _, class)| class)
    }

    fn suspends(&self, _running: Class, _waiting_writes: u32) -> bool {
        false
    }

    fn longest_suspension(&self) -> Ns {
        Ns::NEVER
    }
}

/// Reads and writes of single pages, drawn uniformly, half of each.
struct Mixed {
    left: u32,
    pages: u32,
    random: Xoshiro256PlusPlus,
}

impl RequestSource for Mixed {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        for _ in 0..self.left.min(512) {
            let op = if below(&mut self.random, 2) == 0 { HostOp::Read } else { HostOp::Write };
            let offset = u64::from(below(&mut self.random, self.pages)) * 8192;
            batch.push(HostRequest { time: Ns::ZERO, op, offset, length: 8192, flow: 0, stream: 0 });
            self.left -= 1;
        }
        Ok(())
    }
}

/// Mean response times of reads and writes, ns.
fn means(policy: Option<Box<dyn Scheduler + Send>>) -> Result<[f64; 2], Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string("../../presets/devices/mqsim.toml")?;
    let overrides = [
        ("geometry.channels", "2"),
        ("geometry.ways", "1"),
        ("geometry.blocks", "64"),
        ("capacity.overprovisioning", "0.2"),
    ]
    .map(|(key, value)| (format!("device.{key}"), value.to_owned()));
    let (device, scheme) =
        resolve_run(&Layer::from_toml("mqsim.toml", &text)?, &Layer::from_toml("none", "")?, &overrides)?;
    // A closed loop, queue depth 16; checked mode.
    let setup = Setup { kept: Kept::Checked, ..Setup::of(device, scheme) };
    let mut drive = setup.prepare(&[])?;
    if let Some(policy) = policy {
        drive.set_scheduler(policy);
    }
    let pages = (drive.logical_bytes() / 8192) as u32;
    let mut source = Mixed { left: 5000, pages, random: stream(1, "mixed") };
    let report = replay(&setup, &mut drive, &mut source, &mut Unobserved)?.report;
    Ok([report.read.latency_ns.mean, report.write.latency_ns.mean])
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [read, write] = means(None)?;
    let [read_of_mine, write_of_mine] = means(Some(Box::new(WriteFirst)))?;
    println!("reads {read:.0} and {read_of_mine:.0} ns, writes {write:.0} and {write_of_mine:.0} ns");
    assert!(read_of_mine > read);
    assert!(write_of_mine < write);
    Ok(())
}
