use std::collections::BTreeMap;
use wordline_engine::blocks::table::BlockView;
use wordline_engine::config::{Layer, WindowConfig, resolve_run};
use wordline_engine::gc::VictimPolicy;
use wordline_engine::host::{HostOp, HostRequest, RequestSource, SourceError};
use wordline_engine::ids::SuperblockId;
use wordline_engine::rng::{Xoshiro256PlusPlus, below, stream};
use wordline_engine::time::Ns;
use wordline_engine::{Kept, Setup, Unobserved, replay};

/// Goes round the superblocks of each domain.
#[derive(Default)]
struct RoundRobin {
    next: BTreeMap<SuperblockId, usize>,
}

impl VictimPolicy for RoundRobin {
    fn choose(&mut self, blocks: &BlockView<'_>) -> Option<SuperblockId> {
        let count = blocks.valid.len();
        let next = self.next.entry(blocks.first).or_default();
        // What is not full has `NOT_A_CANDIDATE` added, which is more than any capacity.
        let index = (0..count)
            .map(|step| (*next + step) % count)
            .find(|&index| blocks.valid[index] < blocks.capacity)?;
        *next = (index + 1) % count;
        Some(SuperblockId(blocks.first.0 + index as u32))
    }
}

/// Any superblock, each with the same chance.
struct Random(Xoshiro256PlusPlus);

impl VictimPolicy for Random {
    fn choose(&mut self, blocks: &BlockView<'_>) -> Option<SuperblockId> {
        let candidates = || (0..blocks.valid.len()).filter(|&index| blocks.valid[index] < blocks.capacity);
        let drawn = below(&mut self.0, candidates().count() as u32) as usize;
        candidates().nth(drawn).map(|index| SuperblockId(blocks.first.0 + index as u32))
    }
}

/// Two planes of 64 blocks of 32 pages, a fifth of them spare.
fn setup() -> Result<Setup, Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string("../../presets/devices/mqsim.toml")?;
    let overrides = [
        ("geometry.channels", "2"),
        ("geometry.ways", "1"),
        ("geometry.dies", "1"),
        ("geometry.planes", "1"),
        ("geometry.blocks", "64"),
        ("geometry.pages", "32"),
        ("capacity.overprovisioning", "0.2"),
    ]
    .map(|(key, value)| (format!("device.{key}"), value.to_owned()));
    let (device, scheme) =
        resolve_run(&Layer::from_toml("mqsim.toml", &text)?, &Layer::from_toml("none", "")?, &overrides)?;
    // A closed loop, queue depth 16; every logical page holds data.
    let window = WindowConfig { warmup_drive_writes: 3.0, ..WindowConfig::default() };
    Ok(Setup { window, kept: Kept::Checked, ..Setup::of(device, scheme) })
}

/// Writes single pages, drawn uniformly.
struct Overwrites {
    left: u32,
    pages: u32,
    random: Xoshiro256PlusPlus,
}

impl RequestSource for Overwrites {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        for _ in 0..self.left.min(512) {
            let offset = u64::from(below(&mut self.random, self.pages)) * 8192;
            batch.push(HostRequest {
                time: Ns::ZERO,
                op: HostOp::Write,
                offset,
                length: 8192,
                flow: 0,
                stream: 0,
            });
            self.left -= 1;
        }
        Ok(())
    }
}

/// WAF in steady state; greedy when no policy is given.
fn waf(policy: Option<Box<dyn VictimPolicy + Send>>) -> Result<f64, Box<dyn std::error::Error>> {
    let setup = setup()?;
    let mut drive = setup.prepare(&[])?;
    if let Some(policy) = policy {
        drive.set_gc(policy);
    }
    let pages = (drive.logical_bytes() / 8192) as u32;
    let mut source = Overwrites { left: 9 * pages, pages, random: stream(1, "overwrites") };
    let outcome = replay(&setup, &mut drive, &mut source, &mut Unobserved)?;
    Ok(outcome.report.waf.unwrap_or(0.0))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let greedy = waf(None)?;
    let round_robin = waf(Some(Box::new(RoundRobin::default())))?;
    let random = waf(Some(Box::new(Random(stream(1, "victims")))))?;
    println!("greedy {greedy:.3}, round robin {round_robin:.3}, random {random:.3}");
    assert!(greedy > 1.0);
    assert!(round_robin >= greedy);
    assert!(random >= greedy);
    Ok(())
}
