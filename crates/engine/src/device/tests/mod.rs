//! Tests that look at the tables of whole drives.

mod isolation;
mod journal;
mod nvm_sets;
