//! DiskSim ASCII: `time_ms device first_block blocks flags`: decimal milliseconds, hexadecimal flags of which bit 0
//! says read.

use wordline_base::request::HostOp;

use super::fields::{blank_fields, device, scaled, time};
use super::quick::{Column, Layout};
use super::{Expected, Row, Rules};

/// Length of a millisecond, ns.
pub(super) const UNIT_NS: u64 = 1_000_000;

pub(super) const LAYOUT: Layout = Layout {
    columns: &[Column::Time, Column::Device, Column::Offset, Column::Length, Column::Op],
    needed: 5,
    more: false,
    separator: b' ',
    op: op_of,
};

pub(super) fn parse(line: &[u8], rules: &Rules) -> Result<Row, Expected> {
    let [arrival, device_field, first, count, flags] =
        blank_fields(line).ok_or("five fields: time_ms device first_block blocks flags")?;
    Ok(Row {
        time: time(arrival, rules.unit_ns).ok_or("a time in the first field")?,
        device: device(device_field).ok_or("a device from 0 to 65535 in the second field")?,
        offset: scaled(first, rules.offset_unit).ok_or("a first block in the third field")?,
        length: scaled(count, rules.length_unit).ok_or("a number of blocks in the fourth field")?,
        op: op_of(flags, rules).ok_or("hexadecimal flags in the fifth field")?,
        ..Row::EMPTY
    })
}

fn op_of(flags: &[u8], rules: &Rules) -> Option<HostOp> {
    let digits = flags.strip_prefix(b"0x").unwrap_or(flags);
    if digits.len() > 16 || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let last = char::from(*digits.last()?).to_digit(16)?;
    Some(rules.op_of((last & 1) as u8))
}

#[cfg(test)]
mod tests {
    use super::super::Form;
    use super::super::plain::plain;
    use super::*;

    const RULES: Rules = Rules::of(Form::Disksim);

    #[test]
    fn times_are_decimal_milliseconds() {
        let row = Row {
            time: 5_265_313_000,
            op: HostOp::Write,
            offset: 6_357_144 * 512,
            length: 4096,
            device: 0,
            ..Row::EMPTY
        };
        assert_eq!(plain(&RULES, b"5265.313 0 6357144 8 0"), Ok(row));
    }

    #[test]
    fn bit_0_of_the_flags_says_read() {
        for (flags, op) in [
            ("0", HostOp::Write),
            ("1", HostOp::Read),
            ("10", HostOp::Write),
            ("3", HostOp::Read),
            ("0x80000001", HostOp::Read),
            ("e", HostOp::Write),
        ] {
            let line = format!("1.5 0 8 8 {flags}");
            assert_eq!(plain(&RULES, line.as_bytes()).map(|row| row.op), Ok(op), "{flags}");
        }
    }

    #[test]
    fn bad_lines_say_which_field() {
        for (line, part) in [
            ("1.0 2 3 4", "five fields"),
            ("1.0e5 2 3 4 1", "time"),
            ("1.0 x 3 4 1", "device"),
            ("1.0 2 -3 4 1", "first block"),
            ("1.0 2 3 4.0 1", "number of blocks"),
            ("1.0 2 3 4 R", "flags"),
            ("1.0 2 3 4 0x", "flags"),
        ] {
            let error = plain(&RULES, line.as_bytes()).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
