//! Streams of the host: data of different streams lie in different superblocks, with a data cache in front as without one.
#![allow(clippy::unwrap_used, reason = "helpers of tests, where a panic is the failure")]

use crate::common::*;
use wordline_engine::config::SchemeConfig;
use wordline_engine::config::cache::{CacheBytes, CacheConfig, CacheKind, Rewrites};
use wordline_engine::config::device::CapacityConfig;
use wordline_engine::config::host::FlowRules;
use wordline_engine::config::isolation::Isolation;
use wordline_engine::config::run::Occupancy;
use wordline_engine::config::scheme::PlacementKind;
use wordline_engine::config::separation::SeparationKind;
use wordline_engine::host::{Flow, HostOp, HostRequest, RequestSource};
use wordline_engine::{Setup, Unobserved, replay_flows};

/// Four planes of 64 blocks; flash pages of four mapping units.
fn drive(host_write_points: u32) -> Setup {
    let mut setup = setup(device(2, 1, 1, 2));
    let geometry = &mut setup.device.geometry;
    (geometry.blocks, geometry.pages, geometry.page_bytes) = (64, 16, 16384);
    setup.device.capacity.overprovisioning = Some(0.2);
    setup.scheme.blocks.host_write_points = host_write_points;
    setup.start = start(Occupancy::All, 0.0);
    setup.host = closed(16);
    setup.window.warmup_drive_writes = 3.0;
    setup.kept = Kept::Nothing;
    setup
}

/// A log that is written from its begin to its end again and again on stream 0, and random updates beside it on stream 1,
/// each on one half of the drive; so many drives full in all.
fn log_and_updates(setup: &Setup, drives: u64) -> impl RequestSource + use<> {
    let pages = setup.logical_bytes().unwrap() / 4096;
    let half = pages / 2;
    let mut random = Random(7);
    made(drives * pages, move |number| {
        let is_log = number % 2 == 0;
        let page = if is_log { number / 2 % half } else { half + random.below(half) };
        HostRequest { stream: u16::from(!is_log), ..write(0, page) }
    })
}

fn cached(policy: CacheKind, rewrites: Rewrites) -> CacheConfig {
    CacheConfig { policy, rewrites, bytes: CacheBytes::Bytes(1 << 20), ..CacheConfig::default() }
}

fn waf(setup: &Setup) -> f64 {
    run(setup, &mut log_and_updates(setup, 5)).unwrap().waf.unwrap()
}

#[test]
fn behind_every_cache_streams_lower_write_amplification_as_without_one() {
    for placement in [PlacementKind::Static, PlacementKind::Dynamic] {
        let of = |points, cache: CacheConfig| {
            let mut setup = drive(points);
            (setup.scheme.placement.policy, setup.scheme.cache) = (placement, cache);
            // Without a cache each write of one unit would program a flash page of four alone.
            if setup.scheme.cache.policy == CacheKind::None {
                (setup.device.geometry.pages, setup.device.geometry.page_bytes) = (64, 4096);
            }
            waf(&setup)
        };
        let bare = [1, 2].map(|points| of(points, CacheConfig::default()));
        println!("{placement:?} none {bare:.2?}");
        assert!(bare[1] - 1.0 < 0.8 * (bare[0] - 1.0), "{bare:?}");
        for policy in [CacheKind::WriteBuffer, CacheKind::Lru] {
            for rewrites in [Rewrites::Coalesce, Rewrites::Append] {
                let behind = [1, 2].map(|points| of(points, cached(policy, rewrites)));
                println!("{placement:?} {policy:?} {rewrites:?} {behind:.2?}");
                assert!(behind[1] - 1.0 < 0.8 * (behind[0] - 1.0), "{policy:?} {rewrites:?}: {behind:?}");
                assert!(
                    (behind[1] / bare[1] - 1.0).abs() < 0.1,
                    "{policy:?} {rewrites:?}: {behind:?} {bare:?}"
                );
            }
        }
    }
}

#[test]
fn streams_lower_write_amplification_of_drives_as_sold() {
    // Their firmware with smaller flash behind it.
    for name in ["enterprise-tlc", "7450pro-960"] {
        let of = |points: &str| {
            let keys = [("scheme.cache.bytes", "8388608"), ("scheme.blocks.host_write_points", points)];
            let mut setup = drive(1);
            (setup.device, setup.scheme) = crate::presets::device(name, &keys);
            let geometry = &mut setup.device.geometry;
            (geometry.channels, geometry.ways, geometry.dies) = (2, 1, 1);
            (geometry.blocks, geometry.pages) = (96, 48);
            setup.device.capacity = CapacityConfig { overprovisioning: Some(0.2), user_bytes: None };
            setup.device.bad_blocks = None;
            waf(&setup)
        };
        let (together, apart) = (of("1"), of("2"));
        println!("{name}: {together:.2} together, {apart:.2} apart");
        assert!(apart - 1.0 < 0.75 * (together - 1.0), "{name}: {together} {apart}");
    }
}

#[test]
fn isolation_changes_what_collection_moves() {
    // Both halves are rewritten at random, one of them nine times as often.
    let of = |isolation| {
        let mut setup = drive(2);
        setup.device.capacity.overprovisioning = Some(0.25);
        setup.scheme.cache = cached(CacheKind::WriteBuffer, Rewrites::Coalesce);
        setup.scheme.gc.isolation = isolation;
        let pages = setup.logical_bytes().unwrap() / 4096;
        let (half, mut random) = (pages / 2, Random(7));
        let mut source = made(5 * pages, move |_| {
            let cold = random.below(10) == 0;
            let page = random.below(half) + if cold { half } else { 0 };
            HostRequest { stream: u16::from(cold), ..write(0, page) }
        });
        run(&setup, &mut source).unwrap()
    };
    let (initial, persistent) = (of(Isolation::Initial), of(Isolation::Persistent));
    println!("initial {:.3?}, persistent {:.3?}", initial.waf, persistent.waf);
    assert!(initial.gc.moved_units > 0 && persistent.gc.moved_units > 0);
    assert_ne!(initial.gc.moved_units, persistent.gc.moved_units);
}

#[test]
fn persistent_isolation_is_refused_where_it_can_not_be_kept() {
    type Change = fn(&mut SchemeConfig);
    let error = |change: Change| {
        let mut setup = drive(2);
        setup.scheme.gc.isolation = Isolation::Persistent;
        change(&mut setup.scheme);
        setup.validate().unwrap_err().to_string()
    };
    let cases: [(Change, &str); 6] = [
        (
            |scheme| scheme.blocks.host_write_points = 1,
            "\"persistent\" with at least 2 scheme.blocks.host_write_points",
        ),
        (|scheme| scheme.separation.policy = SeparationKind::HotCold, "unless scheme.separation.policy is"),
        (|scheme| scheme.separation.separate_hot_moves = true, "beside scheme.separation.separate_hot_moves"),
        (|scheme| scheme.wear.static_spread = Some(3), "beside scheme.wear.static_spread"),
        (|scheme| scheme.collision.enabled = true, "beside scheme.collision"),
        (|scheme| scheme.hotr.enabled = true, "beside scheme.hotr"),
    ];
    for (change, why) in cases {
        let error = error(change);
        assert!(error.starts_with("scheme.gc.isolation = \"persistent\": allowed: \"initial\""), "{error}");
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn a_flash_page_takes_units_of_one_stream_only() {
    // Twelve units of each of three streams in turn, in a cache that holds them all: three flash pages for each.
    for placement in [PlacementKind::Static, PlacementKind::Dynamic] {
        for policy in [CacheKind::WriteBuffer, CacheKind::Lru] {
            let mut setup = drive(3);
            setup.start = start(Occupancy::None, 0.0);
            setup.window.warmup_drive_writes = 0.0;
            // Planes and streams take turns of three and four: each plane gets three units of each stream.
            (setup.device.geometry.channels, setup.device.geometry.planes) = (1, 1);
            (setup.scheme.placement.policy, setup.scheme.cache) =
                (placement, cached(policy, Rewrites::Coalesce));
            let mut requests: Vec<_> =
                (0..36).map(|page| HostRequest { stream: (page % 3) as u16, ..write(0, page) }).collect();
            requests.push(HostRequest { length: 0, ..request(0, HostOp::Flush, 0, 0) });
            let report = run(&setup, &mut Listed(requests)).unwrap();
            assert_eq!(report.cache.unwrap().write_backs, 36, "{placement:?} {policy:?}");
            assert_eq!(report.flash.programs, 9, "{placement:?} {policy:?}");
        }
    }
}

#[test]
fn a_stream_that_the_drive_does_not_offer_is_refused() {
    let of = |points, policy, stream, op| {
        let mut setup = drive(points);
        setup.scheme.separation.policy = policy;
        setup.window.warmup_drive_writes = 0.0;
        let requests = vec![write(0, 0), HostRequest { stream, ..request(0, op, 1, 1) }];
        run(&setup, &mut Listed(requests)).map_err(|error| error.to_string())
    };
    for cache in [CacheKind::None, CacheKind::WriteBuffer] {
        let mut setup = drive(2);
        setup.scheme.cache = cached(cache, Rewrites::Coalesce);
        let setup = only_what_is_read(&setup);
        let requests = vec![write(0, 0), HostRequest { stream: 2, ..write(0, 1) }];
        let error = run(&setup, &mut Listed(requests)).unwrap_err().to_string();
        assert!(
            error.starts_with(
                "request 1 (from 0) is of stream 2: allowed: 0 to 1, as the drive offers 2 streams"
            ),
            "{error}"
        );
    }
    assert!(of(2, SeparationKind::Stream, 1, HostOp::Write).is_ok());
    assert!(of(2, SeparationKind::Stream, 2, HostOp::Read).is_ok(), "only writes have a stream");
    // These drives offer no streams.
    assert!(of(1, SeparationKind::Stream, 9, HostOp::Write).is_ok());
    assert!(of(2, SeparationKind::HotCold, 9, HostOp::Write).is_ok());
}

#[test]
fn a_flow_whose_stream_the_drive_does_not_offer_is_refused_by_its_name() {
    let setup = drive(2);
    let mut drive = setup.prepare(&[]).unwrap();
    let mut sources = [Listed(vec![write(0, 0)]), Listed(vec![write(0, 1)])];
    let rules = |name, stream| FlowRules { stream, ..FlowRules::of_host(name, &setup.host) };
    let all = [rules("log", 0), rules("updates", 5)];
    let flows =
        all.into_iter().zip(&mut sources).map(|(rules, source)| Flow::new(rules, source)).collect::<Vec<_>>();
    let error = replay_flows(&setup, &mut drive, flows, None, &mut Unobserved).unwrap_err().to_string();
    assert!(
        error.starts_with(
            "workload.flow[1].stream = 5 of flow updates: allowed: 0 to 1, as the drive offers 2"
        ),
        "{error}"
    );
}

#[test]
fn requests_keep_their_streams_where_they_wait_for_places_inside() {
    let of = |max_writes, max_inside| {
        let mut setup = drive(2);
        setup.scheme.cache = CacheConfig { max_writes, ..cached(CacheKind::WriteBuffer, Rewrites::Coalesce) };
        setup.host.max_inside = max_inside;
        waf(&setup)
    };
    let free = of(0, 0);
    for (max_writes, max_inside) in [(8, 0), (0, 8)] {
        let bounded = of(max_writes, max_inside);
        assert!((bounded / free - 1.0).abs() < 0.05, "{bounded} {free}");
    }
}

#[test]
fn drives_are_prepared_by_writes_with_their_streams() {
    // What is carried out without time leaves the streams apart: the measured part begins with the WAF of its end.
    let mut setup = drive(2);
    setup.scheme.cache = cached(CacheKind::WriteBuffer, Rewrites::Coalesce);
    let steady = waf(&setup);
    setup.window.warmup_drive_writes = 0.0;
    setup.start.layout = wordline_engine::config::run::StartLayout::Steady;
    let mut before = log_and_updates(&setup, 40);
    let mut drive = setup.prepare_with(Vec::new(), &[], Some(&mut before), &mut Unobserved).unwrap();
    let outcome =
        wordline_engine::replay(&setup, &mut drive, &mut log_and_updates(&setup, 1), &mut Unobserved);
    let at_once = outcome.unwrap().report.waf.unwrap();
    assert!((at_once / steady - 1.0).abs() < 0.1, "{at_once} {steady}");

    let mut wrong = made(1_000, |number| HostRequest { stream: 7, ..write(0, number) });
    let error = setup.prepare_with(Vec::new(), &[], Some(&mut wrong), &mut Unobserved).err().unwrap();
    assert!(
        error.to_string().starts_with("a write of stream 7 before the first request: allowed: 0 to 1"),
        "{error}"
    );
}
