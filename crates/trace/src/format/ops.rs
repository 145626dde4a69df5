//! Operations by the words that traces have for them.

use wordline_base::request::HostOp;

/// Longest word that is looked at, bytes.
const LONGEST: usize = 32;

/// What drivers and tracers put before the operation itself, as in `DiskWrite`, `IRP_MJ_READ` and `nvme_cmd_flush`.
const PREFIXES: [&str; 11] =
    ["irpmj", "nvmecmd", "reqop", "disk", "file", "async", "sync", "cmd", "req", "io", "op"];

/// The operation of a word in any case, of its first letter, or of the letters that blktrace calls RWBS (`WS`, `RA`,
/// `FWFS`). `None` for what is none of them, and for commands that move nothing.
pub(super) fn named(field: &[u8]) -> Option<HostOp> {
    if field.is_empty() || field.len() > LONGEST {
        return None;
    }
    of_letters(field).or_else(|| of_word(field))
}

/// Read or write by the same words: for the forms that have nothing else.
#[inline]
pub(super) fn read_or_write(field: &[u8]) -> Option<HostOp> {
    match field {
        b"R" | b"r" | b"Read" => Some(HostOp::Read),
        b"W" | b"w" | b"Write" => Some(HostOp::Write),
        _ => named(field).filter(|op| *op == HostOp::Read || op.is_write()),
    }
}

/// RWBS: F for a flush that goes before, one of R, W and D, then marks: F (FUA), A (ahead), S (synchronous), M (metadata),
/// E (erased for good), U (atomic).
fn of_letters(field: &[u8]) -> Option<HostOp> {
    let mut letters = field.iter().map(u8::to_ascii_uppercase).peekable();
    let flush = letters.next_if_eq(&b'F').is_some();
    let Some(kind) = letters.next() else { return flush.then_some(HostOp::Flush) };
    let mut fua = false;
    for mark in letters {
        if !b"FASMEU".contains(&mark) {
            return None;
        }
        fua |= mark == b'F';
    }
    match kind {
        b'R' => Some(HostOp::Read),
        b'W' if fua => Some(HostOp::WriteFua),
        b'W' => Some(HostOp::Write),
        b'D' => Some(HostOp::Trim),
        b'F' | b'N' | b'S' | b'A' | b'M' if flush => Some(HostOp::Flush),
        _ => None,
    }
}

/// The operation of a SCSI command by its hexadecimal code, as the traces of CloudPhysics and libCacheSim have it: reads and
/// writes of 10, 12 and 16 bytes and SYNCHRONIZE CACHE. Those of 6 bytes, 08 and 0a, would be numbers of another kind.
pub(super) fn scsi(field: &[u8]) -> Option<HostOp> {
    let code = field.strip_prefix(b"0x").unwrap_or(field);
    let [high, low] = *code else { return None };
    match [high, low.to_ascii_lowercase()] {
        [b'2' | b'8', b'8'] | [b'a' | b'A', b'8'] => Some(HostOp::Read),
        [b'2' | b'8', b'a'] | [b'a' | b'A', b'a'] => Some(HostOp::Write),
        [b'3', b'5'] | [b'9', b'1'] => Some(HostOp::Flush),
        _ => None,
    }
}

fn of_word(field: &[u8]) -> Option<HostOp> {
    let text = std::str::from_utf8(field).ok()?;
    // The length of a SCSI command follows its name: READ(10).
    let text =
        text.trim_end_matches(|character: char| character.is_ascii_digit() || "()".contains(character));
    let mut word = String::new();
    for character in text.chars() {
        match character {
            ' ' | '_' | '-' | '.' => {}
            letter if letter.is_ascii_alphabetic() => word.push(letter.to_ascii_lowercase()),
            _ => return None,
        }
    }
    let mut rest = word.as_str();
    loop {
        if let Some(op) = of_simple(rest) {
            return Some(op);
        }
        rest = PREFIXES.iter().find_map(|prefix| rest.strip_prefix(prefix))?;
    }
}

fn of_simple(word: &str) -> Option<HostOp> {
    Some(match word {
        "read" | "reads" | "rd" | "readahead" => HostOp::Read,
        "write" | "writes" | "wr" => HostOp::Write,
        "writefua" | "fuawrite" => HostOp::WriteFua,
        "t" | "trim" | "discard" | "unmap" | "deallocate" => HostOp::Trim,
        "flush" | "sync" | "fsync" | "datasync" | "fdatasync" | "flushbuffers" | "synchronizecache" => {
            HostOp::Flush
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_in_any_case_letters_and_their_marks_are_known() {
        for (op, words) in [
            (
                HostOp::Read,
                &[
                    "R",
                    "r",
                    "READ",
                    "read",
                    "rEAD",
                    "RS",
                    "RA",
                    "RAM",
                    "rd",
                    "DiskRead",
                    "READ(10)",
                    "read_ahead",
                ][..],
            ),
            (
                HostOp::Write,
                &["W", "w", "Write", "WS", "WSM", "FWS", "DiskWrite", "IRP_MJ_WRITE", "op_write", "WRITE_16"],
            ),
            (HostOp::WriteFua, &["WF", "wf", "WFS", "FWFS", "write-fua"]),
            (HostOp::Trim, &["T", "t", "D", "DS", "trim", "Discard", "UNMAP", "nvme_cmd_deallocate"]),
            (
                HostOp::Flush,
                &["F", "f", "FF", "FS", "FFS", "flush", "fsync", "DiskFlushBuffers", "SYNCHRONIZE CACHE"],
            ),
        ] {
            for word in words {
                assert_eq!(named(word.as_bytes()), Some(op), "{word}");
                let only = read_or_write(word.as_bytes());
                assert_eq!(only, (op == HostOp::Read || op.is_write()).then_some(op), "{word}");
            }
        }
    }

    #[test]
    fn scsi_s_codes_are_known() {
        let ops = [HostOp::Read, HostOp::Write, HostOp::Flush];
        for (op, codes) in
            ops.into_iter().zip([["28", "88", "a8", "0x28"], ["2a", "8A", "aa", "0x2A"], ["35"; 4]])
        {
            for code in codes {
                assert_eq!(scsi(code.as_bytes()), Some(op), "{code}");
            }
        }
        for code in ["", "2", "08", "28a", "2b", "42"] {
            assert_eq!(scsi(code.as_bytes()), None, "{code}");
        }
    }

    #[test]
    fn other_words_are_none() {
        for word in [
            "", "N", "X", "0", "1", "RX", "Verify", "reading", "disk", "io", "hm", "\u{e9}", "R\0", "-1", "7",
        ] {
            assert_eq!(named(word.as_bytes()), None, "{word}");
        }
        assert_eq!(named(&[b'R'; LONGEST + 1]), None);
    }
}
