//! Binary blktrace files, as the kernel writes them, one for each processor, merged by time. Records of 48 bytes in the
//! byte order of the machine, told by the magic number: magic u32 (0x65617400 + version 7), sequence u32, time u64 (ns),
//! sector u64, bytes u32, action u32, process u32, device u32, processor u32, error u16, and the length u16 of what
//! follows and is passed over. Sectors have 512 bytes.
//!
//! Described by include/uapi/linux/blktrace_api.h of the Linux kernel.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::Read;
use std::path::PathBuf;

use wordline_base::request::HostOp;

use crate::config::BlockEvent;

use super::blkparse::Transfer;
use super::left_out::LeftOut;
use super::names::Numbering;
use super::records::{Order, Place, RecordFault, Records};
use super::{Row, Rules, plausible};

const MAGIC: u32 = 0x6561_7400;
const VERSION: u32 = 7;
const RECORD: usize = 48;

/// Bits of the action's upper half.
mod class {
    pub const READ: u32 = 1;
    pub const WRITE: u32 = 1 << 1;
    pub const FLUSH: u32 = 1 << 2;
    pub const PASSTHROUGH: u32 = 1 << 9;
    pub const NOTIFY: u32 = 1 << 10;
    pub const DISCARD: u32 = 1 << 13;
    pub const FUA: u32 = 1 << 15;
}

/// Bytes that tell such a file, and [`begins_blktrace`] whether it is one.
pub(crate) const BLKTRACE_HEAD_BYTES: usize = 4;

/// Whether a file that begins so is a recording by blktrace.
pub(crate) fn begins_blktrace(head: &[u8]) -> bool {
    order_of(head).is_some()
}

/// The byte order in which a file begins with the magic number.
pub(super) fn order_of(head: &[u8]) -> Option<Order> {
    let is = |order: Order| head.len() >= BLKTRACE_HEAD_BYTES && order.u32(head, 0) & 0xffff_ff00 == MAGIC;
    [Order::Little, Order::Big].into_iter().find(|order| is(*order))
}

/// Open files of one trace.
pub(crate) struct Blktrace<R> {
    streams: Vec<Stream<R>>,
    /// Time of each stream's next event, and the stream.
    ready: BinaryHeap<Reverse<(u128, usize)>>,
    /// Streams whose next event isn't known yet.
    unread: Vec<usize>,
    devices: Numbering,
    rules: Rules,
    last: usize,
    left_out: LeftOut,
}

struct Stream<R> {
    path: PathBuf,
    records: Records<R>,
    next: Option<(Row, u32)>,
}

impl<R: Read> Blktrace<R> {
    /// Each input with its name.
    pub(crate) fn new(inputs: Vec<(PathBuf, R)>, rules: Rules) -> Self {
        let streams: Vec<_> = inputs
            .into_iter()
            .map(|(path, input)| Stream { path, records: Records::new(input), next: None })
            .collect();
        let unread = (0..streams.len()).collect();
        Self {
            streams,
            ready: BinaryHeap::new(),
            unread,
            devices: Numbering::default(),
            rules,
            last: 0,
            left_out: LeftOut::default(),
        }
    }

    /// What was passed over since it was asked last.
    pub(crate) fn take_left_out(&mut self) -> LeftOut {
        std::mem::take(&mut self.left_out)
    }

    /// Where the event given out last was, and in which file; `None` before the first.
    pub(crate) fn place(&self) -> Option<(&PathBuf, &Records<R>)> {
        self.streams.get(self.last).map(|stream| (&stream.path, &stream.records))
    }

    pub(crate) fn next_row(&mut self) -> Result<Option<Row>, RecordFault> {
        while let Some(number) = self.unread.pop() {
            self.advance(number)?;
        }
        let Some(Reverse((_, number))) = self.ready.pop() else { return Ok(None) };
        let found = self.streams.get_mut(number).and_then(|stream| stream.next.take());
        self.last = number;
        self.unread.push(number);
        let Some((row, device)) = found else { return Ok(None) };
        match self.devices.number(&device.to_be_bytes()) {
            Some(device) => Ok(Some(Row { device, ..row })),
            None => Err(RecordFault::Bad {
                file: None,
                place: Place::default(),
                shown: format!("device {device:x}"),
                expected: "at most 65536 devices".into(),
                last: true,
            }),
        }
    }

    /// Finds the next wanted event of a stream.
    fn advance(&mut self, number: usize) -> Result<(), RecordFault> {
        let Some(stream) = self.streams.get_mut(number) else { return Ok(()) };
        match stream.search(&self.rules, &mut self.left_out) {
            Ok(found) => {
                self.ready.extend(found.iter().map(|(row, _)| Reverse((row.time, number))));
                stream.next = found;
                Ok(())
            }
            Err(fault) => {
                // Behind a bad record the stream goes on, where it can.
                if !matches!(fault, RecordFault::Bad { last: true, .. }) {
                    self.unread.push(number);
                }
                Err(fault.in_file(stream.path.clone()))
            }
        }
    }
}

impl<R: Read> Stream<R> {
    fn search(&mut self, rules: &Rules, left_out: &mut LeftOut) -> Result<Option<(Row, u32)>, RecordFault> {
        loop {
            let Some(record) = self.records.next(RECORD)? else { return Ok(None) };
            let Some(order) = order_of(record) else {
                return Err(self.records.bad("the magic number of a blktrace record".into(), true));
            };
            let version = order.u32(record, 0) & 0xff;
            let (found, rest) = (event(record, order, rules, left_out), order.u16(record, 46));
            if version != VERSION {
                let expected = format!("blktrace's version {VERSION}, not {version}");
                return Err(self.records.bad(expected.into(), true));
            }
            let device = order.u32(record, 36);
            let found = match found {
                Some(Some(row)) => plausible(row).map(Some),
                Some(None) => Ok(None),
                None => Err("a sector below 2^55"),
            };
            let found = found.map_err(|expected| self.records.bad(expected.into(), false));
            self.records.pass_over(u64::from(rest))?;
            if let Some(row) = found? {
                return Ok(Some((row, device)));
            }
        }
    }
}

/// `None` for an impossible sector, `Some(None)` for an event that isn't wanted.
fn event(record: &[u8], order: Order, rules: &Rules, left_out: &mut LeftOut) -> Option<Option<Row>> {
    let action = order.u32(record, 28);
    let class = action >> 16;
    let event = match action & 0xff {
        _ if class & class::NOTIFY != 0 => return Some(None),
        1 => BlockEvent::Queue,
        7 => BlockEvent::Issue,
        8 => BlockEvent::Complete,
        _ => return Some(None),
    };
    left_out.event(event);
    if event != rules.event {
        return Some(None);
    }
    if class & class::PASSTHROUGH != 0 {
        left_out.commands += 1;
        return Some(None);
    }
    let is = |bit: u32| class & bit != 0;
    let transfer = Transfer {
        read: is(class::READ),
        write: is(class::WRITE),
        discard: is(class::DISCARD),
        flush: is(class::FLUSH),
        fua: is(class::FUA),
    };
    let length = u64::from(order.u32(record, 24)).checked_mul(rules.length_unit)?;
    let Some(op) = transfer.op(length) else {
        left_out.dataless += 1;
        return Some(None);
    };
    let time = u128::from(order.u64(record, 8)) * u128::from(rules.unit_ns);
    if op == HostOp::Flush {
        return Some(Some(Row { time, op, offset: 0, length: 0, device: 0, ..Row::EMPTY }));
    }
    let offset = order.u64(record, 16).checked_mul(rules.offset_unit)?;
    Some(Some(Row { time, op, offset, length, device: 0, ..Row::EMPTY }))
}

#[cfg(test)]
mod tests {
    use super::super::Form;
    use super::*;

    const ISSUE: u32 = 7;
    const READ: u32 = class::READ << 16;
    const WRITE: u32 = class::WRITE << 16;

    fn record(big: bool, time: u64, sector: u64, bytes: u32, action: u32, rest: &[u8]) -> Vec<u8> {
        let (word, long, half) = if big {
            (
                u32::to_be_bytes as fn(u32) -> [u8; 4],
                u64::to_be_bytes as fn(u64) -> [u8; 8],
                u16::to_be_bytes as fn(u16) -> [u8; 2],
            )
        } else {
            (
                u32::to_le_bytes as fn(u32) -> [u8; 4],
                u64::to_le_bytes as fn(u64) -> [u8; 8],
                u16::to_le_bytes as fn(u16) -> [u8; 2],
            )
        };
        let mut bytes_of = Vec::new();
        bytes_of.extend(word(MAGIC | VERSION));
        bytes_of.extend(word(1));
        bytes_of.extend(long(time));
        bytes_of.extend(long(sector));
        for value in [bytes, action, 99, (8 << 20) | 16, 0] {
            bytes_of.extend(word(value));
        }
        bytes_of.extend(half(0));
        bytes_of.extend(half(rest.len() as u16));
        bytes_of.extend(rest);
        bytes_of
    }

    fn rows(files: &[Vec<u8>]) -> Vec<(u128, HostOp, u64, u64)> {
        let inputs = files.iter().map(|file| (PathBuf::from("x"), &file[..])).collect();
        let mut blktrace = Blktrace::new(inputs, Rules::of(Form::Blktrace));
        let mut rows = Vec::new();
        while let Some(row) = blktrace.next_row().unwrap() {
            rows.push((row.time, row.op, row.offset, row.length));
        }
        rows
    }

    #[test]
    fn files_of_both_byte_orders_are_merged_by_time() {
        let first = [
            record(false, 10, 8, 4096, READ | ISSUE, b"cmd"),
            record(false, 15, 8, 4096, READ | 1, b""),
            record(false, 40, 0, 0, (class::FLUSH << 16) | ISSUE, b""),
            record(false, 45, 0, 6, (class::NOTIFY << 16) | ISSUE, b"daemon"),
        ]
        .concat();
        let second = [
            record(true, 20, 16, 512, WRITE | (class::FUA << 16) | ISSUE, &[0; 64]),
            record(true, 30, 64, 8192, WRITE | (class::DISCARD << 16) | ISSUE, b""),
            record(true, 50, 64, 8192, READ | (class::PASSTHROUGH << 16) | ISSUE, b""),
        ]
        .concat();
        assert_eq!(
            rows(&[first, second]),
            [
                (10, HostOp::Read, 4096, 4096),
                (20, HostOp::WriteFua, 8192, 512),
                (30, HostOp::Trim, 32_768, 8192),
                (40, HostOp::Flush, 0, 0),
            ]
        );
    }

    #[test]
    fn a_wrong_magic_number_names_the_file_and_the_place() {
        let mut bytes = record(false, 10, 8, 4096, READ | 1, b"");
        bytes.extend([0; 48]);
        let mut blktrace = Blktrace::new(vec![(PathBuf::from("sda"), &bytes[..])], Rules::of(Form::Blktrace));
        let Err(RecordFault::Bad { file, place, .. }) = blktrace.next_row() else { panic!() };
        assert_eq!((file, place.number, place.byte), (Some(PathBuf::from("sda")), 2, 48));
    }
}
