//! Reads are counted, meet bit errors, are retried and decoded.

use super::harness::*;
use crate::nand::bit_errors::ReadOutcome;
use wordline_base::class::Class::{GcErase, GcProgram, HostProgram, HostRead};
use wordline_base::ids::PlaneId;
use wordline_base::parts::Part::{Cell, ChannelWait, Command, Decode, DieWait, Retry, Transfer};
use wordline_base::time::Ns;

/// Reads of block 3 of a plane since its erase.
fn reads(drive: &Drive, plane: u32) -> u32 {
    drive.flash.disturb().unwrap().counts().block(PlaneId(plane), 3)
}

#[test]
fn each_flash_page_that_a_command_reads_counts_for_its_block_until_that_is_erased() {
    let mut drive = Drive::new(&[("scheme.read_counts", "block")]);
    drive.comes(0, HostRead, [0, 7, 15]);
    // Two planes, of one of which the page is wanted twice.
    drive.come_together(1, HostRead, [[0, 3, 2], [1, 3, 2], [0, 3, 2]]);
    drive.run_dry();
    assert_eq!([0, 1].map(|plane| reads(&drive, plane)), [1, 1]);
    drive.comes(100_000, HostRead, [0, 3, 2]);
    drive.comes(200_000, GcErase, [1, 3, 0]);
    drive.run(1_200_049);
    assert_eq!([0, 1].map(|plane| reads(&drive, plane)), [2, 1]);
    drive.run_dry();
    assert_eq!([0, 1].map(|plane| reads(&drive, plane)), [2, 0]);
}

#[test]
fn a_block_is_worn_from_so_many_reads_on() {
    let mut drive = Drive::new(&[("scheme.reclaim.policy", "page"), ("scheme.reclaim.threshold", "3")]);
    for read in 0..4 {
        drive.comes(read * 100_000, HostRead, [0, 3, 2]);
    }
    drive.run_dry();
    let told = [None, None, Some(3), Some(4)];
    for (read, worn) in (0..).zip(told) {
        let disturbed = Told::Disturbed(ReadOutcome::default(), worn);
        assert!(drive.told.contains(&(read * 100_000, disturbed)), "{read}");
    }
}

#[test]
fn data_is_decoded_when_it_has_left_and_the_die_goes_on_meanwhile() {
    let mut drive = Drive::new(&[("device.errors", "{ decode_ns = 1500, rber = { base = 0.0 } }")]);
    let reads = drive.come_together(0, HostRead, [[0, 3, 2], [1, 3, 2], [0, 3, 3]]);
    let place = drive.page(2, 0, 3, 0);
    let other = drive.comes_to(530, HostRead, place);
    drive.run_dry();
    let own = [(Command, 130), (Cell, 20_000), (Transfer, 4_000), (Decode, 1_500)];
    drive.ended(reads[0], 25_630, &own);
    // What another channel brings meanwhile, at 24,630 ns, is decoded beside it.
    assert_eq!(drive.end(other), 26_130);
    drive.ended(reads[1], 29_630, &[&own[..], &[(ChannelWait(HostRead), 4_000)]].concat());
    let own = [(Command, 100), (Cell, 20_000), (Transfer, 4_000), (Decode, 1_500)];
    drive.ended(reads[2], 53_730, &[&own[..], &[(DieWait(HostRead), 28_130)]].concat());
}

/// Every bit is as likely wrong as right, and no wrong one is corrected; a retry finds no error.
const ONE_RETRY: &str =
    "{ decode_ns = 1500, correctable_bits = 0, retry_factor = 0.0, rber = { base = 0.5 } }";

fn outcomes(drive: &Drive) -> Vec<ReadOutcome> {
    let outcome = |&(_, told): &(u64, Told)| match told {
        Told::Disturbed(outcome, _) => Some(outcome),
        _ => None,
    };
    drive.told.iter().filter_map(outcome).collect()
}

#[test]
fn a_retry_reads_the_page_again_when_it_was_decoded_in_vain_and_counts_as_a_read() {
    let mut drive = Drive::new(&[("device.errors", ONE_RETRY)]);
    let read = drive.comes(0, HostRead, [0, 3, 2]);
    drive.run_dry();
    let parts = [(Command, 100), (Cell, 20_000), (Retry, 21_500), (Transfer, 4_000), (Decode, 1_500)];
    drive.ended(read, 47_100, &parts);
    assert_eq!(reads(&drive, 0), 2);
    let [outcome] = outcomes(&drive)[..] else { panic!("one read") };
    assert_eq!((outcome.codewords, outcome.retries, outcome.uncorrectable), (4, 1, false));
}

#[test]
fn planes_of_one_command_are_retried_together_and_the_next_command_is_not_retried_for_them() {
    let keys = [("device.errors", ONE_RETRY)];
    let mut drive = Drive::new(&keys);
    drive.comes(0, HostProgram, [0, 7, 0]);
    let pair = drive.come_together(1, HostRead, [[0, 3, 2], [1, 3, 2]]);
    let program = drive.comes(2, HostProgram, [0, 7, 1]);
    drive.run_dry();
    let begin = PROGRAM_ALONE + 130 + 20_000 + 21_500;
    assert_eq!(pair.map(|read| drive.end(read)), [begin + 4_000 + 1_500, begin + 8_000 + 1_500]);
    assert_eq!(drive.end(program), begin + 8_000 + PROGRAM_ALONE);
}

#[test]
fn a_page_is_given_up_behind_its_last_retry() {
    let errors = "{ retry_read_ns = 7000, max_retries = 3, correctable_bits = 0, retry_factor = 1.0, rber = { base = 0.5 } }";
    let mut drive = Drive::new(&[("device.errors", errors), FOUR_UNITS]);
    let read = drive.comes(0, HostRead, [0, 3, 2]);
    drive.run_dry();
    drive.ended(read, 42_100, &[(Command, 100), (Cell, 20_000), (Retry, 21_000), (Transfer, 1_000)]);
    let [outcome] = outcomes(&drive)[..] else { panic!("one read") };
    assert_eq!((outcome.codewords, outcome.retries, outcome.uncorrectable), (1, 3, true));
    assert_eq!(reads(&drive, 0), 4);
}

#[test]
fn the_data_of_a_block_is_as_old_as_the_program_of_its_first_page() {
    let mut drive = Drive::new(&[("device.errors", "{ age_days = 10.0, rber = { base = 0.0 } }")]);
    let day = 86_400_000_000_000;
    let days = |drive: &Drive| {
        let place = drive.page(0, 0, 3, 0);
        drive.flash.disturb().unwrap().errors().unwrap().days(place, drive.flash.now())
    };
    drive.comes(day, HostProgram, [0, 3, 1]);
    drive.run_dry();
    drive.run(2 * day);
    assert_eq!(days(&drive), 12.0);
    drive.comes(2 * day, HostProgram, [0, 3, 0]);
    drive.comes(3 * day, HostProgram, [0, 3, 2]);
    drive.run_dry();
    drive.flash.set_now(Ns(5 * day));
    assert_eq!(days(&drive), 3.0);
}

#[test]
fn a_copyback_reads_the_page_that_it_moves() {
    let mut drive = Drive::new(&[("device.copyback.supported", "true"), ("scheme.read_counts", "page")]);
    drive.copyback(0, GcProgram, [0, 3, 2], [0, 4, 0]);
    drive.copyback(0, GcProgram, [0, 3, 3], [0, 4, 1]);
    drive.run_dry();
    let counts = drive.flash.disturb().unwrap().counts();
    assert_eq!((counts.block(PlaneId(0), 3), counts.block(PlaneId(0), 4)), (2, 0));
}
