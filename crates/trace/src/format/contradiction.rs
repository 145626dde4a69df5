//! Names of columns that say something else than the form of their file.

use crate::config::ColumnsConfig;

use super::Rules;
use super::columns::{Places, Role};
use super::plain::layout;
use super::quick::{Column, Layout};
use super::separator::{Separator, names};

/// Whether names of columns say something else than the form of `rules` has: other places, or other units. What names don't
/// tell can't.
pub(super) fn contradicts(line: &[u8], rules: &Rules, sector_bytes: u64) -> bool {
    let Some(layout) = layout(rules.form) else { return false };
    let names = names(line, Separator::of(line));
    let Ok(places) = Places::find(&names, &ColumnsConfig::default()) else { return false };
    let elsewhere = [
        (Role::Time, Column::Time),
        (Role::Op, Column::Op),
        (Role::Offset, Column::Offset),
        (Role::Length, Column::Length),
    ]
    .into_iter()
    .any(|(role, column)| places.at(role) != place_of(&layout, column));
    elsewhere
        || places.time_unit.is_some_and(|unit| unit != rules.unit_ns)
        || places.offset.said(sector_bytes).is_some_and(|unit| unit != rules.offset_unit)
        || places.length.said(sector_bytes).is_some_and(|unit| unit != rules.length_unit)
}

fn place_of(layout: &Layout<'_>, column: Column) -> Option<usize> {
    layout.columns.iter().position(|found| *found == column)
}
