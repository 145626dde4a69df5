//! Tencent CBS (Zhang et al., ATC '20): `Timestamp,Offset,Size,IOType,VolumeID`: seconds since 1970, sectors of 512
//! bytes, 0 = read, 1 = write.

use super::fields::{comma_fields, device, scaled, time};
use super::quick::{Column, Layout};
use super::{Expected, Row, Rules};

const EXPECTED: Expected = "Timestamp,Offset,Size,IOType,VolumeID";

pub(super) const LAYOUT: Layout = Layout {
    columns: &[Column::Time, Column::Offset, Column::Length, Column::Op, Column::Device],
    needed: 5,
    more: false,
    separator: b',',
    op: |field, rules| rules.op_of_digit(field),
};

pub(super) fn is_header(line: &[u8]) -> bool {
    line.trim_ascii().eq_ignore_ascii_case(EXPECTED.as_bytes())
}

pub(super) fn parse(line: &[u8], rules: &Rules) -> Result<Row, Expected> {
    let [timestamp, offset, size, kind, volume] = comma_fields(line).ok_or(EXPECTED)?;
    Ok(Row {
        time: time(timestamp, rules.unit_ns).ok_or("a time in seconds in the first field")?,
        op: rules.op_of_digit(kind).ok_or("0 (read) or 1 (write) in the fourth field")?,
        offset: scaled(offset, rules.offset_unit).ok_or("a first sector in the second field")?,
        length: scaled(size, rules.length_unit).ok_or("a number of sectors in the third field")?,
        device: device(volume).ok_or("a volume from 0 to 65535 in the fifth field")?,
        ..Row::EMPTY
    })
}

#[cfg(test)]
mod tests {
    use super::super::Form;
    use super::super::plain::plain;
    use super::*;
    use wordline_base::request::HostOp;

    const RULES: Rules = Rules::of(Form::Tencent);

    #[test]
    fn type_0_reads_in_sectors_at_whole_seconds() {
        let row = Row {
            time: 1_538_323_200_000_000_000,
            op: HostOp::Read,
            offset: 12_910_952 * 512,
            length: 128 * 512,
            device: 1063,
            ..Row::EMPTY
        };
        assert_eq!(plain(&RULES, b"1538323200,12910952,128,0,1063"), Ok(row));
        assert_eq!(plain(&RULES, b"1538323200,12910952,128,1,1063").map(|row| row.op), Ok(HostOp::Write));
        let swapped = Rules { read_is: 1, ..RULES };
        assert_eq!(plain(&swapped, b"1538323200,12910952,128,1,1063").map(|row| row.op), Ok(HostOp::Read));
    }

    #[test]
    fn bad_lines_say_which_field() {
        for (line, part) in [
            ("1,2,3,0", "Timestamp,Offset"),
            ("x,2,3,0,5", "time"),
            ("1,x,3,0,5", "first sector"),
            ("1,2,x,0,5", "number of sectors"),
            ("1,2,3,2,5", "0 (read) or 1 (write)"),
            ("1,2,3,0,65536", "volume"),
        ] {
            let error = plain(&RULES, line.as_bytes()).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
