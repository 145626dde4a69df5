//! DiskMon logs (Sysinternals): `number time duration disk request sector length`, blanks or tabs between: decimal
//! seconds since the log began, `Read` or `Write`, sectors of 512 bytes.

use super::fields::{blank_fields, device, number, scaled, time};
use super::ops::read_or_write;
use super::quick::{Column, Layout};
use super::{Expected, Row, Rules};

pub(super) const LAYOUT: Layout = Layout {
    columns: &[
        Column::Number,
        Column::Time,
        Column::Latency,
        Column::Device,
        Column::Op,
        Column::Offset,
        Column::Length,
    ],
    needed: 7,
    more: false,
    separator: b' ',
    op: |field, _| read_or_write(field),
};

pub(super) fn parse(line: &[u8], rules: &Rules) -> Result<Row, Expected> {
    let [count, arrival, duration, disk, request, sector, length] =
        blank_fields(line).ok_or("seven fields: number time duration disk request sector length")?;
    number(count).ok_or("a number in the first field")?;
    Ok(Row {
        time: time(arrival, rules.unit_ns).ok_or("a time in seconds in the second field")?,
        op: read_or_write(request).ok_or("Read or Write in the fifth field")?,
        offset: scaled(sector, rules.offset_unit).ok_or("a first sector in the sixth field")?,
        length: scaled(length, rules.length_unit).ok_or("a number of sectors in the seventh field")?,
        device: device(disk).ok_or("a disk from 0 to 65535 in the fourth field")?,
        latency: rules.latency_of(duration),
    })
}

#[cfg(test)]
mod tests {
    use super::super::plain::plain;
    use super::super::{Form, Latency};
    use super::*;
    use wordline_base::request::HostOp;

    const RULES: Rules = Rules::of(Form::Diskmon);

    #[test]
    fn times_are_seconds_and_addresses_sectors() {
        let row = Row {
            time: 4_656_875_000,
            op: HostOp::Write,
            offset: 6_194_591 * 512,
            length: 32 * 512,
            device: 0,
            latency: Latency::of(38_150),
        };
        assert_eq!(plain(&RULES, b"0\t4.656875\t0.00003815\t0\tWrite\t6194591\t32"), Ok(row));
    }

    #[test]
    fn bad_lines_say_which_field() {
        for (line, part) in [
            ("0 1.5 0 0 Read 7", "seven fields"),
            ("x 1.5 0 0 Read 7 8", "first field"),
            ("0 1,5 0 0 Read 7 8", "time"),
            ("0 1.5 0 c Read 7 8", "disk"),
            ("0 1.5 0 0 Verify 7 8", "Read or Write"),
            ("0 1.5 0 0 Read -7 8", "first sector"),
            ("0 1.5 0 0 Read 7 8.0", "number of sectors"),
        ] {
            let error = plain(&RULES, line.as_bytes()).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
