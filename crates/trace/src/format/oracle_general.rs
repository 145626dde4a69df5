//! libCacheSim's binary oracleGeneral, little endian, 24 bytes: time u32 (s), object u64, size u32 (bytes), next access i64
//! (a number of the request, or −1 or 2^63 − 1 for none). In the block traces that are published so an object is the number
//! of a block of 512 bytes. It tells no operations: all requests are taken for reads.
//!
//! Described by libCacheSim's reader (traceReader/customizedReader/oracle/oracleGeneralBin.h).

use std::io::Read;

use wordline_base::request::HostOp;

use super::records::{Order, RecordFault, Records};
use super::{Row, Rules, plausible};

const BYTES: usize = 24;

/// Records that are looked at to tell the form.
const SAMPLE: usize = 64;

/// Most requests that a trace is thought to have: a next access beyond is none.
const MOST: i64 = 1 << 44;

/// What is said of every such trace.
pub(crate) const ASSUMED: &str = "it tells no operations: all requests are taken for reads; objects are taken for blocks of \
                                  512 bytes (`offset_unit_bytes` gives another size)";

/// Whether all of the first records are such: times that don't go back, sizes, and next accesses that lie ahead.
pub(super) fn fits(head: &[u8]) -> bool {
    let mut last = 0;
    let mut records = (0..).zip(head.chunks_exact(BYTES).take(SAMPLE)).peekable();
    records.peek().is_some()
        && records.all(|(number, record)| {
            let (time, size) = (Order::Little.u32(record, 0), Order::Little.u32(record, 12));
            let next = Order::Little.u64(record, 16) as i64;
            let ahead = next == -1 || next == i64::MAX || (number < next && next < MOST);
            let goes_on = time >= std::mem::replace(&mut last, time);
            goes_on && ahead && (1..=1 << 30).contains(&size)
        })
}

/// An open trace.
pub(crate) struct OracleGeneral<R> {
    records: Records<R>,
    rules: Rules,
}

impl<R: Read> OracleGeneral<R> {
    pub(crate) fn new(input: R, rules: Rules) -> Self {
        Self { records: Records::new(input), rules }
    }

    pub(crate) fn records(&self) -> &Records<R> {
        &self.records
    }

    pub(crate) fn next_row(&mut self) -> Result<Option<Row>, RecordFault> {
        let rules = self.rules;
        let Some(record) = self.records.next(BYTES)? else { return Ok(None) };
        let time = u128::from(Order::Little.u32(record, 0)) * u128::from(rules.unit_ns);
        let offset = Order::Little.u64(record, 4).checked_mul(rules.offset_unit);
        let length = u64::from(Order::Little.u32(record, 12)).checked_mul(rules.length_unit);
        let (Some(offset), Some(length)) = (offset, length) else {
            let expected = "an object that is the number of a block (a hash is no address)";
            return Err(self.records.bad(expected.into(), false));
        };
        plausible(Row { time, op: HostOp::Read, offset, length, ..Row::EMPTY })
            .map(Some)
            .map_err(|expected| self.records.bad(expected.into(), false))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::Form;
    use super::*;

    pub fn record(time: u32, object: u64, size: u32, next: i64) -> Vec<u8> {
        let mut record = time.to_le_bytes().to_vec();
        record.extend(object.to_le_bytes());
        record.extend(size.to_le_bytes());
        record.extend(next.to_le_bytes());
        record
    }

    #[test]
    fn objects_are_blocks_that_are_read() {
        let bytes = [record(5, 8, 4096, 2), record(5, 800, 512, -1), record(6, 8, 4096, i64::MAX)].concat();
        assert!(fits(&bytes) && fits(&bytes[..30]) && !fits(&bytes[..20]));
        let mut reader = OracleGeneral::new(&bytes[..], Rules::of(Form::OracleGeneral));
        let mut short = || reader.next_row().unwrap().map(|row| (row.time, row.op, row.offset, row.length));
        assert_eq!(short(), Some((5_000_000_000, HostOp::Read, 4096, 4096)));
        assert_eq!(short(), Some((5_000_000_000, HostOp::Read, 409_600, 512)));
        assert_eq!(short(), Some((6_000_000_000, HostOp::Read, 4096, 4096)));
        assert_eq!(short(), None);
    }

    #[test]
    fn other_bytes_are_none() {
        for (first, second) in [
            (record(5, 8, 4096, 0), record(5, 8, 4096, -1)),
            (record(5, 8, 0, -1), record(5, 8, 4096, -1)),
            (record(5, 8, 512, -1), record(4, 8, 4096, -1)),
            (record(5, 8, 512, MOST), record(5, 8, 4096, -1)),
        ] {
            assert!(!fits(&[first, second].concat()));
        }
        assert!(!fits(&b"1538323200,12910952,128,0,1063\n".repeat(9)) && !fits(&[0; 240]));
    }

    #[test]
    fn hashes_are_no_addresses() {
        let bytes = record(5, u64::MAX / 3, 4096, -1);
        let fault = OracleGeneral::new(&bytes[..], Rules::of(Form::OracleGeneral)).next_row().unwrap_err();
        let RecordFault::Bad { expected, .. } = fault else { panic!("{fault:?}") };
        assert!(expected.contains("a hash"), "{expected}");
    }
}
