//! Commands that an engine sends in the place of writes.

use super::options::Settings;
use crate::config::FioConfig;

/// Whether a job sends verify commands where it would write. One `in_zones` may append to them.
pub(super) fn verifies(keys: &mut Settings<'_>, in_zones: bool, notes: &mut Vec<String>) -> bool {
    let of_nvme = keys.take_value("write_mode", |text| match text {
        "write" => Ok(false),
        "zone_append" if in_zones => {
            notes.push(
                "write_mode=zone_append: a write at the write pointer, which the host keeps".to_owned(),
            );
            Ok(false)
        }
        "verify" => Ok(true),
        _ => Err("write, or verify alone: the drive has no other commands in their place".into()),
    });
    let of_scsi = keys.take_value("sg_write_mode", |text| match text {
        "write" | "write_stream" => Ok(false),
        "verify_bytchk_00" | "verify_bytchk_01" | "verify_bytchk_11" => Ok(true),
        _ => Err("write, write_stream or verify_bytchk_00, _01 or _11: the drive has no other commands in \
                  their place"
            .into()),
    });
    of_nvme.or(of_scsi).unwrap_or(false)
}

/// Makes the writes of a job the reads that a drive does to verify what it holds.
pub(super) fn verify_in_place_of_writes(load: &mut FioConfig, keys: &mut Settings<'_>) -> Option<String> {
    let write = load.write.take()?;
    if load.read.is_some() || load.trim.is_some() {
        keys.wrong("verify commands in the place of writes: allowed: rw=write or rw=randwrite");
        return None;
    }
    if load.zones.is_some() {
        keys.wrong("verify commands in the place of writes: allowed: without zonemode=zbd");
    }
    load.read = Some(write);
    load.verify = None;
    Some("verify commands: the drive reads what it verifies; here that goes to the host, too, and is never wrong".to_owned())
}
