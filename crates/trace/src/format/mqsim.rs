//! MQSim ASCII: `time_ns device first_sector sectors type`, type 0 = write, 1 = read.

use super::fields::{blank_fields, device, scaled, time};
use super::quick::{Column, Layout};
use super::{Expected, Row, Rules};

pub(super) const LAYOUT: Layout = Layout {
    columns: &[Column::Time, Column::Device, Column::Offset, Column::Length, Column::Op],
    needed: 5,
    more: false,
    separator: b' ',
    op: |field, rules| rules.op_of_digit(field),
};

pub(super) fn parse(line: &[u8], rules: &Rules) -> Result<Row, Expected> {
    let [arrival, device_field, first, count, kind] =
        blank_fields(line).ok_or("five fields: time_ns device first_sector sectors type")?;
    Ok(Row {
        time: time(arrival, rules.unit_ns).ok_or("a time in the first field")?,
        device: device(device_field).ok_or("a device from 0 to 65535 in the second field")?,
        offset: scaled(first, rules.offset_unit).ok_or("a first sector in the third field")?,
        length: scaled(count, rules.length_unit).ok_or("a number of sectors in the fourth field")?,
        op: rules.op_of_digit(kind).ok_or("0 (write) or 1 (read) in the fifth field")?,
        ..Row::EMPTY
    })
}

#[cfg(test)]
mod tests {
    use super::super::Form;
    use super::super::plain::plain;
    use super::*;
    use wordline_base::request::HostOp;

    const RULES: Rules = Rules::of(Form::Mqsim);

    #[test]
    fn type_0_writes_and_type_1_reads_in_sectors_of_512_bytes() {
        let row = Row {
            time: 938_513_000,
            op: HostOp::Write,
            offset: 20 * 512,
            length: 16 * 512,
            device: 4,
            ..Row::EMPTY
        };
        assert_eq!(plain(&RULES, b"938513000 4 20 16 0"), Ok(row));
        assert_eq!(plain(&RULES, b" 938513000\t4  20 16 1 "), Ok(Row { op: HostOp::Read, ..row }));
    }

    #[test]
    fn the_size_of_a_sector_can_be_given() {
        let rules = Rules { offset_unit: 1, length_unit: 1, ..RULES };
        assert_eq!(plain(&rules, b"0 0 4096 8192 1").map(|row| (row.offset, row.length)), Ok((4096, 8192)));
    }

    #[test]
    fn bad_lines_say_which_field() {
        for (line, part) in [
            ("1 2 3 4", "five fields"),
            ("1 2 3 4 1 6", "five fields"),
            ("-1 2 3 4 1", "time"),
            ("1 65536 3 4 1", "device"),
            ("1 2 36028797018963968 4 1", "first sector"),
            ("1 2 3 x 1", "number of sectors"),
            ("1 2 3 4 2", "0 (write) or 1 (read)"),
        ] {
            let error = plain(&RULES, line.as_bytes()).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
