//! What replayers of block traces take (huaicheng/replayer, LinnOS, IODA, Heimdall): `time_ms device offset_bytes
//! length_bytes type`: decimal milliseconds, bytes, type 1 = read, 0 = write. The columns are DiskSim's, the units not.
//!
//! Described by the README of huaicheng/replayer.

use super::fields::{blank_fields, device, scaled, time};
use super::quick::Layout;
use super::{Expected, Row, Rules, mqsim};

pub(super) const LAYOUT: Layout = mqsim::LAYOUT;

pub(super) fn parse(line: &[u8], rules: &Rules) -> Result<Row, Expected> {
    let [arrival, device_field, offset, length, kind] =
        blank_fields(line).ok_or("five fields: time_ms device offset_bytes length_bytes type")?;
    Ok(Row {
        time: time(arrival, rules.unit_ns).ok_or("a time in milliseconds in the first field")?,
        device: device(device_field).ok_or("a device from 0 to 65535 in the second field")?,
        offset: scaled(offset, rules.offset_unit).ok_or("an offset in bytes in the third field")?,
        length: scaled(length, rules.length_unit).ok_or("a length in bytes in the fourth field")?,
        op: rules.op_of_digit(kind).ok_or("0 (write) or 1 (read) in the fifth field")?,
        ..Row::EMPTY
    })
}

#[cfg(test)]
mod tests {
    use wordline_base::request::HostOp;

    use super::super::Form;
    use super::super::plain::plain;
    use super::*;

    const RULES: Rules = Rules::of(Form::Replayer);

    #[test]
    fn times_are_milliseconds_and_addresses_bytes() {
        let row = Row {
            time: 223_412_000,
            op: HostOp::Write,
            offset: 3_159_347_200,
            length: 36_864,
            device: 0,
            ..Row::EMPTY
        };
        assert_eq!(plain(&RULES, b"223.412 0 3159347200 36864 0"), Ok(row));
        assert_eq!(plain(&RULES, b"223.412 0 3159347200 36864 1"), Ok(Row { op: HostOp::Read, ..row }));
    }

    #[test]
    fn bad_lines_say_which_field() {
        for (line, part) in [
            ("0.5 0 4096 4096", "five fields"),
            ("x 0 4096 4096 1", "time"),
            ("0.5 x 4096 4096 1", "device"),
            ("0.5 0 -1 4096 1", "offset"),
            ("0.5 0 4096 4k 1", "length"),
            ("0.5 0 4096 4096 2", "0 (write)"),
        ] {
            let error = plain(&RULES, line.as_bytes()).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
