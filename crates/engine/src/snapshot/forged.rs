//! Snapshots whose checksums are right although their data is not: loading them may fail in any way but a panic.
#![allow(clippy::unwrap_used, reason = "a panic is the failure")]

use super::FORMAT;
use crate::run::Setup;
use crate::run::described::described;
use wordline_base::rng::{below, stream};
use wordline_base::snapshot::FrameWriter;
use wordline_config::run::{Occupancy, StartConfig};

pub(super) fn setup() -> Setup {
    let setup = described(&[
        ("device.geometry.channels", "1"),
        ("device.geometry.ways", "2"),
        ("device.geometry.blocks", "32"),
        ("device.geometry.pages", "16"),
        ("device.capacity.overprovisioning", "0.3"),
        ("scheme.read_counts", "page"),
        ("scheme.gc.policy", "d_choices"),
        ("scheme.placement.policy", "dynamic"),
    ]);
    let start = StartConfig { occupancy: Occupancy::All, overwrite: 1.0, ..StartConfig::default() };
    Setup { start, ..setup.unwrap() }
}

/// The data of all frames.
pub(super) fn data_of(snapshot: &[u8]) -> Vec<u8> {
    let (mut data, mut rest) = (Vec::new(), &snapshot[12..]);
    while let Some((length, after)) = rest.split_first_chunk::<4>() {
        let (frame, after) = after[4..].split_at(u32::from_le_bytes(*length) as usize);
        data.extend_from_slice(frame);
        rest = after;
    }
    data
}

/// Frames with right checksums around any data.
pub(super) fn framed(head: &[u8], data: &[u8]) -> Vec<u8> {
    let mut bytes = head.to_vec();
    let mut frames = FrameWriter::new(&mut bytes, FORMAT);
    frames.write(data).unwrap();
    frames.finish().unwrap();
    bytes
}

#[test]
fn forged_data_is_refused_or_loaded_but_never_a_panic() {
    let setup = setup();
    let mut snapshot = Vec::new();
    setup.save_drive(&setup.prepare(&[]).unwrap(), &mut snapshot).unwrap();
    let data = data_of(&snapshot);
    assert!(framed(&snapshot[..12], &data) == snapshot);
    let mut random = stream(1, "forged");
    let mut refused = 0;
    for round in 0..400 {
        let mut forged = data.clone();
        for _ in 0..1 + round % 4 {
            let place = below(&mut random, data.len() as u32) as usize;
            forged[place] = [0, 1, 127, 128, 255, forged[place] ^ 1][below(&mut random, 6) as usize];
        }
        if round % 5 == 0 {
            forged.truncate(below(&mut random, data.len() as u32) as usize);
        }
        let bytes = framed(&snapshot[..12], &forged);
        refused += u32::from(setup.load_drive(&mut &bytes[..]).is_err());
    }
    assert!(refused > 80, "{refused}");
}
