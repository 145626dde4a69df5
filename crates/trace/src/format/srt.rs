//! HP Labs SRT traces (IOREC 1.3, as shipped with DiskSim for hplajw): a text header up to a form feed, then records,
//! big endian, each beginning with its length: length u32, type u16, version u16, seconds u32, microseconds u32, start
//! u32, end u32, bytes u32, address u32 in units of 256 bytes, device u32 (its third byte is the disk), two u32, flags
//! u32 (bit 0 says read).
//!
//! No description is published: the fields were found by comparison with a converted copy of the same week.

use std::io::Read;

use super::records::{Order, RecordFault, Records};
use super::{Row, Rules, plausible};

/// How a file begins.
pub(super) const MAGIC: &[u8] = b"$$TR_IOREC";

/// Bytes of a unit of addresses.
const ADDRESS_UNIT: u64 = 256;

/// Bytes of a record that hold fields.
const FIELDS: usize = 52;

/// An open trace.
pub(crate) struct Srt<R> {
    records: Records<R>,
    rules: Rules,
    begun: bool,
}

impl<R: Read> Srt<R> {
    pub(crate) fn new(input: R, rules: Rules) -> Self {
        Self { records: Records::new(input), rules, begun: false }
    }

    pub(crate) fn records(&self) -> &Records<R> {
        &self.records
    }

    pub(crate) fn next_row(&mut self) -> Result<Option<Row>, RecordFault> {
        if !std::mem::replace(&mut self.begun, true) && !self.records.pass_behind(b'\x0c')? {
            return Err(self.records.bad("a header that ends with a form feed".into(), true));
        }
        let Some(record) = self.records.next(FIELDS)? else { return Ok(None) };
        let length = Order::Big.u32(record, 0) as usize;
        let row = row(record, &self.rules);
        if !(FIELDS..=4096).contains(&length) {
            return Err(self.records.bad("a length of 52 to 4096 in the record's first word".into(), true));
        }
        let row = plausible(row).map_err(|expected| self.records.bad(expected.into(), false));
        self.records.pass_over((length - FIELDS) as u64)?;
        row.map(Some)
    }
}

fn row(record: &[u8], rules: &Rules) -> Row {
    let word = |at| u64::from(Order::Big.u32(record, at));
    let micros = u128::from(word(8)) * 1_000_000 + u128::from(word(12));
    Row {
        time: micros * u128::from(rules.unit_ns),
        op: rules.op_of((word(44) & 1) as u8),
        offset: word(28) * ADDRESS_UNIT,
        length: word(24),
        device: ((word(32) >> 8) & 0xff) as u16,
        ..Row::EMPTY
    }
}

#[cfg(test)]
mod tests {
    use super::super::Form;
    use super::*;
    use wordline_base::request::HostOp;

    fn record(seconds: u32, bytes: u32, address: u32, device: u32, flags: u32) -> Vec<u8> {
        let words = [56, 0x4_0001, seconds, 5, 0, 0, bytes, address, device, 4, 1, flags, 0x70000, 1];
        words.iter().flat_map(|word: &u32| word.to_be_bytes()).collect()
    }

    #[test]
    fn records_follow_the_header() {
        let records = [record(0, 4096, 16, 0x0800_0107, 1), record(30, 8192, 3, 0x0800_0008, 0x8810a)];
        let bytes = [&b"$$TR_IOREC-1.3\0\nversion = 1.3;\n};\n\x0c"[..], &records.concat()].concat();
        let mut srt = Srt::new(&bytes[..], Rules::of(Form::Srt));
        let first =
            Row { time: 5_000, op: HostOp::Read, offset: 4096, length: 4096, device: 1, ..Row::EMPTY };
        assert_eq!(srt.next_row().unwrap(), Some(first));
        let second = Row {
            time: 30_000_005_000,
            op: HostOp::Write,
            offset: 768,
            length: 8192,
            device: 0,
            ..Row::EMPTY
        };
        assert_eq!(srt.next_row().unwrap(), Some(second));
        assert_eq!(srt.next_row().unwrap(), None);
    }

    #[test]
    fn a_missing_header_and_a_wrong_length_are_faults() {
        let mut srt = Srt::new(&b"$$TR_IOREC"[..], Rules::of(Form::Srt));
        assert!(srt.next_row().is_err());
        let mut bytes = b"\x0c".to_vec();
        bytes.extend(record(0, 4096, 16, 0, 1));
        bytes[4] = 3;
        assert!(Srt::new(&bytes[..], Rules::of(Form::Srt)).next_row().is_err());
    }
}
