//! What the translation layer does with its tables: pages are read and programmed, superblocks collected and reclaimed, copies
//! and parity made, the map kept.
//!
//! [`Ftl`] is its state. A function that may ask or tell whoever holds it takes them as [`AboveFtl`]; what needs nobody is a
//! method of [`Ftl`].

mod above;
pub(crate) mod audit;
pub(crate) mod collection;
pub(crate) mod copies;
mod counted;
mod end_of_event;
mod ftl;
mod looked_at;
mod make;
mod of_flash;
pub(crate) mod parity;
pub(crate) mod plans;
pub(crate) mod preparation;
pub(crate) mod purposes;
pub(crate) mod reads;
pub(crate) mod reclaim;
pub(crate) mod translation;
mod view;
pub(crate) mod writes;

#[cfg(test)]
mod tests;

pub use above::AboveFtl;
pub use audit::formula::audit_by_formula;
pub use audit::single_copy::audit_single_copies;
pub use audit::{Audited, audit, audit_pages};
pub use collection::background::{begin_background, end_background};
pub use collection::collect::want_emptied;
pub use collection::copyback::verify_source;
pub use collection::erase::block_erased;
pub use collection::pace::release_paced;
pub use collection::slc_cache::{cache_sees_requests, fold_while_idle};
pub use collection::wear_out::BadPlan;
pub use collection::wear_out::ends_for_want_of_space;
pub use copies::audit::audit_copies;
pub use copies::making::{ask_for_copy, drop_copies, drop_copy, invalidate_dropped, promote_copy};
pub use counted::Counted;
pub use end_of_event::end_event;
pub use ftl::{DomainState, Ftl, Rules};
pub use of_flash::{page_disturbed, stands, takes, unit_begins, waits_for_plane};
pub use parity::pages::{audit_parity_pages, begin_parity, rebuild_instead};
pub use parity::rebuild::joining_done;
pub use plans::asked::{ask_for_plan, ask_for_plan_of};
pub use plans::awaited_moves::waits_for_move;
pub use plans::place_planned;
pub use preparation::by_domain::{fill_by_domain, overwrite_by_domain, striping};
pub use preparation::in_turn::{fill, fill_at_once, fill_in_turn, lay_out, overwrite, overwrite_in_turn};
pub use preparation::overwriting::{Overwriting, overwriting, overwriting_as};
pub use preparation::phases::keep_pace_untimed;
pub use preparation::places::{close_untimed_place, close_untimed_places};
pub use preparation::untimed::begin_untimed;
pub use preparation::used_caches::{close_behind_slc_cache, use_map_cache, use_slc_cache};
pub use preparation::used_map::put_in_map_cache;
pub use purposes::new_op;
pub use purposes::{For, Purpose, Purposes};
pub use reads::data_out::page_was_read;
pub use reads::read::{are_current, confirm_read, read_for_host, verify_read};
pub use reclaim::{block_worn, count_page_reads, reclaim_worn_blocks};
pub use translation::guesses::{has_withdrawn, judge_guess};
pub use translation::look_ups::{end_translation_wait, go_on, is_translated, map_changed};
pub use translation::map_pages::store_map;
pub use writes::commit::{commit_program, forget, program_ended, unused};
pub use writes::placed_writes::ask_again_for_places;
pub use writes::places::{place, place_stalled_anew, release_stalled};
pub use writes::program::{host_point, moved_by_program, program_anywhere, program_on, write_for_host};
pub use writes::system_superblocks::close_kept;
