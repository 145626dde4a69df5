//! What is seen of the whole drive, which changes nothing: results, tables, audit, what a loss of power would leave.

mod audit;
mod disturb;
mod power_loss;
mod reports;
mod results;
mod servers;
mod tables;

pub use power_loss::PowerLoss;
