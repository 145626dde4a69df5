//! A large table that is looked up all over, but may be written here and there only: what was never written is known without
//! touching its memory.

use std::ops::{Range, RangeBounds};

use super::compact::Compact;
use super::{
    Extent, HUGE_PAGE, Table, WORTH_HUGE_PAGES, ask_for_huge_pages, ask_for_huge_pages_here, prefetch,
};

/// Entries of a chunk, whose first write is noted: those of a page of memory.
const CHUNK: usize = Table::<u32>::CHUNK;

/// Bytes of an entry.
const ENTRY: usize = size_of::<u32>();

/// Chunks of a huge page.
const CHUNKS_OF_HUGE_PAGE: usize = HUGE_PAGE / ENTRY / CHUNK;

/// With so many chunks of a huge page handed out one by one, a whole one costs less than the rest piece by piece, and the
/// table never takes more than four times the memory that is written.
const WORTH_A_HUGE_PAGE: u16 = CHUNKS_OF_HUGE_PAGE as u16 / 4;

/// A write to a chunk that has so many compact entries has the table hold it. Where writes fall all over a table, each chunk has
/// few of them for long, and a page of memory for each chunk would be most of the table's.
const MOST_COMPACT: u8 = 64;

/// Entries of a chunk that are looked up together, as they are spread over all of those that are kept apart.
const FETCHED_TOGETHER: usize = 32;

/// Zeros of which some are written. While most are not, a bit for each page of memory says where to look: the rest
/// needs neither memory nor a look at it, although the system would hand out memory for looking alone. The table may keep
/// entries of chunks that have few of them apart.
#[derive(Clone, Debug)]
pub struct SparseTable {
    table: Table<u32>,
    /// Whether the bits below are asked and kept.
    is_sparse: bool,
    /// Chunks that were written to the table, one bit each.
    written: Vec<u64>,
    /// Entries of other chunks.
    compact: Compact,
    /// How many each chunk has there; empty where none are kept apart.
    compact_in: Vec<u8>,
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
            compact: Compact::default(),
            compact_in: Vec::new(),
            left: dense_from(chunks),
            in_huge_page: vec![0; chunks / CHUNKS_OF_HUGE_PAGE + 2],
        }
    }

    /// The same, for writes that fall all over the table.
    #[must_use]
    pub fn for_scattered_writes(mut self) -> Self {
        self.compact_in = vec![0; self.table.len().div_ceil(CHUNK)];
        self
    }

    /// How many entries it has.
    pub fn entries(&self) -> usize {
        self.table.len()
    }

    /// An entry.
    #[inline(always)]
    pub fn get(&self, index: usize) -> u32 {
        if self.is_unwritten(index) { self.get_compact(index) } else { self.table[index] }
    }

    /// An entry of a chunk that isn't in the table.
    #[inline]
    fn get_compact(&self, index: usize) -> u32 {
        if self.compact.is_empty() { 0 } else { self.look_up_compact(index) }
    }

    // Out of line: where the table is dense, who looks at an entry has no place for this among what is inlined there.
    #[inline(never)]
    fn look_up_compact(&self, index: usize) -> u32 {
        if self.has_some_compact(index / CHUNK) { self.compact.get(index) } else { 0 }
    }

    /// Whether a chunk has compact entries, or has some that the table has now.
    #[inline]
    fn has_some_compact(&self, chunk: usize) -> bool {
        self.compact_in.get(chunk).is_some_and(|&count| count > 0)
    }

    /// Copies entries that follow one another.
    #[inline]
    pub fn copy_run(&self, first: usize, entries: &mut [u32]) {
        let run = first..first + entries.len();
        let is_in_table =
            (run.start / CHUNK..run.end.div_ceil(CHUNK)).all(|chunk| !self.is_unwritten(chunk * CHUNK));
        if let Some(run) = self.table.get(run).filter(|_| is_in_table) {
            return entries.copy_from_slice(run);
        }
        entries.iter_mut().zip(first..).for_each(|(entry, index)| *entry = self.get(index));
    }

    /// Writes an entry.
    #[inline(always)]
    pub fn set(&mut self, index: usize, value: u32) {
        self.update(index, |_| Some(value));
    }

    /// Writes what `new` makes of an entry in its place, if anything. It is looked up once for both.
    #[inline(always)]
    pub fn update(&mut self, index: usize, new: impl FnOnce(u32) -> Option<u32>) {
        if self.is_unwritten(index) {
            return self.update_unwritten(index, new);
        }
        let entry = &mut self.table[index];
        if let Some(value) = new(*entry) {
            *entry = value;
        }
    }

    /// The same for an entry of a chunk that isn't in the table: apart, where it can be kept there; else the table holds the
    /// chunk from now on.
    #[inline(never)]
    fn update_unwritten(&mut self, index: usize, new: impl FnOnce(u32) -> Option<u32>) {
        if index < self.table.len()
            && let Some(count) = self.compact_in.get_mut(index / CHUNK).filter(|count| **count < MOST_COMPACT)
        {
            let written = &self.written;
            *count += u8::from(self.compact.update(index, new, |index| !is_set(written, index / CHUNK)));
            return;
        }
        if let Some(value) = new(self.compact.get(index)) {
            self.note_first_write(index / CHUNK);
            self.table[index] = value;
        }
    }

    /// Whether a chunk has few entries at most, so that an entry of it most likely is zero. An index beyond the table has none.
    #[inline(always)]
    pub fn has_few_near(&self, index: usize) -> bool {
        self.is_unwritten(index)
    }

    /// These entries are about to be written. Those beyond the table are none.
    #[inline]
    pub fn note_run(&mut self, entries: Range<usize>) {
        for chunk in entries.start / CHUNK..entries.end.min(self.table.len()).div_ceil(CHUNK) {
            if self.is_unwritten(chunk * CHUNK) {
                let is_empty = !self.has_some_compact(chunk);
                self.note_first_write(chunk);
                if is_empty {
                    // What is read before it is written is handed out twice.
                    self.table[chunk * CHUNK] = 0;
                }
            }
        }
    }

    /// These entries are going to be written soon, and all of them. Asks for the huge pages that lie among them, and returns the
    /// first entry of those and their memory.
    pub fn expect_run(&mut self, entries: Range<usize>) -> Option<(usize, Extent)> {
        let before = self.chunks_before();
        let of_huge_page = |number: usize| (number * CHUNKS_OF_HUGE_PAGE).saturating_sub(before) * CHUNK;
        let first = (entries.start.div_ceil(CHUNK) + before).div_ceil(CHUNKS_OF_HUGE_PAGE);
        let last = (entries.end / CHUNK + before) / CHUNKS_OF_HUGE_PAGE;
        let memory = self.table.get(of_huge_page(first)..of_huge_page(last))?;
        if memory.is_empty() || size_of_val::<[u32]>(&self.table) < WORTH_HUGE_PAGES {
            return None;
        }
        ask_for_huge_pages_here(memory);
        for count in self.in_huge_page.get_mut(first..last).unwrap_or_default() {
            *count = (*count).max(WORTH_A_HUGE_PAGE);
        }
        Some((of_huge_page(first), Extent::of(memory)))
    }

    /// Entries, to be written; all that are were told by [`Self::note_run`].
    #[inline]
    pub fn noted_mut(&mut self, entries: impl RangeBounds<usize>) -> &mut [u32] {
        let range = (entries.start_bound().cloned(), entries.end_bound().cloned());
        self.table.get_mut(range).unwrap_or_default()
    }

    /// Brings an entry towards the caches, where looking at it would.
    #[inline(always)]
    pub fn prefetch(&self, index: usize) {
        if self.is_unwritten(index) {
            // Without a branch on whether the chunk has any: that is a toss for long.
            self.compact.prefetch_if(self.has_some_compact(index / CHUNK), index);
        } else {
            prefetch(&self.table, index);
        }
    }

    /// Brings entries towards the caches, where looking at them would.
    #[inline]
    pub fn prefetch_all(&self, indices: &[usize]) {
        if self.is_sparse {
            indices.iter().for_each(|&index| self.prefetch(index));
        } else {
            indices.iter().for_each(|&index| prefetch(&self.table, index));
        }
    }

    /// Most of the table will be touched.
    pub fn expect_dense(&mut self) {
        ask_for_huge_pages(&self.table);
        self.end_sparse();
    }

    /// All of the table is looked at from now on.
    fn end_sparse(&mut self) {
        for (index, entry) in std::mem::take(&mut self.compact).entries() {
            if self.is_unwritten(index) {
                self.table[index] = entry;
            }
        }
        self.compact_in = Vec::new();
        self.is_sparse = false;
    }

    /// Whether the table is known to hold zeros only where this entry is. An index beyond the table is no such entry.
    #[inline(always)]
    fn is_unwritten(&self, index: usize) -> bool {
        self.is_sparse && !is_set(&self.written, index / CHUNK)
    }

    /// A chunk lies in the table from now on.
    #[cold]
    #[inline(never)]
    fn note_first_write(&mut self, chunk: usize) {
        self.take_in(chunk);
        self.mark(chunk);
        if self.left == 0 {
            return self.end_sparse();
        }
        let huge_page = (chunk + self.chunks_before()) / CHUNKS_OF_HUGE_PAGE;
        let Some(count) = self.in_huge_page.get_mut(huge_page) else { return };
        *count += 1;
        if *count == WORTH_A_HUGE_PAGE {
            self.make_huge(huge_page);
        }
    }

    /// Puts what is kept apart of a chunk into the table.
    fn take_in(&mut self, chunk: usize) {
        let count = self.compact_in.get(chunk).map_or(0, |&count| usize::from(count));
        if count > 0 {
            let first = chunk * CHUNK;
            let entries = self.table.iter_mut().skip(first).take(CHUNK);
            for (place, (entry, index)) in entries.zip(first..).enumerate() {
                if place % FETCHED_TOGETHER == 0 {
                    (index..index + FETCHED_TOGETHER).for_each(|index| self.compact.prefetch_if(true, index));
                }
                *entry = self.compact.get(index);
            }
            self.compact.leave(count);
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

    /// Entries that [`Self::written`] looks at, at most.
    pub fn most_written(&self) -> usize {
        if !self.is_sparse {
            return self.table.len();
        }
        let chunks: u32 = self.written.iter().map(|bits| bits.count_ones()).sum();
        chunks as usize * CHUNK + self.compact.len()
    }

    /// The entries that are not zero, by index, in no order. Looks at nothing that was never written.
    pub fn written(&self) -> impl Iterator<Item = (usize, u32)> + '_ {
        let chunks = self.table.len().div_ceil(CHUNK);
        let in_table = (0..chunks).filter(|&chunk| !self.is_unwritten(chunk * CHUNK)).flat_map(|chunk| {
            let entries = self.table.get(chunk * CHUNK..).unwrap_or_default().iter().take(CHUNK);
            entries.zip(chunk * CHUNK..).map(|(&entry, index)| (index, entry))
        });
        let compact = self.compact.entries().filter(|&(index, _)| self.is_unwritten(index));
        in_table.chain(compact).filter(|&(_, entry)| entry != 0)
    }

    /// The chunks that hold something, by number.
    pub fn chunks_in_use(&self) -> Vec<u32> {
        let mut chunks = self.table.chunks_in_use();
        let in_table = chunks.len();
        let of_entry = |(index, entry): (usize, u32)| {
            (entry != 0 && self.is_unwritten(index)).then_some((index / CHUNK) as u32)
        };
        chunks.extend(self.compact.entries().filter_map(of_entry));
        if chunks.len() > in_table {
            chunks.sort_unstable();
            chunks.dedup();
        }
        chunks
    }

    /// The bytes of a chunk.
    pub fn chunk_bytes(&self, number: u32) -> Vec<u8> {
        let first = number as usize * CHUNK;
        if !self.is_unwritten(first) {
            return self.table.chunk_bytes(number);
        }
        let entries = first..(first + CHUNK).min(self.table.len());
        entries.flat_map(|index| self.compact.get(index).to_le_bytes()).collect()
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
            self.end_sparse();
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Five huge pages and a piece, so that the table has all that large ones have.
    const ENTRIES: usize = 5 * HUGE_PAGE / ENTRY + 1_500;

    fn assert_same(table: &SparseTable, expected: &[u32]) {
        assert!((0..ENTRIES).all(|index| table.get(index) == expected[index]));
        for run in [0..64, CHUNK - 5..2 * CHUNK + 9, 40 * CHUNK..41 * CHUNK, ENTRIES - 3..ENTRIES, 7..7] {
            let mut entries = vec![1; run.len()];
            table.copy_run(run.start, &mut entries);
            assert_eq!(entries, expected[run]);
        }
        let chunks = expected.chunks(CHUNK).enumerate();
        let in_use: Vec<u32> = chunks
            .filter(|(_, chunk)| chunk.iter().any(|&entry| entry != 0))
            .map(|(number, _)| number as u32)
            .collect();
        assert_eq!(table.chunks_in_use(), in_use);
        for number in in_use {
            let chunk = expected.chunks(CHUNK).nth(number as usize).unwrap_or_default();
            let bytes: Vec<u8> = chunk.iter().flat_map(|entry| entry.to_le_bytes()).collect();
            assert!(table.chunk_bytes(number) == bytes);
        }
    }

    /// One that keeps entries apart, and one that doesn't.
    fn tables() -> [SparseTable; 2] {
        [SparseTable::zeroed(ENTRIES), SparseTable::zeroed(ENTRIES).for_scattered_writes()]
    }

    #[test]
    fn an_entry_is_shown_and_written_only_if_something_is_made_of_it() {
        for mut table in tables() {
            for round in 0..3 {
                for index in (0..3 * CHUNK).step_by(5).chain((3 * CHUNK..ENTRIES).step_by(CHUNK + 1)) {
                    let (before, mut shown) = (table.get(index), u32::MAX);
                    table.update(index, |entry| {
                        shown = entry;
                        (index % 2 == 0).then_some(entry + 1)
                    });
                    assert_eq!((shown, before), (before, if index % 2 == 0 { round } else { 0 }));
                }
            }
        }
    }

    #[test]
    fn entries_are_what_was_written_last_however_dense() {
        for (stride, mut table) in [1, 7, 15, 17, 700, CHUNK, 3 * CHUNK, HUGE_PAGE / ENTRY]
            .into_iter()
            .flat_map(|stride| tables().map(|table| (stride, table)))
        {
            let mut expected = vec![0; ENTRIES];
            let keeps_compact = !table.compact_in.is_empty();
            for round in 1..3 {
                for index in (0..ENTRIES).rev().step_by(stride) {
                    table.set(index, index as u32 + round);
                    expected[index] = index as u32 + round;
                    table.prefetch(index);
                }
                assert_same(&table, &expected);
            }
            assert_eq!(table.is_sparse, stride > if keeps_compact { 16 } else { CHUNK }, "{stride}");
            let copy = table.clone();
            table.set(3, 9);
            assert_same(&copy, &expected);
            table.expect_dense();
            expected[3] = 9;
            assert_same(&table, &expected);
        }
    }

    #[test]
    fn runs_are_written_as_entries_one_by_one_are() {
        for run in [0..1, 3..ENTRIES, 700..CHUNK + 1, 2 * HUGE_PAGE / ENTRY..5 * HUGE_PAGE / ENTRY, 9..9] {
            for (expected_first, written_first) in [(true, true), (true, false), (false, true)] {
                let [_, mut table] = tables();
                let mut expected = vec![0; ENTRIES];
                if written_first {
                    for index in (run.start..run.end).step_by(CHUNK / 20) {
                        table.set(index, 1);
                        expected[index] = 1;
                    }
                }
                let huge = expected_first.then(|| table.expect_run(run.clone())).flatten();
                assert_eq!(huge.is_some(), expected_first && run.len() > 2 * HUGE_PAGE / ENTRY);
                assert!(
                    huge.is_none_or(
                        |(first, _)| run.contains(&first) && first < run.start + HUGE_PAGE / ENTRY
                    )
                );
                table.note_run(run.clone());
                assert_same(&table, &expected);
                for (number, entry) in table.noted_mut(run.clone()).iter_mut().enumerate() {
                    *entry += number as u32;
                }
                run.clone().for_each(|index| expected[index] += (index - run.start) as u32);
                assert_same(&table, &expected);
                table.set(ENTRIES - 1, 8);
                expected[ENTRIES - 1] = 8;
                assert_same(&table.clone(), &expected);
            }
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
            let expected = |index: usize| if index.is_multiple_of(stride) { 1 + index as u32 } else { 0 };
            assert!((0..ENTRIES).all(|index| table.get(index) == expected(index)));
        }
    }
}
