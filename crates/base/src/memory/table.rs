//! Large tables of which most may be zero: what was never touched costs no memory and no bytes in a snapshot, and copies
//! share what neither writes.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut, Range};
use std::ptr::NonNull;

use serde::de::{Error, SeqAccess, Visitor};
use serde::ser::SerializeTuple;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[cfg(target_os = "linux")]
use super::mapping::Mapping;
use super::{Extent, WORTH_A_THREAD, WORTH_HUGE_PAGES, ask_for_huge_pages};

/// Bytes of a chunk: a page of memory.
const CHUNK_BYTES: usize = 4096;

/// Most entries that a table may claim to have when it is read back; no table of a drive has more.
const MOST_ENTRIES: u64 = 1 << 32;

/// An entry of a [`Table`]: a whole number without a bit pattern that isn't one.
pub trait Word: Copy + PartialEq + fmt::Debug + 'static {
    /// Nothing.
    const ZERO: Self;
    /// Appends its bytes, the least significant first.
    fn put(self, bytes: &mut Vec<u8>);
    /// From exactly as many bytes as it has.
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! word {
    ($($number:ty),*) => {$(
        impl Word for $number {
            const ZERO: Self = 0;
            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
            fn get(bytes: &[u8]) -> Self {
                Self::from_le_bytes(bytes.try_into().unwrap_or_default())
            }
        }
    )*};
}
word!(u32, u64);

/// A table of fixed length that starts as zeros. A copy of a large one shares its memory, page by page, until either writes.
pub struct Table<T> {
    start: NonNull<T>,
    entries: usize,
    memory: Memory,
}

/// Whose the memory of a table is.
enum Memory {
    /// The allocator's.
    Allocated(Layout),
    /// The system's.
    #[cfg(target_os = "linux")]
    Mapped(Mapping),
}

// SAFETY: a table owns its entries, as a `Vec` does.
unsafe impl<T: Send> Send for Table<T> {}
// SAFETY: through a shared reference its entries are only read.
unsafe impl<T: Sync> Sync for Table<T> {}

impl<T: Word> Table<T> {
    /// So many zeros. Costs no memory until touched: the system hands out zero pages.
    pub fn zeroed(entries: usize) -> Self {
        Self::try_zeroed(entries)
            .unwrap_or_else(|| handle_alloc_error(Layout::array::<T>(entries).unwrap_or(Layout::new::<T>())))
    }

    /// The same, or `None` where the system has no room for it.
    fn try_zeroed(entries: usize) -> Option<Self> {
        let layout = Layout::array::<T>(entries).ok()?;
        if layout.size() == 0 {
            return Some(Self { start: NonNull::dangling(), entries, memory: Memory::Allocated(layout) });
        }
        #[cfg(target_os = "linux")]
        if layout.size() >= WORTH_HUGE_PAGES {
            return Mapping::zeroed(layout.size()).map(|mapping| Self::over(mapping, entries));
        }
        // SAFETY: the layout is not empty.
        let start = NonNull::new(unsafe { alloc_zeroed(layout) })?.cast();
        Some(Self { start, entries, memory: Memory::Allocated(layout) })
    }

    /// Over memory that has room for so many entries.
    #[cfg(target_os = "linux")]
    fn over(mapping: Mapping, entries: usize) -> Self {
        Self { start: mapping.start().cast(), entries, memory: Memory::Mapped(mapping) }
    }

    /// A copy that shares memory, where the system can do that.
    fn shared(&self) -> Option<Self> {
        match &self.memory {
            Memory::Allocated(_) => None,
            #[cfg(target_os = "linux")]
            Memory::Mapped(mapping) => mapping.share().ok().map(|copy| Self::over(copy, self.entries)),
        }
    }

    /// Exchanges the memory under some chunks for a huge page, if the system can do that. Only `written` ones of them hold
    /// something.
    pub fn make_huge(&mut self, chunks: Range<usize>, written: impl Fn(usize) -> bool) {
        let bytes = chunks.start * CHUNK_BYTES..chunks.end * CHUNK_BYTES;
        let chunks = chunks.filter(|&chunk| written(chunk));
        let kept: Vec<_> = chunks.map(|chunk| (chunk, self.chunk(chunk as u32).to_vec())).collect();
        let cleared = match &mut self.memory {
            Memory::Allocated(_) => false,
            #[cfg(target_os = "linux")]
            Memory::Mapped(mapping) => mapping.clear_for_huge_page(bytes),
        };
        for (chunk, contents) in kept.into_iter().filter(|_| cleared) {
            let start = chunk * Self::CHUNK;
            if let Some(place) = self.get_mut(start..start + contents.len()) {
                place.copy_from_slice(&contents);
            }
        }
    }

    /// Whether the system has handed out no memory for it, as far as that says so.
    #[cfg(all(test, target_os = "linux"))]
    pub(super) fn has_memory_for_nothing(&self) -> bool {
        match &self.memory {
            Memory::Allocated(_) => false,
            Memory::Mapped(mapping) => {
                let touched = mapping.touched().len();
                touched == 0 || touched == (self.entries * size_of::<T>()).div_ceil(CHUNK_BYTES)
            }
        }
    }

    /// Entries of a chunk.
    pub const CHUNK: usize = CHUNK_BYTES / size_of::<T>();

    /// The chunks that hold something, by number.
    pub fn chunks_in_use(&self) -> Vec<u32> {
        // Slices of whole numbers are compared as memory, at its speed.
        let zeros = vec![T::ZERO; Self::CHUNK];
        let in_use = |number: &u32| {
            let chunk = self.chunk(*number);
            zeros.get(..chunk.len()) != Some(chunk)
        };
        match &self.memory {
            // A chunk is a page; what was never touched is not looked at.
            #[cfg(target_os = "linux")]
            Memory::Mapped(mapping) => {
                mapping.touched().iter().map(|&page| page as u32).filter(in_use).collect()
            }
            Memory::Allocated(_) => (0..self.entries.div_ceil(Self::CHUNK) as u32).filter(in_use).collect(),
        }
    }

    /// The entries that are not zero, by index. Looks at nothing that was never touched, where the system says so.
    pub fn written(&self) -> impl Iterator<Item = (usize, &T)> + '_ {
        self.chunks_in_use()
            .into_iter()
            .flat_map(|number| {
                let first = number as usize * Self::CHUNK;
                self.chunk(number).iter().zip(first..).map(|(entry, index)| (index, entry))
            })
            .filter(|&(_, entry)| *entry != T::ZERO)
    }

    /// Entries of a chunk; the last one may be short, and one beyond it is empty.
    pub fn chunk(&self, number: u32) -> &[T] {
        self.deref().chunks(Self::CHUNK).nth(number as usize).unwrap_or_default()
    }

    /// Asks for huge pages if so many chunks are going to be most of the table. Returns its memory if that is worth a
    /// thread that has it handed out meanwhile.
    pub fn expect_chunks(&self, chunks: usize) -> Option<Extent> {
        if chunks <= self.entries / Self::CHUNK / 2 {
            return None;
        }
        ask_for_huge_pages(self);
        (size_of_val::<[T]>(self) >= WORTH_A_THREAD).then(|| Extent::of(self))
    }

    /// Fills a chunk; `None` if there is no such chunk or the bytes aren't as many as it has.
    pub fn fill_chunk(&mut self, number: u32, bytes: &[u8]) -> Option<()> {
        let chunk = self.deref_mut().chunks_mut(Self::CHUNK).nth(number as usize)?;
        if bytes.len() != size_of_val(chunk) {
            return None;
        }
        for (entry, bytes) in chunk.iter_mut().zip(bytes.chunks_exact(size_of::<T>())) {
            *entry = T::get(bytes);
        }
        Some(())
    }

    /// The bytes of a chunk.
    pub fn chunk_bytes(&self, number: u32) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(CHUNK_BYTES);
        self.chunk(number).iter().for_each(|entry| entry.put(&mut bytes));
        bytes
    }
}

impl<T> Drop for Table<T> {
    fn drop(&mut self) {
        match &self.memory {
            // SAFETY: it was allocated with this layout, and nothing refers to it any more.
            Memory::Allocated(layout) if layout.size() > 0 => unsafe {
                dealloc(self.start.as_ptr().cast(), *layout);
            },
            _ => {}
        }
    }
}

impl<T> fmt::Debug for Table<T> {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(text, "a table of {} entries", self.entries)
    }
}

impl<T> Deref for Table<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        // SAFETY: the memory has room for so many entries, which are initialised: zeros, which are values of `Word`s, or what
        // was written; tables of other types can't be made. It lives as long as the table.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.entries) }
    }
}

impl<T> DerefMut for Table<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [T] {
        // SAFETY: as above; the table is borrowed for this alone, and copies never write the pages that they share.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.entries) }
    }
}

impl<T: Word> Clone for Table<T> {
    fn clone(&self) -> Self {
        self.shared().unwrap_or_else(|| self.copied())
    }
}

impl<T: Word> Table<T> {
    /// A copy with memory of its own for what isn't zero.
    fn copied(&self) -> Self {
        let mut copy = Self::zeroed(self.entries);
        let chunks = self.chunks_in_use();
        copy.expect_chunks(chunks.len());
        for number in chunks {
            let start = number as usize * Self::CHUNK;
            let chunk = self.chunk(number);
            if let Some(place) = copy.get_mut(start..start + chunk.len()) {
                place.copy_from_slice(chunk);
            }
        }
        copy
    }
}

/// Bytes that are written at once, not number by number.
struct Bytes<'a>(&'a [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Bytes<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&'a [u8]>::deserialize(deserializer).map(Bytes)
    }
}

/// Chunks of a table as number and bytes.
struct Chunks<'a, T>(&'a Table<T>, Vec<u32>);

impl<T: Word> Serialize for Chunks<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeSeq;
        let mut chunks = serializer.serialize_seq(Some(self.1.len()))?;
        for &number in &self.1 {
            chunks.serialize_element(&(number, Bytes(&self.0.chunk_bytes(number))))?;
        }
        chunks.end()
    }
}

impl<T: Word> Serialize for Table<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut table = serializer.serialize_tuple(2)?;
        table.serialize_element(&(self.entries as u64))?;
        table.serialize_element(&Chunks(self, self.chunks_in_use()))?;
        table.end()
    }
}

/// Fills a table with the chunks that come.
struct Filling<'a, T>(&'a mut Table<T>);

impl<'de, T: Word> serde::de::DeserializeSeed<'de> for Filling<'_, T> {
    type Value = ();
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Word> Visitor<'de> for Filling<'_, T> {
    type Value = ();

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("chunks of a table")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut chunks: A) -> Result<(), A::Error> {
        self.0.expect_chunks(chunks.size_hint().unwrap_or(0));
        while let Some((number, bytes)) = chunks.next_element::<(u32, Bytes<'de>)>()? {
            let filled = self.0.fill_chunk(number, bytes.0);
            filled.ok_or_else(|| A::Error::custom("a chunk that the table doesn't have"))?;
        }
        Ok(())
    }
}

struct TableVisitor<T>(PhantomData<T>);

impl<'de, T: Word> Visitor<'de> for TableVisitor<T> {
    type Value = Table<T>;

    fn expecting(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        text.write_str("a table")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Table<T>, A::Error> {
        let entries: u64 = parts.next_element()?.ok_or_else(|| A::Error::custom("a table without length"))?;
        let room = if entries > MOST_ENTRIES { None } else { Table::try_zeroed(entries as usize) };
        let mut table = room.ok_or_else(|| A::Error::custom("a table beyond any drive"))?;
        parts
            .next_element_seed(Filling(&mut table))?
            .ok_or_else(|| A::Error::custom("a table without chunks"))?;
        Ok(table)
    }
}

impl<'de, T: Word> Deserialize<'de> for Table<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_tuple(2, TableVisitor(PhantomData))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests {
    use super::*;

    fn table(entries: usize, set: &[usize]) -> Table<u32> {
        let mut table = Table::zeroed(entries);
        for &index in set {
            table[index] = index as u32 + 1;
        }
        table
    }

    #[test]
    fn copies_and_bytes_hold_the_same_and_leave_out_what_is_zero() {
        for (entries, set) in
            [(0, vec![]), (5, vec![4]), (5000, vec![0, 1023, 4999]), (1 << 20, vec![1 << 19])]
        {
            let table = table(entries, &set);
            let copy = table.clone();
            assert_eq!(*copy, *table);
            let bytes = postcard::to_allocvec(&table).unwrap();
            assert!(bytes.len() < set.len() * (CHUNK_BYTES + 8) + 16, "{}", bytes.len());
            assert_eq!(*postcard::from_bytes::<Table<u32>>(&bytes).unwrap(), *table);
        }
    }

    #[test]
    fn large_tables_and_their_copies_hold_the_same_and_then_go_their_own_ways() {
        let entries = WORTH_HUGE_PAGES / 4 * 3 + 17;
        let mut table = table(entries, &[0, 5_000, entries / 2, entries - 1]);
        let before = table.to_vec();
        let (mut shared, copied) = (table.clone(), table.copied());
        assert!(*shared == before && *copied == before);
        (table[5_000], shared[entries - 1], shared[9_000]) = (7, 8, 9);
        let second = shared.clone();
        drop(shared);
        assert_eq!((table[5_000], table[entries - 1], table[9_000]), (7, entries as u32, 0));
        assert_eq!((second[5_000], second[entries - 1], second[9_000]), (5_001, 8, 9));
        assert!(*copied == before);
        let bytes = postcard::to_allocvec(&second).unwrap();
        assert_eq!(*postcard::from_bytes::<Table<u32>>(&bytes).unwrap(), *second);
    }

    #[test]
    fn wide_entries_come_back_too() {
        let mut table: Table<u64> = Table::zeroed(1000);
        (table[0], table[999]) = (u64::MAX, 1 << 63);
        let bytes = postcard::to_allocvec(&table).unwrap();
        assert_eq!(*postcard::from_bytes::<Table<u64>>(&bytes).unwrap(), *table);
    }

    #[test]
    fn a_table_beyond_any_drive_or_with_a_strange_chunk_is_refused() {
        let chunks: Vec<(u32, Bytes<'_>)> = vec![];
        let bytes = postcard::to_allocvec(&(u64::MAX, chunks)).unwrap();
        assert!(postcard::from_bytes::<Table<u32>>(&bytes).is_err());
        for (number, length) in [(1, 20), (0, 16), (u32::MAX, 20)] {
            let bytes = postcard::to_allocvec(&(5u64, vec![(number, Bytes(&[1; 32][..length]))])).unwrap();
            assert!(postcard::from_bytes::<Table<u32>>(&bytes).is_err(), "{number} {length}");
        }
    }
}
