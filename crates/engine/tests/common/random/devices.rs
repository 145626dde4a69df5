//! Drives of any shape, and what is ideal about them.

use super::*;

pub const UNITS: [u32; 4] = [512, 1024, 2048, 4096];

pub fn devices() -> impl Strategy<Value = DeviceConfig> {
    let counts = (1u32..4, 1u32..4, 1u32..3, 1u32..4, 8u32..24, 4u32..12, 0.15..0.6f64);
    let rules = prop_oneof![
        Just(MultiPlaneRule::None),
        Just(MultiPlaneRule::SameBlockAndPage),
        Just(MultiPlaneRule::SamePage),
        Just(MultiPlaneRule::Any)
    ];
    let times = (0u64..100_000, 0u64..1_000_000, 0u64..4_000_000, 0u64..500, 1u32..2000);
    // A request of the tests has up to eighty units, of which a command carries some.
    let most_units = prop::option::weighted(0.3, prop_oneof![1u64..4, 1u64..40]);
    let link = (prop::option::of(1_000_000u64..5_000_000_000), 0u64..1000, 0u64..1000, most_units);
    let arbitrations = prop_oneof![
        Just(ChannelArbitration::CommandFirst),
        Just(ChannelArbitration::Fifo),
        Just(ChannelArbitration::DataOutFirst)
    ];
    let steps = (0u64..100_000, 0u64..500_000, prop_oneof![Just(0u64), 0u64..300_000]);
    let suspend =
        (prop::option::of(0u64..50_000), prop::option::of(0u64..50_000), 0u64..5_000, 0u32..5, steps);
    let orders = prop_oneof![Just(CacheReadOrder::Sequential), Just(CacheReadOrder::Random)];
    let cache = (any::<bool>(), any::<bool>(), orders, 0u64..5_000, 0u64..5_000);
    let copyback = (any::<bool>(), any::<bool>(), 0u32..4);
    let rows = (1u64..10_000, 0u64..100, 10_000_000u64..5_000_000_000)
        .prop_map(|(bytes, gap_ns, rest_bytes_per_s)| DramRows { bytes, gap_ns, rest_bytes_per_s });
    let rows = (any::<bool>(), prop::option::of(rows));
    let dram = (0u64..2_000, prop::option::of(10_000_000u64..5_000_000_000), rows);
    let further = (any::<bool>(), any::<bool>(), any::<bool>());
    let link = (link, dram, further);
    (counts, 0usize..4, rules, times, link, suspend, arbitrations, (cache, copyback, any::<bool>())).prop_map(
        |(
            (channels, ways, dies, planes, blocks, pages, overprovisioning),
            unit,
            rule,
            times,
            (link, (access_ns, bytes_per_s, (whole_requests, rows)), (chips, written, apart)),
            suspend,
            arbitration,
            (cache, (supported, same_plane_only, check_every), slc_mode),
        )| {
            let mut device = device(channels, ways, dies, planes);
            device.geometry.blocks = blocks + 8;
            device.geometry.pages = pages;
            device.geometry.pages_per_program =
                [3, 2, 1].into_iter().find(|&at_once| pages % at_once == 0).unwrap_or(1);
            device.geometry.mapping_unit_bytes = UNITS[unit];
            device.capacity.overprovisioning = Some(overprovisioning);
            device.multi_plane.rule = rule;
            (device.cell.read_ns, device.cell.program_ns) = (vec![times.0], vec![times.1]);
            device.cell.erase_ns = times.2;
            device.channel.read_command_ns = times.3;
            device.channel.mega_transfers_per_s = f64::from(times.4);
            device.link = LinkConfig {
                bytes_per_s: link.0,
                submission_ns: link.1,
                completion_ns: link.2,
                host_memory_ns: 5 * link.1,
                read_data: if link.1 % 2 == 0 { LinkData::Request } else { LinkData::Page },
                write_data: if link.2 % 2 == 0 { LinkData::Request } else { LinkData::Page },
                max_transfer_bytes: link.3.map(|units| units * u64::from(UNITS[unit])),
            };
            device.dram = DramConfig { bytes: None, access_ns, bytes_per_s, whole_requests, rows };
            device.suspend = SuspendConfig {
                program_ns: suspend.0,
                erase_ns: suspend.1,
                resume_ns: suspend.2,
                max_per_operation: suspend.3,
                program_step_ns: suspend.4.0,
                erase_step_ns: suspend.4.1,
                program_repeats_ns: suspend.4.2,
                erase_repeats_ns: suspend.4.2,
            };
            device.channel.arbitration = arbitration;
            device.cache_mode = CacheModeConfig {
                read: cache.0,
                program: cache.1,
                read_order: cache.2,
                read_busy_ns: cache.3,
                program_busy_ns: cache.4,
            };
            if written {
                device.channel.program_data = ProgramData::Written;
            }
            if chips {
                device.channel.commands = CommandTaker::Chip;
                device.channel.arbitration = ChannelArbitration::DataOutFirst;
                device.cache_mode = CacheModeConfig::default();
            }
            device.copyback =
                CopybackConfig { supported, same_plane_only, check_every, ..Default::default() };
            if apart && !chips && !device.cache_mode.read {
                device.die.independent_planes = IndependentPlanes::Reads;
            }
            let plain = !(apart || chips || device.cache_mode.read || device.cache_mode.program);
            if supported && same_plane_only && plain && check_every % 2 == 0 {
                device.copyback.blocks = CopybackBlocks::Plane;
            }
            if slc_mode {
                device.cell.technology = CellTechnology::Tlc;
                let [read_ns, program_ns, erase_ns] = [times.0 / 2, times.1 / 4, times.2 / 2];
                device.slc_mode = Some(SlcModeConfig { read_ns, program_ns, erase_ns });
            }
            device
        },
    )
}

pub fn ideals() -> impl Strategy<Value = IdealConfig> {
    let servers = prop_oneof![
        3 => Just(SecondServer::None),
        1 => Just(SecondServer::Die),
        1 => Just(SecondServer::DieAndChannel)
    ];
    servers.prop_map(|second_server| IdealConfig { second_server })
}

/// Chips that take commands as one have no second server.
pub fn fitting(ideal: IdealConfig, device: &DeviceConfig) -> IdealConfig {
    if device.channel.commands == CommandTaker::Chip { IdealConfig::default() } else { ideal }
}
