//! Memory of a large table, straight from the system: zero until touched, and shared by copies until one of them writes.
//!
//! A copy needs a base: a file in memory that holds what the table held, and over which the table and its copies are mapped
//! privately, so that each page becomes a table's own when it is written first. The base is made with the first copy, and
//! anew when much has been written since.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::{AsRawFd, FromRawFd};
use std::os::unix::fs::FileExt;
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a page of memory.
pub const PAGE: usize = 4096;

/// The base is mapped in pieces of this size, those that hold something: the rest stays memory that costs nothing.
const PIECE: usize = 2 << 20;

/// A new base is made when more than this part of the pages is a table's own.
const OWN_AT_MOST: f64 = 0.25;

/// What copies share.
#[derive(Debug)]
struct Base {
    file: File,
    /// Bytes of the table that are mapped from it, in order.
    runs: Vec<Range<usize>>,
}

/// Zeroed memory of a table.
#[derive(Debug)]
pub struct Mapping {
    start: NonNull<u8>,
    /// A multiple of [`PAGE`].
    bytes: usize,
    base: Mutex<Option<Arc<Base>>>,
}

// SAFETY: the memory belongs to the mapping alone, as that of a `Vec` does; what copies share is never written.
unsafe impl Send for Mapping {}
// SAFETY: shared references only read the memory, or exchange what lies under it for the same contents.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// So many bytes of zeros, rounded up to whole pages; `None` where the system has no room for them.
    pub fn zeroed(bytes: usize) -> Option<Self> {
        let bytes = bytes.checked_next_multiple_of(PAGE)?;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a new mapping at a place of the system's choice touches no other memory.
        let start = unsafe { map(std::ptr::null_mut(), bytes, flags, -1, 0) }.ok()?;
        Some(Self { start: NonNull::new(start)?, bytes, base: Mutex::new(None) })
    }

    /// Its first byte, at the beginning of a page.
    pub fn start(&self) -> NonNull<u8> {
        self.start
    }

    fn contents(&self) -> &[u8] {
        // SAFETY: so many bytes are mapped there until the mapping is dropped, and are initialised: zeros, or what was
        // written. Whoever writes has the mapping, or the table over it, for itself.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.bytes) }
    }

    fn contents_mut(&mut self) -> &mut [u8] {
        // SAFETY: as above, and the mapping is borrowed for this alone.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.bytes) }
    }

    fn page(&self, number: usize) -> &[u8] {
        self.contents().get(number * PAGE..(number + 1) * PAGE).unwrap_or_default()
    }

    /// Gives the memory under a part of it back, which holds zeros from then on, and asks for a huge page there. `false` if
    /// it holds what it held: something of it is shared, or the system refuses.
    pub fn clear_for_huge_page(&mut self, part: Range<usize>) -> bool {
        let is_shared = self.base.get_mut().unwrap_or_else(PoisonError::into_inner).is_some();
        let is_inside = part.start <= part.end && part.end <= self.bytes;
        if is_shared || !is_inside || !part.start.is_multiple_of(PAGE) || !part.end.is_multiple_of(PAGE) {
            return false;
        }
        // SAFETY: the part lies inside this mapping, which is borrowed for this alone and has no file under it: its pages
        // read as zeros then, which any table may hold. The second call is a hint, whose result is not used.
        unsafe {
            let place = self.start.as_ptr().add(part.start).cast();
            if libc::madvise(place, part.len(), libc::MADV_DONTNEED) != 0 {
                return false;
            }
            let _ = libc::madvise(place, part.len(), libc::MADV_HUGEPAGE);
        }
        true
    }

    /// Numbers of the pages that may hold something, in order: its own, and those of its base.
    pub fn touched(&self) -> Vec<usize> {
        let base = self.base.lock().unwrap_or_else(PoisonError::into_inner);
        with_runs(self.own_pages(), base.as_deref())
    }

    /// A copy that shares the pages that neither writes.
    pub fn share(&self) -> io::Result<Self> {
        // Nobody panics while holding it.
        let mut base = self.base.lock().unwrap_or_else(PoisonError::into_inner);
        let mut own = self.own_pages();
        let mapped: usize = base.iter().flat_map(|base| &base.runs).map(|run| run.len() / PAGE).sum();
        if base.is_none() || own.len() as f64 > OWN_AT_MOST * mapped as f64 {
            let touched = with_runs(std::mem::take(&mut own), base.as_deref());
            *base = Some(Arc::new(self.lay_base(&touched)?));
        }
        let base = base.clone().ok_or(io::ErrorKind::NotFound)?;
        let mut copy = Self::zeroed(self.bytes).ok_or(io::ErrorKind::OutOfMemory)?;
        for run in &base.runs {
            copy.map_over(&base.file, run)?;
        }
        *copy.base.get_mut().unwrap_or_else(PoisonError::into_inner) = Some(base);
        for number in own {
            let (from, to) = (self.page(number), number * PAGE..(number + 1) * PAGE);
            match copy.contents_mut().get_mut(to) {
                Some(to) if to != from => to.copy_from_slice(from),
                _ => {}
            }
        }
        Ok(copy)
    }

    /// Puts what these pages hold, which is all, into a file in memory, and maps that over them.
    fn lay_base(&self, touched: &[usize]) -> io::Result<Base> {
        // SAFETY: the name ends with a zero, and the call only makes a descriptor.
        let file = unsafe { libc::memfd_create(c"wordline table".as_ptr(), libc::MFD_CLOEXEC) };
        if file < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new and belongs to nobody else.
        let file = unsafe { File::from_raw_fd(file) };
        file.set_len(self.bytes as u64)?;
        let mut runs: Vec<Range<usize>> = Vec::new();
        for &number in touched {
            let page = self.page(number);
            if page == [0; PAGE] {
                continue;
            }
            file.write_all_at(page, (number * PAGE) as u64)?;
            let piece = number * PAGE / PIECE * PIECE;
            let end = (piece + PIECE).min(self.bytes);
            match runs.last_mut() {
                Some(last) if last.end >= piece => last.end = end,
                _ => runs.push(piece..end),
            }
        }
        for run in &runs {
            if let Err(error) = self.map_over(&file, run) {
                // The memory may be gone, and with it the table: nothing can go on. Linux fails before that.
                if !self.is_mapped(run) {
                    std::process::abort();
                }
                return Err(error);
            }
        }
        Ok(Base { file, runs })
    }

    /// Whether a run of pages is still mapped after a mapping over it failed.
    fn is_mapped(&self, run: &Range<usize>) -> bool {
        let mut present = vec![0u8; run.len() / PAGE];
        // SAFETY: asks about addresses, mapped or not, and writes a byte for each page of them.
        let answer = unsafe {
            libc::mincore(self.start.as_ptr().add(run.start).cast(), run.len(), present.as_mut_ptr())
        };
        answer == 0
    }

    /// Maps the pages of a file over the same pages of this memory, privately.
    fn map_over(&self, file: &File, run: &Range<usize>) -> io::Result<()> {
        let flags = libc::MAP_PRIVATE | libc::MAP_FIXED | libc::MAP_NORESERVE;
        // SAFETY: the run lies inside this mapping, which nobody else has a part of, and the file holds the same bytes there
        // as the memory (or, in a new copy, the bytes that it shall have). The system exchanges the pages under its lock, so
        // that a reader in another thread sees one or the other.
        unsafe {
            let place = self.start.as_ptr().add(run.start);
            map(place, run.len(), flags, file.as_raw_fd(), run.start as libc::off_t).map(drop)
        }
    }

    /// Pages that may hold something of this memory's own, not of its base: those that the system says so of; all where it
    /// says nothing.
    fn own_pages(&self) -> Vec<usize> {
        let pages = self.bytes / PAGE;
        let mut entries = vec![0u8; pages * ENTRY];
        let first = self.start.as_ptr() as usize / PAGE * ENTRY;
        let told =
            File::open("/proc/self/pagemap").and_then(|file| file.read_exact_at(&mut entries, first as u64));
        if told.is_err() {
            return (0..pages).collect();
        }
        let own = |entry: &[u8]| {
            let flags = entry.last().copied().unwrap_or_default();
            flags & SWAPPED != 0 || (flags & PRESENT != 0 && flags & OF_FILE == 0)
        };
        entries
            .chunks_exact(ENTRY)
            .enumerate()
            .filter(|(_, entry)| own(entry))
            .map(|(page, _)| page)
            .collect()
    }
}

/// Bytes of a page's entry in `/proc/self/pagemap`, and bits of the last one (of the whole: 63, 62, 61).
const ENTRY: usize = 8;
const PRESENT: u8 = 1 << 7;
const SWAPPED: u8 = 1 << 6;
const OF_FILE: u8 = 1 << 5;

/// These pages and those of a base, in order.
fn with_runs(mut pages: Vec<usize>, base: Option<&Base>) -> Vec<usize> {
    if let Some(base) = base {
        pages.extend(base.runs.iter().flat_map(|run| run.start / PAGE..run.end / PAGE));
        pages.sort_unstable();
        pages.dedup();
    }
    pages
}

/// Readable and writable memory.
///
/// # Safety
/// As for `mmap`: with `MAP_FIXED`, what lies there is gone.
unsafe fn map(
    place: *mut u8,
    bytes: usize,
    flags: libc::c_int,
    file: libc::c_int,
    offset: libc::off_t,
) -> io::Result<*mut u8> {
    // SAFETY: as the caller says.
    let start = unsafe {
        libc::mmap(place.cast(), bytes.max(PAGE), libc::PROT_READ | libc::PROT_WRITE, flags, file, offset)
    };
    if start == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(start.cast()) }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: these pages were mapped by `zeroed`, and nothing refers to them any more.
        let _ = unsafe { libc::munmap(self.start.as_ptr().cast(), self.bytes.max(PAGE)) };
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests {
    use super::*;

    const PAGES: usize = 3 * PIECE / PAGE + 5;

    fn marked(pages: impl Iterator<Item = usize>) -> Mapping {
        let mut mapping = Mapping::zeroed(PAGES * PAGE).unwrap();
        for page in pages {
            mapping.contents_mut()[page * PAGE + page % PAGE] = 1 + page as u8 % 200;
        }
        mapping
    }

    fn mark(mapping: &mut Mapping, page: usize, value: u8) {
        mapping.contents_mut()[page * PAGE + 17] = value;
    }

    #[test]
    fn copies_hold_the_same_and_then_go_their_own_ways() {
        for stride in [1, 7, 600] {
            let mut first = marked((0..PAGES).step_by(stride));
            let before = first.contents().to_vec();
            let mut second = first.share().unwrap();
            let mut third = second.share().unwrap();
            assert!(second.contents() == before && third.contents() == before && first.contents() == before);
            for (mapping, value) in [(&mut first, 7), (&mut second, 8), (&mut third, 9)] {
                for page in [0, 3, PAGES / 2, PAGES - 1] {
                    mark(mapping, page, value);
                }
            }
            let fourth = second.share().unwrap();
            assert!(fourth.contents() == second.contents());
            for (mapping, value) in [(&first, 7), (&second, 8), (&third, 9), (&fourth, 8)] {
                assert_eq!(mapping.contents()[PAGES / 2 * PAGE + 17], value);
                let mut expected = before.clone();
                [0, 3, PAGES / 2, PAGES - 1].iter().for_each(|page| expected[page * PAGE + 17] = value);
                assert!(mapping.contents() == expected);
            }
            drop((first, second));
            assert_eq!((third.contents()[17], fourth.contents()[17]), (9, 8));
        }
    }

    #[test]
    fn no_page_is_a_copys_own_before_it_is_written() {
        let mut first = marked(0..PAGES);
        if first.own_pages().len() != PAGES || !Mapping::zeroed(PAGE).unwrap().own_pages().is_empty() {
            println!("this system doesn't say which pages are whose");
            return;
        }
        let mut second = first.share().unwrap();
        assert!(first.contents() == second.contents());
        assert_eq!((first.own_pages(), second.own_pages()), (vec![], vec![]));
        mark(&mut second, 9, 1);
        mark(&mut first, 600, 1);
        assert_eq!((first.own_pages(), second.own_pages()), (vec![600], vec![9]));
    }

    #[test]
    fn what_was_written_much_is_shared_anew() {
        let mut first = marked(0..PAGES);
        let base = |mapping: &Mapping| Arc::as_ptr(mapping.base.lock().unwrap().as_ref().unwrap());
        let second = first.share().unwrap();
        assert_eq!(base(&first), base(&second));
        assert_eq!(base(&first.share().unwrap()), base(&second));
        (0..PAGES / 2).for_each(|page| mark(&mut first, page, 3));
        let third = first.share().unwrap();
        assert_ne!(base(&first), base(&second));
        assert!(third.contents() == first.contents());
        assert_eq!(second.contents()[17], if 17 % PAGE == 0 { 1 } else { 0 });
    }

    #[test]
    fn an_untouched_table_of_a_terabyte_is_shared_without_memory() {
        let mapping = Mapping::zeroed(1 << 30).unwrap();
        let copy = mapping.share().unwrap();
        assert!(copy.own_pages().is_empty() || copy.own_pages().len() == copy.bytes / PAGE);
        assert!(copy.base.lock().unwrap().as_ref().unwrap().runs.is_empty());
        assert_eq!(Mapping::zeroed(0).unwrap().share().unwrap().contents().len(), 0);
    }
}
