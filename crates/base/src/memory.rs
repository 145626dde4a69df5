//! Large tables: zeroed lazily by the system, on huge pages where it has them, and prefetched by index.

mod compact;
mod handout;
mod hasher;
pub mod in_order;
#[cfg(target_os = "linux")]
mod mapping;
mod sparse;
mod table;

use std::sync::atomic::AtomicBool;
#[cfg(target_os = "linux")]
use std::sync::atomic::Ordering;

pub use handout::Handout;
pub use hasher::PageHasher;
pub use sparse::SparseTable;
pub use table::{Table, Word};

/// Tables from this size on are worth a thread that has their memory handed out while they are filled, bytes.
const WORTH_A_THREAD: usize = 32 << 20;

/// Memory that such a thread asks for before it looks whether it still should, bytes.
#[cfg(target_os = "linux")]
const TOUCHED_AT_ONCE: usize = 16 << 20;

/// Entries of four bytes in a line of the processor's caches.
pub const ENTRIES_OF_LINE: usize = 16;

/// Bytes of a huge page.
const HUGE_PAGE: usize = 2 << 20;

/// Tables below this size gain nothing from huge pages, bytes.
const WORTH_HUGE_PAGES: usize = 4 << 20;

/// `entries` zeros. Costs no memory until touched: the system hands out zero pages.
pub fn zeroed_table(entries: usize) -> Vec<u32> {
    vec![0u32; entries]
}

/// Asks for huge pages under a table most of which will be touched. Before that, a table that is touched here and
/// there would cost 2 MiB for each entry instead of 4 KiB.
pub fn ask_for_huge_pages<T>(table: &[T]) {
    if std::mem::size_of_val(table) >= WORTH_HUGE_PAGES {
        ask_for_huge_pages_here(table);
    }
}

/// The same under a part of a large table.
#[cfg(target_os = "linux")]
fn ask_for_huge_pages_here<T>(part: &[T]) {
    const PAGE: usize = 4096;
    let start = part.as_ptr() as usize;
    let end = start + std::mem::size_of_val(part);
    let (first, last) = (start.next_multiple_of(PAGE), end / PAGE * PAGE);
    if last <= first {
        return;
    }
    // SAFETY: the range lies inside the part's allocation; MADV_HUGEPAGE is a hint that changes no contents.
    // Its failure (a kernel without huge pages) changes nothing either, so the result is not used.
    let _ = unsafe { libc::madvise(first as *mut libc::c_void, last - first, libc::MADV_HUGEPAGE) };
}

/// Other systems choose for themselves.
#[cfg(not(target_os = "linux"))]
fn ask_for_huge_pages_here<T>(_part: &[T]) {}

/// Memory of a table, by its addresses.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    start: usize,
    bytes: usize,
}

impl Extent {
    /// That of a table.
    fn of<T>(table: &[T]) -> Self {
        Self { start: table.as_ptr() as usize, bytes: std::mem::size_of_val(table) }
    }

    /// It in pieces of so many bytes.
    fn pieces(self, bytes: usize) -> impl Iterator<Item = Self> {
        let end = self.start + self.bytes;
        (self.start..end).step_by(bytes).map(move |start| Self { start, bytes: bytes.min(end - start) })
    }

    /// Has the system hand it out, piece by piece, until all of it is or `ended`. That takes as long as clearing it: for a
    /// thread beside the one that is going to fill it.
    ///
    /// # Safety
    /// The table must live until this returns.
    #[cfg(target_os = "linux")]
    pub unsafe fn touch(self, ended: &AtomicBool) {
        const PAGE: usize = 4096;
        let (first, last) = (self.start.next_multiple_of(PAGE), (self.start + self.bytes) / PAGE * PAGE);
        for piece in (first..last).step_by(TOUCHED_AT_ONCE) {
            if ended.load(Ordering::Relaxed) {
                return;
            }
            let bytes = TOUCHED_AT_ONCE.min(last - piece);
            // SAFETY: the pages belong to a live table. They are made present as by writing, which changes no contents.
            // Where the system can't (before Linux 5.14) they come when they are written, so the result is not used.
            let _ = unsafe { libc::madvise(piece as *mut libc::c_void, bytes, libc::MADV_POPULATE_WRITE) };
        }
    }

    /// Other systems hand it out when it is written.
    ///
    /// # Safety
    /// The table must live until this returns.
    #[cfg(not(target_os = "linux"))]
    pub unsafe fn touch(self, _ended: &AtomicBool) {}
}

/// Brings `table[index]` towards the caches; an index outside the table is ignored.
#[inline]
pub fn prefetch<T>(table: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(entry) = table.get(index) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the address is that of a live element; a prefetch neither reads nor writes for the program.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(entry).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (table, index);
}

/// The same, with all lines of the processor's cache that an entry of up to two lies in.
#[inline]
pub fn prefetch_all<T>(table: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(entry) = table.get(index) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let (first, size) = (std::ptr::from_ref(entry).cast::<i8>(), size_of::<T>());
        // SAFETY: both addresses are those of bytes of a live element; a prefetch neither reads nor writes for the program.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(first);
            _mm_prefetch::<_MM_HINT_T0>(first.add(size.saturating_sub(1)));
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (table, index);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_small_and_large_start_as_zeros_and_hold_what_is_written() {
        for entries in [0, 1, 1023, 1024, (WORTH_HUGE_PAGES / 4) * 3 + 17] {
            let mut table = zeroed_table(entries);
            ask_for_huge_pages(&table);
            assert!(table.iter().all(|&entry| entry == 0));
            if let Some(last) = table.last_mut() {
                *last = 7;
                assert_eq!(table[entries - 1], 7);
            }
        }
    }

    #[test]
    fn touching_a_table_beside_its_filling_changes_nothing() {
        let mut table = Table::<u32>::zeroed((WORTH_HUGE_PAGES / 4) * 3 + 17);
        let extent = Extent::of(&table[..]);
        let ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            // SAFETY: the table lives beyond the scope.
            scope.spawn(|| unsafe { extent.touch(&ended) });
            table.iter_mut().zip(1..).for_each(|(entry, value)| *entry = value);
        });
        // SAFETY: as above.
        unsafe { extent.touch(&ended) };
        assert!(table.iter().zip(1..).all(|(&entry, value)| entry == value));
    }

    #[test]
    fn prefetching_any_index_is_harmless() {
        let table = zeroed_table(100);
        for index in [0, 99, 100, usize::MAX] {
            prefetch(&table, index);
            prefetch_all(&table, index);
        }
        prefetch::<u32>(&[], 0);
        prefetch_all::<()>(&[()], 0);
    }
}
