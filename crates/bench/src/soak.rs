//! A long run in checked mode: several drives in turn, each audited, saved and loaded again after every piece.

use std::time::Instant;

use wordline_engine::config::layers::Layer;
use wordline_engine::config::resolve_run;
use wordline_engine::device::Device;
use wordline_engine::{Kept, Setup};
use wordline_trace::config::{SizeWeight, Sizes, SourceConfig, SyntheticConfig};

use crate::Failure;
use crate::drive::{LARGE, MQSIM, setup, timed, uniform};

/// Drives, blocks a plane that are left of them, and schemes.
const RUNS: [(&str, u64, &str); 5] = [
    (LARGE, 64, include_str!("../../../presets/schemes/suspend.toml")),
    (MQSIM, 192, include_str!("../../../presets/schemes/write-buffer.toml")),
    (LARGE, 128, include_str!("../../../presets/schemes/hot-cold.toml")),
    (LARGE, 64, include_str!("../../../presets/schemes/dynamic.toml")),
    (MQSIM, 192, include_str!("../../../presets/schemes/cost-benefit.toml")),
];

/// Their schemes, for messages.
const NAMES: [&str; 5] = ["suspend", "write-buffer", "hot-cold", "dynamic", "cost-benefit"];

/// Requests of a piece.
const PIECE: u64 = 100_000;

/// Runs until so many flash operations are done.
///
/// # Errors
/// A read that found no newest version, an audit that failed, a snapshot that another drive came back from.
pub fn run(operations: f64) -> Result<(), Failure> {
    let mut drives = RUNS
        .iter()
        .map(|&(device, blocks, scheme)| prepared(device, blocks, scheme))
        .collect::<Result<Vec<_>, _>>()?;
    let (started, mut done, mut pieces) = (Instant::now(), 0.0, 0u64);
    while done < operations {
        for ((setup, device), name) in drives.iter_mut().zip(NAMES) {
            done +=
                piece(setup, device, pieces).map_err(|error| format!("{name}, piece {pieces}: {error}"))?;
            pieces += 1;
        }
        if pieces == RUNS.len() as u64 || pieces % 50 == 0 {
            let seconds = started.elapsed().as_secs_f64();
            let left = (operations - done).max(0.0) * seconds / done / 3600.0;
            println!("soak: {:.1} million flash operations, {pieces} audits, {left:.1} h left", done / 1e6);
        }
    }
    println!(
        "soak: {done:.0} flash operations in {:.0} s, {pieces} audits, {pieces} snapshots: all as they must be",
        started.elapsed().as_secs_f64()
    );
    Ok(())
}

fn prepared(device: &str, blocks: u64, scheme: &str) -> Result<(Setup, Device), Failure> {
    let mut setup = setup(device, &[("device.geometry.blocks", blocks)], 32, 0.3)?;
    let changes = vec![("device.geometry.blocks".to_owned(), blocks.to_string())];
    let (device, scheme) = (Layer::from_toml("device", device)?, Layer::from_toml("scheme", scheme)?);
    (setup.device, setup.scheme) = resolve_run(&device, &scheme, &changes)?;
    setup.kept = Kept::Checked;
    let device = setup.prepare(&[])?;
    Ok((setup, device))
}

/// A mix of sizes and kinds, whose replay ends with an audit; then the drive goes through a snapshot.
fn piece(setup: &Setup, device: &mut Device, number: u64) -> Result<f64, Failure> {
    let sizes = [(4096, 6.0), (16_384, 3.0), (512, 1.0)].map(|(bytes, weight)| SizeWeight { bytes, weight });
    let read_share = [0.7, 0.1, 0.4][number as usize % 3];
    let config = SyntheticConfig {
        trim_share: 0.05,
        sizes: Sizes::Weighted(sizes.to_vec()),
        alignment_bytes: Some(512),
        ..uniform(PIECE, read_share)
    };
    let run = timed(setup, device, &SourceConfig::Synthetic(config))?;
    if run.outcome.report.checked.is_none() {
        return Err("a piece ended without an audit".into());
    }
    let mut state = Vec::new();
    setup.save_drive(device, &mut state)?;
    *device = setup.load_drive(&mut state.as_slice())?;
    let mut again = Vec::new();
    setup.save_drive(device, &mut again)?;
    match state == again {
        true => Ok(run.operations),
        false => Err("a snapshot was loaded as another drive".into()),
    }
}
