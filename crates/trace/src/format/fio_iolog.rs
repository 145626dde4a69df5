//! fio iologs. Version 2: `file action [offset length]`, without times but for `wait` (microseconds since the wait
//! before, as fio's manual has it; below 100 they count nothing). Version 3: `time file action [offset length]`,
//! microseconds. Offsets and lengths are bytes; `sync` and `datasync` flush, `add`, `open` and `close` are passed over.
//!
//! Described by fio's manual, "Trace file format", and for the unit of version 3 by what fio 3.36 writes.

use wordline_base::request::HostOp;

use super::fields::{scaled, time};
use super::names::Numbering;
use super::stateful::Stateful;
use super::{Expected, Row, Rules};

/// Waits shorter than this, in units of time, are nothing.
const SHORTEST_WAIT: u128 = 100;

/// What is remembered from line to line.
#[derive(Default)]
pub(super) struct FioIolog {
    version: Option<u8>,
    files: Numbering,
    /// Time of version 2, ns: the sum of the waits.
    waited: u128,
}

/// The version that a file's first line gives.
pub(super) fn version(line: &[u8]) -> Option<u8> {
    match line.trim_ascii() {
        b"fio version 2 iolog" => Some(2),
        b"fio version 3 iolog" => Some(3),
        _ => None,
    }
}

impl Stateful for FioIolog {
    fn take_devices(&mut self) -> Vec<String> {
        self.files.take_fresh()
    }

    fn parse(&mut self, line: &[u8], rules: &Rules) -> Result<Option<Row>, Expected> {
        let Some(own) = self.version else {
            self.version = version(line);
            return match self.version {
                Some(_) => Ok(None),
                None => Err("`fio version 2 iolog` or `fio version 3 iolog` in the first line"),
            };
        };
        let mut fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
        let (moment, expected) = if own == 3 {
            let moment = fields.next().and_then(|field| time(field, rules.unit_ns));
            (moment.ok_or("a time in microseconds in the first field")?, "time file action offset length")
        } else {
            (self.waited, "file action offset length")
        };
        let (Some(file), Some(action)) = (fields.next(), fields.next()) else { return Err(expected) };
        let op = match action {
            b"add" | b"open" | b"close" | b"unlink" => return Ok(None),
            b"wait" if own == 2 => return self.wait(fields.next(), rules).map(|()| None),
            b"sync" | b"datasync" => HostOp::Flush,
            b"read" => HostOp::Read,
            b"write" => HostOp::Write,
            b"trim" => HostOp::Trim,
            _ if own == 3 => return Err("add, open, close, read, write, trim, sync or datasync"),
            _ => return Err("add, open, close, wait, read, write, trim, sync or datasync"),
        };
        let device = self.files.number(file).ok_or("at most 65536 files")?;
        if op == HostOp::Flush {
            return Ok(Some(Row { time: moment, op, offset: 0, length: 0, device, ..Row::EMPTY }));
        }
        let (Some(offset), Some(length), None) = (fields.next(), fields.next(), fields.next()) else {
            return Err(expected);
        };
        let offset = scaled(offset, rules.offset_unit).ok_or("an offset in bytes")?;
        let length = scaled(length, rules.length_unit).ok_or("a length in bytes")?;
        Ok(Some(Row { time: moment, op, offset, length, device, ..Row::EMPTY }))
    }
}

impl FioIolog {
    fn wait(&mut self, delay: Option<&[u8]>, rules: &Rules) -> Result<(), Expected> {
        let delay = delay.and_then(|field| time(field, rules.unit_ns)).ok_or("a wait in microseconds")?;
        if delay >= SHORTEST_WAIT * u128::from(rules.unit_ns) {
            self.waited = self.waited.saturating_add(delay);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Form;
    use super::*;

    /// Time, operation, offset, length and stream or device.
    type Row = (u128, HostOp, u64, u64, u16);

    const RULES: Rules = Rules::of(Form::FioIolog);

    fn rows(text: &str) -> Result<Vec<Row>, Expected> {
        let mut iolog = FioIolog::default();
        let mut rows = Vec::new();
        for line in text.lines() {
            if let Some(row) = iolog.parse(line.as_bytes(), &RULES)? {
                rows.push((row.time, row.op, row.offset, row.length, row.device));
            }
        }
        Ok(rows)
    }

    #[test]
    fn version_2_counts_time_by_waits() {
        let text = "fio version 2 iolog\n/dev/sda add\n/dev/sda open\n/dev/sda read 4096 512\n/dev/sda wait 250 0\n\
                    /dev/sda wait 99 0\n/dev/sda write 0 8192\n/dev/sdb sync 0 0\n/dev/sda close\n";
        assert_eq!(
            rows(text),
            Ok(vec![
                (0, HostOp::Read, 4096, 512, 0),
                (250_000, HostOp::Write, 0, 8192, 0),
                (250_000, HostOp::Flush, 0, 0, 1),
            ])
        );
    }

    #[test]
    fn version_3_has_times_in_microseconds() {
        let text = "fio version 3 iolog\n0 /dev/sda add\n1 /dev/sda open\n7 /dev/sda trim 4096 512\n\
                    9 /dev/sda datasync 0 0\n12 /dev/sda read 0 512\n";
        assert_eq!(
            rows(text),
            Ok(vec![
                (7_000, HostOp::Trim, 4096, 512, 0),
                (9_000, HostOp::Flush, 0, 0, 0),
                (12_000, HostOp::Read, 0, 512, 0),
            ])
        );
    }

    #[test]
    fn bad_lines_say_what_was_expected() {
        for (text, part) in [
            ("read 0 512", "fio version 2"),
            ("fio version 2 iolog\n/dev/sda", "file action"),
            ("fio version 2 iolog\n/dev/sda verify 0 512", "add, open"),
            ("fio version 2 iolog\n/dev/sda read 0", "file action"),
            ("fio version 2 iolog\n/dev/sda wait", "a wait"),
            ("fio version 3 iolog\n/dev/sda read 0 512", "a time"),
            ("fio version 3 iolog\n5 /dev/sda wait 5 0", "add, open, close, read"),
            ("fio version 3 iolog\n5 /dev/sda read -1 512", "an offset"),
            ("fio version 3 iolog\n5 /dev/sda read 0 4k", "a length"),
        ] {
            let error = rows(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
