//! How far the rows of the superblocks are programmed.

use serde::{Deserialize, Serialize};

use wordline_base::memory::zeroed_table;

/// Half of an entry: program units whose content is final, and those that are programmed.
const FINAL: u32 = 1 << 16;

/// Of each row: program units with data whose content is final, and program units (parity included) that are
/// programmed. Zero stands for "as laid out before the first request", so an untouched drive costs no memory; else 4
/// bytes for each row.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rows {
    /// Number of final ones × [`FINAL`] + number of programmed ones + 1.
    state: Vec<u32>,
    per_superblock: u32,
}

impl Rows {
    /// Nothing is programmed but what is laid out.
    pub fn new(superblocks: usize, per_superblock: u32) -> Self {
        Self { state: zeroed_table(superblocks * per_superblock as usize), per_superblock }
    }

    fn entry(&mut self, superblock: usize, row: u32) -> &mut u32 {
        &mut self.state[superblock * self.per_superblock as usize + row as usize]
    }

    /// The content of one more program unit of data is final; returns of how many it is.
    pub fn note_final(&mut self, superblock: usize, row: u32) -> u32 {
        let entry = self.entry(superblock, row);
        *entry = (*entry).max(1) + FINAL;
        *entry / FINAL
    }

    /// One more program unit is programmed.
    pub fn note_programmed(&mut self, superblock: usize, row: u32) {
        let entry = self.entry(superblock, row);
        *entry = (*entry).max(1) + 1;
    }

    /// Nothing more goes into a row that was begun: of so many program units for data, those that are missing count as
    /// programmed, since they hold nothing. Returns whether the row was begun.
    pub fn leave_out_rest(&mut self, superblock: usize, row: u32, data: u32) -> bool {
        let entry = self.entry(superblock, row);
        let begun = *entry / FINAL;
        if begun > 0 {
            *entry += data.saturating_sub(begun);
        }
        begun > 0
    }

    /// Program units with data whose content is final; `None` if the row is as it was laid out.
    pub fn filled(&self, superblock: usize, row: u32) -> Option<u32> {
        let entry = self.state[superblock * self.per_superblock as usize + row as usize];
        (entry > 0).then_some(entry / FINAL)
    }

    /// Program units that are programmed; `None` if the row is as it was laid out.
    pub fn programmed(&self, superblock: usize, row: u32) -> Option<u32> {
        let entry = self.state[superblock * self.per_superblock as usize + row as usize];
        (entry % FINAL).checked_sub(1)
    }

    /// The superblock is erased.
    pub fn erase(&mut self, superblock: usize) {
        let rows = self.per_superblock as usize;
        if let Some(rows) = self.state.get_mut(superblock * rows..(superblock + 1) * rows) {
            rows.fill(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_as_laid_out_until_it_is_programmed_or_erased() {
        let mut rows = Rows::new(3, 4);
        assert_eq!(rows.programmed(1, 2), None);
        assert_eq!((rows.note_final(1, 2), rows.note_final(1, 2)), (1, 2));
        assert_eq!(rows.programmed(1, 2), Some(0));
        rows.note_programmed(1, 2);
        assert_eq!((rows.programmed(1, 2), rows.programmed(1, 1)), (Some(1), None));
        rows.erase(1);
        assert_eq!(
            (rows.programmed(1, 2), rows.programmed(1, 1), rows.programmed(2, 0)),
            (Some(0), Some(0), None)
        );
        assert_eq!(rows.note_final(1, 2), 1);
    }

    #[test]
    fn a_row_that_ends_early_is_whole_without_what_it_was_not_given() {
        let mut rows = Rows::new(1, 3);
        assert!(!rows.leave_out_rest(0, 0, 3));
        assert_eq!((rows.programmed(0, 0), rows.filled(0, 0)), (None, None));
        rows.note_final(0, 1);
        rows.note_programmed(0, 1);
        assert!(rows.leave_out_rest(0, 1, 3));
        // Its parity is still to come.
        assert_eq!((rows.programmed(0, 1), rows.filled(0, 1)), (Some(3), Some(1)));
    }
}
