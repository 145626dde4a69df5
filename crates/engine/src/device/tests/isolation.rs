//! Streams that collection keeps apart, or mixes.
#![allow(clippy::unwrap_used, reason = "a panic is the failure")]

use crate::host::{HostOp, HostRequest, RequestSource, SourceError};
use crate::run::described::described;
use crate::run::{Setup, replay};
use wordline_base::ids::Lpa;
use wordline_base::rng::{below, stream};
use wordline_base::time::Ns;
use wordline_config::host::HostConfig;
use wordline_config::run::{Occupancy, StartConfig};

const STREAMS: u32 = 3;

/// Random overwrites of single pages: each stream has a third of the drive, and the first is written most.
struct Overwrites {
    left: u32,
    pages: u32,
    random: rand_xoshiro::Xoshiro256PlusPlus,
}

impl RequestSource for Overwrites {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        for _ in 0..self.left.min(500) {
            let of = [0, 0, 0, 1, 1, 2][below(&mut self.random, 6) as usize];
            let part = self.pages / STREAMS;
            let page = u64::from(of * part + below(&mut self.random, part));
            let op = HostOp::Write;
            batch.push(HostRequest {
                time: Ns(0),
                op,
                offset: page * 4096,
                length: 4096,
                flow: 0,
                stream: of as u16,
            });
        }
        self.left -= self.left.min(500);
        Ok(())
    }
}

/// The streams of the pages in each superblock that holds any, one bit each; and how many pages were moved.
fn streams_of_superblocks(keys: &[(&str, &str)]) -> (Vec<u32>, u64) {
    let small = [
        ("device.geometry.channels", "2"),
        ("device.geometry.ways", "1"),
        ("device.geometry.dies", "1"),
        ("device.geometry.planes", "1"),
        ("device.geometry.blocks", "40"),
        ("device.geometry.pages", "16"),
        ("device.geometry.page_bytes", "8192"),
        ("device.geometry.mapping_unit_bytes", "4096"),
        ("device.capacity.overprovisioning", "0.6"),
        ("scheme.blocks.host_write_points", "3"),
    ];
    let keys: Vec<_> = small.iter().chain(keys).copied().collect();
    let host = HostConfig { queue_depth: 16, ..HostConfig::default() };
    let start = StartConfig { occupancy: Occupancy::None, ..StartConfig::default() };
    let setup = Setup { host, start, ..described(&keys).unwrap() };
    let mut drive = setup.prepare(&[]).unwrap();
    let pages = drive.ftl.logical_units();
    let mut source = Overwrites { left: 8 * pages, pages, random: stream(1, "overwrites") };
    let report = replay(&setup, &mut drive, &mut source, &mut crate::run::Unobserved).unwrap().report;
    let mut streams = vec![0; drive.ftl.blocks().len()];
    for lpa in (0..pages).map(Lpa) {
        let ppa = drive.ftl.lookup(lpa);
        if ppa.is_some() {
            let part = (lpa.0 / (pages / STREAMS)).min(STREAMS - 1);
            streams[drive.ftl.blocks().of(&drive.geometry, ppa).index()] |= 1u32 << part;
        }
    }
    streams.retain(|&of| of != 0);
    (streams, report.gc.moved_units)
}

#[test]
fn moves_mix_streams_unless_they_are_isolated_persistently() {
    let buffer: &[(&str, &str)] =
        &[("scheme.cache.policy", "write_buffer"), ("scheme.cache.bytes", "262144")];
    let dynamic: &[(&str, &str)] = &[("scheme.placement.policy", "dynamic")];
    let paced: &[(&str, &str)] = &[("scheme.gc.pace.band", "1")];
    let copyback: &[(&str, &str)] = &[("device.copyback.supported", "true")];
    let spans: &[(&str, &str)] = &[("scheme.blocks.superblock", "channels")];
    for more in [&[], buffer, dynamic, paced, copyback, spans, &[buffer, dynamic, spans].concat()[..]] {
        let of = |isolation| {
            let keys = [more, &[("scheme.gc.isolation", isolation)]].concat();
            let (streams, moved) = streams_of_superblocks(&keys);
            assert!(moved > 300 && streams.len() > 30, "{more:?} {isolation}: {moved} moved");
            streams.iter().filter(|of| of.count_ones() > 1).count()
        };
        assert!(of("initial") > 3, "{more:?}");
        assert_eq!(of("persistent"), 0, "{more:?}");
    }
}
