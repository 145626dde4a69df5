//! The first bytes of a file, of which its form is told.

/// The lines that aren't blank; the last of `head` only if it can't be cut off.
pub(super) fn lines_of_head(head: &[u8], complete: bool) -> impl Iterator<Item = &[u8]> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let whole = match memchr::memrchr(b'\n', head) {
        Some(end) if !complete => head.get(..end).unwrap_or_default(),
        _ => head,
    };
    whole.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty())
}
