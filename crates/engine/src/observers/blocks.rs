//! The table of superblocks, and erases by resource.

use super::around::AroundObservers;
use crate::stats::measured::EraseSpan;
use crate::stats::report::Report;
use crate::stats::table::{Column, Table};
use wordline_base::ids::{DieId, PlaneId, SuperblockId};
use wordline_ftl::blocks::BlockTable;

/// One row for each superblock.
pub(super) fn block_rows(blocks: &BlockTable) -> Table {
    let superblocks = || (0..blocks.len() as u32).map(SuperblockId);
    let numbers = |of: &dyn Fn(SuperblockId) -> u32| Column::U32(superblocks().map(of).collect());
    let state = |id| snake_case(&format!("{:?}", blocks.state(id)));
    let mut table = Table::default();
    table.add("superblock", numbers(&|id| id.0));
    table.add("domain", numbers(&|id| blocks.split(id).0.0));
    table.add("block", numbers(&|id| blocks.split(id).1));
    table.add("state", Column::Text(superblocks().map(state).collect()));
    table.add("valid_units", numbers(&|id| blocks.valid(id)));
    table.add("erases", Column::U32(blocks.erase_counts().to_vec()));
    table
}

fn snake_case(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

/// Enters the erases of each die and channel.
pub(super) fn report_erases<A: AroundObservers>(around: &A, report: &mut Report) {
    let (flash, ftl, geometry) = (around.flash(), around.ftl(), around.ftl().geometry());
    let (mut dies, mut channels) = (vec![EraseSpan::EMPTY; flash.dies().len()], Vec::new());
    channels.resize(flash.channels().len(), EraseSpan::EMPTY);
    for plane in (0..geometry.planes()).map(PlaneId) {
        let erases = EraseSpan::of(ftl.erases_of_plane(plane));
        let die = geometry.die_of(plane).0.index();
        dies[die].merge(&erases);
        channels[flash.channel_of(DieId(die as u32)) as usize].merge(&erases);
    }
    for (die, erases) in report.dies.iter_mut().zip(dies) {
        die.erases = erases;
    }
    for (channel, erases) in report.channels.iter_mut().zip(channels) {
        channel.erases = erases;
    }
}
