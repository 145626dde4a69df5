//! A large table that is looked up all over, but may be written here and there only: what was never written is known without
//! touching its memory.

use std::ops::Deref;

use super::{HUGE_PAGE, Table, ask_for_huge_pages, prefetch};

/// Entries of a chunk, whose first write is noted: those of a page of memory.
const CHUNK: usize = Table::<u32>::CHUNK;

/// Bytes of an entry.
const ENTRY: usize = size_of::<u32>();

/// Chunks of a huge page.
const CHUNKS_OF_HUGE_PAGE: usize = HUGE_PAGE / ENTRY / CHUNK;

/// With so many chunks of a huge page handed out one by one, a whole one costs less than the rest piece by piece, and the
/// table never takes more than four times the memory that is written.
const WORTH_A_HUGE_PAGE: u16 = CHUNKS_OF_HUGE_PAGE as u16 / 4;

/// Zeros of which some are written. While most are not, a bit for each page of memory says where to look: the rest
/// needs neither memory nor a look at it, although the system would hand out memory for looking alone.
#[derive(Clone, Debug)]
pub struct SparseTable {
    table: Table<u32>,
    /// Whether the bits below are asked and kept.
    is_sparse: bool,
    /// Chunks that were written, one bit each.
    written: Vec<u64>,
    /// Chunks that are to be written before the table counts as dense.
    left: usize,
    /// Written chunks in each huge page that the table touches.
    in_huge_page: Vec<u16>,
}

impl SparseTable {
    /// So many zeros.
    pub fn zeroed(entries: usize) -> Self {
        let table = Table::zeroed(entries);
        let chunks = entries.div_ceil(CHUNK);
        Self {
            table,
            is_sparse: true,
            written: vec![0; chunks.div_ceil(64)],
            left: dense_from(chunks),
            in_huge_page: vec![0; chunks / CHUNKS_OF_HUGE_PAGE + 2],
        }
    }

    /// An entry.
    #[inline(always)]
    pub fn get(&self, index: usize) -> u32 {
        if self.is_unwritten(index) { 0 } else { self.table[index] }
    }

    /// Writes an entry.
    #[inline(always)]
    pub fn set(&mut self, index: usize, value: u32) {
        if self.is_unwritten(index) {
            self.note_first_write(index);
        }
        self.table[index] = value;
    }

    /// Brings an entry towards the caches, where looking at it would.
    #[inline(always)]
    pub fn prefetch(&self, index: usize) {
        if !self.is_unwritten(index) {
            prefetch(&self.table, index);
        }
    }

    /// Most of the table will be touched.
    pub fn expect_dense(&mut self) {
        self.is_sparse = false;
        ask_for_huge_pages(&self.table);
    }

    /// Whether a chunk is known to hold zeros only. An index beyond the table is no such entry.
    #[inline(always)]
    fn is_unwritten(&self, index: usize) -> bool {
        self.is_sparse && !is_set(&self.written, index / CHUNK)
    }

    /// The chunk of an entry is written from now on.
    #[cold]
    #[inline(never)]
    fn note_first_write(&mut self, index: usize) {
        let chunk = index / CHUNK;
        self.mark(chunk);
        self.is_sparse = self.left > 0;
        let huge_page = (chunk + self.chunks_before()) / CHUNKS_OF_HUGE_PAGE;
        let Some(count) = self.in_huge_page.get_mut(huge_page) else { return };
        *count += 1;
        if *count == WORTH_A_HUGE_PAGE {
            self.make_huge(huge_page);
        }
    }

    /// Counts a chunk as written.
    fn mark(&mut self, chunk: usize) {
        if let Some(word) = self.written.get_mut(chunk / 64) {
            *word |= 1 << (chunk % 64);
        }
        self.left = self.left.saturating_sub(1);
    }

    /// Chunks of its first huge page that lie before the table. A chunk is a page of memory where a table is large enough to
    /// have huge pages.
    fn chunks_before(&self) -> usize {
        self.table.as_ptr() as usize % HUGE_PAGE / (CHUNK * ENTRY)
    }

    /// Exchanges the memory of a huge page that lies in the table for one in a piece.
    fn make_huge(&mut self, huge_page: usize) {
        let end = (huge_page + 1) * CHUNKS_OF_HUGE_PAGE - self.chunks_before();
        let Some(start) = end.checked_sub(CHUNKS_OF_HUGE_PAGE) else { return };
        if end * CHUNK <= self.table.len() {
            let written = &self.written;
            self.table.make_huge(start..end, |chunk| is_set(written, chunk));
        }
    }

    /// The table as it lies in memory.
    pub fn table(&self) -> &Table<u32> {
        &self.table
    }

    /// Has the table, which is one of zeros, filled, and notes what it holds then.
    ///
    /// # Errors
    /// Those of `fill`.
    pub fn fill<E>(&mut self, fill: impl FnOnce(&mut Table<u32>) -> Result<(), E>) -> Result<(), E> {
        fill(&mut self.table)?;
        self.note_contents();
        Ok(())
    }

    /// Notes what a table that was filled holds.
    fn note_contents(&mut self) {
        let chunks = self.table.chunks_in_use();
        if chunks.len() >= self.left {
            self.is_sparse = false;
        }
        if self.is_sparse {
            chunks.into_iter().for_each(|chunk| self.mark(chunk as usize));
        }
    }
}

/// Written chunks from which on a table of so many counts as dense: asking first costs more than it saves then.
fn dense_from(chunks: usize) -> usize {
    chunks - chunks / 4
}

/// Whether a bit is set; those beyond the last are, as what isn't there is never known to be unwritten.
#[inline(always)]
fn is_set(bits: &[u64], number: usize) -> bool {
    bits.get(number / 64).is_none_or(|word| word >> (number % 64) & 1 != 0)
}

impl Deref for SparseTable {
    type Target = [u32];
    fn deref(&self) -> &[u32] {
        &self.table
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Five huge pages and a piece, so that the table has all that large ones have.
    const ENTRIES: usize = 5 * HUGE_PAGE / ENTRY + 1_500;

    fn assert_same(table: &SparseTable, expected: &[u32]) {
        assert!((0..ENTRIES).all(|index| table.get(index) == expected[index]));
        assert!(**table == *expected);
    }

    #[test]
    fn entries_are_what_was_written_last_however_dense() {
        for stride in [1, 700, CHUNK, 3 * CHUNK, HUGE_PAGE / ENTRY] {
            let (mut table, mut expected) = (SparseTable::zeroed(ENTRIES), vec![0; ENTRIES]);
            for round in 1..3 {
                for index in (0..ENTRIES).rev().step_by(stride) {
                    table.set(index, index as u32 + round);
                    expected[index] = index as u32 + round;
                    table.prefetch(index);
                }
                assert_same(&table, &expected);
            }
            assert_eq!(table.is_sparse, stride > CHUNK, "{stride}");
            let copy = table.clone();
            table.set(3, 9);
            assert_same(&copy, &expected);
            table.expect_dense();
            expected[3] = 9;
            assert_same(&table, &expected);
        }
    }

    #[test]
    fn looking_at_what_was_never_written_costs_no_memory() {
        let table = SparseTable::zeroed(ENTRIES);
        assert!((0..ENTRIES).all(|index| table.get(index) == 0));
        #[cfg(target_os = "linux")]
        assert!(table.table.has_memory_for_nothing());
    }

    #[test]
    fn small_and_empty_tables_work_and_indices_beyond_are_no_entries_to_fetch() {
        SparseTable::zeroed(0).prefetch(7);
        let mut table = SparseTable::zeroed(3);
        table.prefetch(usize::MAX);
        table.set(2, 5);
        assert_eq!([table.get(0), table.get(1), table.get(2)], [0, 0, 5]);
    }

    #[test]
    fn a_table_that_was_filled_knows_what_it_holds() {
        for stride in [1, CHUNK, 40 * CHUNK] {
            let mut table = SparseTable::zeroed(ENTRIES);
            let filled = table.fill(|table| {
                (0..ENTRIES).step_by(stride).for_each(|index| table[index] = 1 + index as u32);
                Ok::<(), ()>(())
            });
            assert_eq!(filled, Ok(()));
            assert_eq!(table.is_sparse, stride > CHUNK);
            assert!((0..ENTRIES).all(|index| table.get(index) == table[index]));
        }
    }
}
