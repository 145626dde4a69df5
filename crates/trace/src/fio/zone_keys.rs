//! `zonemode` and what belongs to it.

use super::options::Settings;
use super::values::{Base, share, switch, whole};
use crate::config::{HostZones, Strided};

/// What a job goes through.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct ZoneKeys {
    /// Zones that are used one after the other.
    pub strided: Option<Strided>,
    /// Zones that are written at their write pointers.
    pub zones: Option<HostZones>,
}

enum Mode {
    None,
    Strided,
    Zbd,
}

impl ZoneKeys {
    pub(super) fn read(keys: &mut Settings<'_>, base: Base) -> Self {
        let mode = keys.take_value("zonemode", |text| match text {
            "none" => Ok(Mode::None),
            "strided" => Ok(Mode::Strided),
            "zbd" => Ok(Mode::Zbd),
            _ => Err("none, strided or zbd".into()),
        });
        let size = keys.take_value("zonesize", |text| positive(text, base));
        match (mode, size) {
            (Some(Mode::None), _) | (None, None) => {
                for key in ["zonerange", "zoneskip"] {
                    keys.take_value(key, |text| base.bytes(text));
                }
                Self::default()
            }
            (Some(Mode::Strided), None) => {
                keys.wrong("zonemode=strided needs a zonesize");
                Self::default()
            }
            (Some(Mode::Zbd), None) => {
                keys.wrong(
                    "zonemode=zbd needs a zonesize: the drive has no zones of its own (--fio zonesize=256M)",
                );
                Self::default()
            }
            (Some(Mode::Zbd), Some(zone_bytes)) => {
                Self { zones: Some(host_zones(keys, base, zone_bytes)), strided: None }
            }
            (Some(Mode::Strided) | None, Some(transfer_bytes)) => {
                let range = keys.take_value("zonerange", |text| positive(text, base));
                let skip_bytes = keys.take_value("zoneskip", |text| base.bytes(text)).unwrap_or(0);
                let zone_bytes = range.unwrap_or(transfer_bytes);
                Self { strided: Some(Strided { zone_bytes, transfer_bytes, skip_bytes }), zones: None }
            }
        }
    }
}

fn positive(text: &str, base: Base) -> Result<u64, String> {
    base.bytes(text).and_then(|bytes| if bytes > 0 { Ok(bytes) } else { Err("1 byte or more".into()) })
}

fn host_zones(keys: &mut Settings<'_>, base: Base, zone_bytes: u64) -> HostZones {
    let skip = |text: &str| match base.bytes(text)? {
        0 => Ok(()),
        _ => Err("0 with zonemode=zbd: parts of zones that are skipped aren't modelled".to_owned()),
    };
    keys.take_value("zoneskip", skip);
    let capacity = keys.take_value("zonecapacity", |text| match positive(text, base)? {
        bytes if bytes <= zone_bytes => Ok(bytes),
        _ => Err("at most zonesize".to_owned()),
    });
    let [most_open, most_open_of_job] = ["max_open_zones", "job_max_open_zones"]
        .map(|key| keys.take_value(key, |text| whole(text, 0, 1 << 32)).filter(|zones| *zones > 0));
    if most_open.is_none() && most_open_of_job.is_some() {
        keys.wrong("job_max_open_zones: allowed: beside max_open_zones, as in fio");
    }
    let ends = |text: &str| match text {
        "0" => Ok(()),
        _ => Err("0: ends of zones that hold no whole block aren't written".to_owned()),
    };
    keys.take_value("write_zone_remainder", ends);
    keys.take_value("zonerange", |text| base.bytes(text));
    HostZones {
        zone_bytes,
        capacity_bytes: capacity,
        most_open,
        most_open_of_job,
        first: 0,
        every: 1,
        reads_beyond: keys.take("read_beyond_wp", switch).unwrap_or(false),
        reset_share: keys.take_value("zone_reset_threshold", share).unwrap_or(0.0),
        reset_frequency: keys.take_value("zone_reset_frequency", share).unwrap_or(0.0),
    }
}

/// Zones of one of several copies of a job on one file: they share out how many may be open, and, where all use the `same` part
/// of it, the zones.
pub(super) fn of_copy(zones: HostZones, copy: u64, copies: u64, same: bool) -> HostZones {
    let most_open = zones.most_open.map(|most| (most / copies + u64::from(copy < most % copies)).max(1));
    let (first, every) = if same { (copy, copies.max(1)) } else { (zones.first, zones.every) };
    HostZones { first, every, most_open, ..zones }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_share_out_the_zones_that_may_be_open() {
        let zones = HostZones { zone_bytes: 1 << 20, most_open: Some(5), every: 1, ..HostZones::default() };
        let of = |copy| of_copy(zones, copy, 3, true);
        assert_eq!([0, 1, 2].map(|copy| of(copy).most_open), [Some(2), Some(2), Some(1)]);
        assert_eq!((of(2).first, of(2).every), (2, 3));
        assert_eq!(of_copy(HostZones { most_open: None, ..zones }, 1, 2, true).most_open, None);
        assert_eq!(of_copy(zones, 2, 3, false).every, 1);
    }
}
