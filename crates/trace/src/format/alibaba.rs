//! Alibaba block traces (Li et al., IISWC '20): `device_id,opcode,offset,length,timestamp`: R or W, bytes,
//! microseconds.

use super::fields::{comma_fields, device, scaled, time};
use super::ops::read_or_write;
use super::quick::{Column, Layout};
use super::{Expected, Row, Rules};

const EXPECTED: Expected = "device_id,opcode,offset,length,timestamp";

pub(super) const LAYOUT: Layout = Layout {
    columns: &[Column::Device, Column::Op, Column::Offset, Column::Length, Column::Time],
    needed: 5,
    more: false,
    separator: b',',
    op: |field, _| read_or_write(field),
};

pub(super) fn is_header(line: &[u8]) -> bool {
    line.trim_ascii().eq_ignore_ascii_case(EXPECTED.as_bytes())
}

pub(super) fn parse(line: &[u8], rules: &Rules) -> Result<Row, Expected> {
    let [device_id, opcode, offset, length, timestamp] = comma_fields(line).ok_or(EXPECTED)?;
    Ok(Row {
        time: time(timestamp, rules.unit_ns).ok_or("a time in microseconds in the fifth field")?,
        op: read_or_write(opcode).ok_or("R or W in the second field")?,
        offset: scaled(offset, rules.offset_unit).ok_or("an offset in bytes in the third field")?,
        length: scaled(length, rules.length_unit).ok_or("a length in bytes in the fourth field")?,
        device: device(device_id).ok_or("a device from 0 to 65535 in the first field")?,
        ..Row::EMPTY
    })
}

#[cfg(test)]
mod tests {
    use super::super::Form;
    use super::super::plain::plain;
    use super::*;
    use wordline_base::request::HostOp;

    const RULES: Rules = Rules::of(Form::Alibaba);

    #[test]
    fn times_are_microseconds_and_addresses_bytes() {
        let row = Row {
            time: 1_577_808_144_360_413_000,
            op: HostOp::Write,
            offset: 8_739_680_256,
            length: 12_288,
            device: 64,
            ..Row::EMPTY
        };
        assert_eq!(plain(&RULES, b"64,W,8739680256,12288,1577808144360413"), Ok(row));
        assert!(is_header(b"device_id,opcode,offset,length,timestamp"));
    }

    #[test]
    fn bad_lines_say_which_field() {
        for (line, part) in [
            ("64,W,0,512", "device_id,opcode"),
            ("x,W,0,512,1", "device"),
            ("64,T,0,512,1", "R or W"),
            ("64,W,-,512,1", "offset"),
            ("64,W,0,5e2,1", "length"),
            ("64,W,0,512,", "time"),
        ] {
            let error = plain(&RULES, line.as_bytes()).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
