//! The columns of a time series.

use super::{Answered, Row};
use crate::table::{Column, Table};
use wordline_base::class::{Class, FlashOp};

/// Picks a direction of a row.
type Direction = fn(&Row) -> &Answered;

/// Makes the columns from rows; `begin` tells where a row's interval starts.
pub fn table<'a, I: Iterator<Item = &'a Row>>(
    rows: impl Fn() -> I,
    begin: impl Fn(usize) -> u64,
    page_bytes: u32,
) -> Table {
    let whole = |of: &dyn Fn(&Row) -> u64| Column::U64(rows().map(of).collect());
    let real = |of: &dyn Fn(&Row) -> f64| Column::F64(rows().map(of).collect());
    let mut table = Table::default();
    table.add("start_ns", Column::U64((0..rows().count()).map(begin).collect()));
    table.add("duration_ns", whole(&|row| row.duration));
    let directions: [(&str, Direction); 2] = [("read", |row| &row.read), ("write", |row| &row.write)];
    for (name, of) in directions {
        let quantile =
            |index: usize| move |row: &Row| of(row).quantiles.map_or(f64::NAN, |q| q[index] as f64);
        let mean = |row: &Row| mean(of(row).latency_sum, of(row).requests);
        table.add(format!("{name}_requests"), whole(&|row| of(row).requests));
        table.add(format!("{name}_bytes"), whole(&|row| of(row).bytes));
        table.add(format!("{name}_latency_mean_ns"), real(&mean));
        table.add(format!("{name}_latency_p50_ns"), real(&quantile(0)));
        table.add(format!("{name}_latency_p99_ns"), real(&quantile(1)));
        table.add(format!("{name}_latency_max_ns"), whole(&|row| of(row).latency_max));
    }
    table.add("other_requests", whole(&|row| row.others));
    table.add("requests_outstanding_mean", real(&|row| mean(row.inside, row.duration)));
    table.add("commands_outstanding_mean", real(&|row| mean(row.totals.commands, row.duration)));
    for class in Class::ALL {
        let operations = |row: &Row| row.totals.operations[class.index()];
        if class.is_common() || rows().any(|row| operations(row) > 0) {
            table.add(format!("{}_operations", class.name()), whole(&operations));
        }
    }
    table.add("gc_moved_units", whole(&|row| row.totals.gc_moved_units));
    table.add("other_moved_units", whole(&|row| row.totals.other_moved_units));
    table.add("stalled_units", whole(&|row| row.totals.stalled_units));
    table.add("free_superblocks_min", Column::U32(rows().map(|row| row.free_min).collect()));
    table.add("waf", real(&|row| waf(row, page_bytes)));
    table.add("energy_pj", whole(&|row| u64::try_from(row.totals.energy).unwrap_or(u64::MAX)));
    table
}

fn mean(sum: u128, count: u64) -> f64 {
    if count == 0 { f64::NAN } else { sum as f64 / count as f64 }
}

/// Bytes programmed for each byte of the writes answered; NaN without such writes.
fn waf(row: &Row, page_bytes: u32) -> f64 {
    let programs: u64 = Class::ALL
        .iter()
        .filter(|class| class.op() == FlashOp::Program)
        .map(|class| row.totals.operations[class.index()])
        .sum();
    if row.write.bytes == 0 {
        return f64::NAN;
    }
    programs as f64 * f64::from(page_bytes) / row.write.bytes as f64
}
