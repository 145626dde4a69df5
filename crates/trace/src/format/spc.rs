//! SPC: `ASU,LBA,size,opcode,timestamp`, as of the UMass repository (Financial, WebSearch): blocks of 512 bytes, size
//! in bytes, opcode R or W in any case, decimal seconds. Optional further fields are passed over.
//!
//! Described by the Storage Performance Council's trace file format, revision 1.0.1.

use super::fields::{device, first_fields, scaled, time};
use super::ops::read_or_write;
use super::quick::{Column, Layout};
use super::{Expected, Row, Rules};

pub(super) const LAYOUT: Layout = Layout {
    columns: &[Column::Device, Column::Offset, Column::Length, Column::Op, Column::Time],
    needed: 5,
    more: true,
    separator: b',',
    op: |field, _| read_or_write(field),
};

pub(super) fn parse(line: &[u8], rules: &Rules) -> Result<Row, Expected> {
    let [asu, lba, size, opcode, timestamp] = first_fields(line).ok_or("ASU,LBA,size,opcode,timestamp")?;
    Ok(Row {
        time: time(timestamp, rules.unit_ns).ok_or("a time in seconds in the fifth field")?,
        op: read_or_write(opcode).ok_or("R or W in the fourth field")?,
        offset: scaled(lba, rules.offset_unit).ok_or("a first block in the second field")?,
        length: scaled(size, rules.length_unit).ok_or("a size in bytes in the third field")?,
        device: device(asu).ok_or("an application storage unit from 0 to 65535 in the first field")?,
        ..Row::EMPTY
    })
}

#[cfg(test)]
mod tests {
    use super::super::Form;
    use super::super::plain::plain;
    use super::*;
    use wordline_base::request::HostOp;

    const RULES: Rules = Rules::of(Form::Spc);

    #[test]
    fn blocks_are_512_bytes_sizes_bytes_and_times_seconds() {
        let row = Row {
            time: 26_214_000,
            op: HostOp::Write,
            offset: 303_574 * 512,
            length: 3584,
            device: 1,
            ..Row::EMPTY
        };
        assert_eq!(plain(&RULES, b"1,303574,3584,w,0.026214"), Ok(row));
        assert_eq!(plain(&RULES, b"1, 303574, 3584, W, 0.026214, 7, x"), Ok(row));
        assert_eq!(plain(&RULES, b"1,303574,3584,R,0.026214").map(|row| row.op), Ok(HostOp::Read));
    }

    #[test]
    fn bad_lines_say_which_field() {
        for (line, part) in [
            ("0,1,512,r", "ASU,LBA"),
            ("70000,1,512,r,0", "storage unit"),
            ("0,-1,512,r,0", "first block"),
            ("0,1,x,r,0", "size"),
            ("0,1,512,q,0", "R or W"),
            ("0,1,512,r,now", "time"),
        ] {
            let error = plain(&RULES, line.as_bytes()).unwrap_err();
            assert!(error.contains(part), "{line}: {error}");
        }
    }
}
