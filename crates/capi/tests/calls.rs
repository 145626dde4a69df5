//! What C may do wrong is an error.

use std::ffi::{CStr, CString};
use std::ptr::{null, null_mut};

use wordline::WordlineStatus::{self, WordlineEnded, WordlineOk, WordlineRefused};
use wordline::drive::*;
use wordline::error::wordline_last_error;
use wordline::make::*;
use wordline::memory::{WordlineBytes, wordline_bytes_free};
use wordline::requests::*;
use wordline::state::*;

fn told() -> String {
    // SAFETY: the text is copied before the next call of this thread.
    unsafe { CStr::from_ptr(wordline_last_error()) }.to_str().unwrap().to_owned()
}

fn refused(status: WordlineStatus, word: &str) {
    assert_eq!(status, WordlineRefused);
    assert!(told().contains(word), "{}", told());
}

fn options() -> WordlineOptions {
    // SAFETY: NULL and 0 are values of every field.
    unsafe { std::mem::zeroed() }
}

fn small() -> *mut WordlineDrive {
    made(&[(c"device.capacity.overprovisioning", c"0.25")])
}

/// A drive of MQSim's kind with these changes.
fn made(changes: &[(&CStr, &CStr)]) -> *mut WordlineDrive {
    let change =
        |(path, value): &(&CStr, &CStr)| WordlineOverride { path: path.as_ptr(), value: value.as_ptr() };
    let changes: Vec<_> = changes.iter().map(change).collect();
    let mut options = WordlineOptions { device: c"mqsim".as_ptr(), ..options() };
    (options.overrides, options.override_count) = (changes.as_ptr(), changes.len());
    let mut drive = null_mut();
    // SAFETY: the options and what they lead to outlive the call.
    assert_eq!(unsafe { wordline_drive_new(&raw const options, &raw mut drive) }, WordlineOk, "{}", told());
    drive
}

const READ: WordlineRequest =
    WordlineRequest { time: 0, offset: 0, length: 4096, tag: 9, stream: 0, op: WORDLINE_READ };

/// Takes the answers, two at a time.
unsafe fn answers(drive: *mut WordlineDrive) -> Vec<WordlineCompletion> {
    let mut all = Vec::new();
    loop {
        let (mut some, mut count) = ([WordlineCompletion::default(); 2], 0);
        // SAFETY: there is room for two.
        let status = unsafe { wordline_drive_completions(drive, some.as_mut_ptr(), 2, &raw mut count) };
        assert_eq!(status, WordlineOk);
        all.extend(&some[..count]);
        if count < 2 {
            return all;
        }
    }
}

#[test]
fn requests_are_answered_and_copies_and_snapshots_answer_alike() {
    let drive = small();
    // SAFETY: pointers lead to what lives here, and each drive is freed once.
    unsafe {
        assert_eq!(wordline_drive_submit(drive, [READ; 5].as_ptr(), 5), WordlineOk);
        assert_eq!(wordline_drive_advance(drive, 10), WordlineOk);
        let (mut copy, mut again) = (null_mut(), null_mut());
        assert_eq!(wordline_drive_fork(drive, &raw mut copy), WordlineOk);
        let mut bytes = WordlineBytes { data: null_mut(), length: 0 };
        assert_eq!(wordline_drive_save(drive, &raw mut bytes), WordlineOk);
        assert_eq!(wordline_drive_restore(bytes.data, bytes.length, &raw mut again), WordlineOk);
        wordline_bytes_free(&raw mut bytes);
        assert!(bytes.data.is_null());
        let times = [drive, copy, again].map(|drive| {
            assert_eq!(wordline_drive_outstanding(drive), 5);
            assert_eq!(wordline_drive_drain(drive), WordlineOk);
            let done = answers(drive);
            assert!(wordline_drive_now(drive) > 10 && done.iter().all(|done| done.request.tag == 9));
            assert_eq!(wordline_drive_mark(drive), WordlineOk);
            let mut json = WordlineBytes { data: null_mut(), length: 0 };
            assert_eq!(wordline_drive_statistics(drive, &raw mut json), WordlineOk);
            assert!(CStr::from_ptr(json.data.cast()).to_str().unwrap().starts_with('{'));
            wordline_bytes_free(&raw mut json);
            let mut next = 0;
            assert_eq!(wordline_drive_next_event(drive, &raw mut next), WordlineOk);
            wordline_drive_free(drive);
            (next, done.iter().map(|done| done.time).collect::<Vec<_>>())
        });
        assert_eq!(times[0].1.len(), 5);
        assert_eq!((times[0].0, &times[0], &times[1]), (u64::MAX, &times[1], &times[2]));
    }
}

#[test]
fn what_cannot_be_is_refused_and_told() {
    let drive = small();
    // SAFETY: no pointer that isn't NULL leads nowhere.
    unsafe {
        let mut count = 0;
        refused(wordline_drive_submit(null_mut(), &READ, 1), "drive = NULL");
        refused(wordline_drive_submit(drive, null(), 1), "requests");
        refused(wordline_drive_submit(drive, &READ, usize::MAX), "requests");
        refused(wordline_drive_submit(drive, &WordlineRequest { op: 5, ..READ }, 1), "op = 5");
        refused(wordline_drive_submit(drive, &WordlineRequest { length: 0, ..READ }, 1), "0 bytes");
        refused(
            wordline_drive_submit(drive, &WordlineRequest { offset: u64::MAX, ..READ }, 1),
            "the drive's size",
        );
        assert_eq!(wordline_drive_submit(drive, null(), 0), WordlineOk);
        refused(wordline_drive_completions(drive, null_mut(), 4, &raw mut count), "completions");
        refused(wordline_drive_completions(drive, null_mut(), 0, null_mut()), "taken = NULL");
        assert_eq!(wordline_drive_completions(drive, null_mut(), 0, &raw mut count), WordlineOk);
        refused(wordline_drive_next_event(drive, null_mut()), "time = NULL");
        assert_eq!(wordline_drive_advance(drive, 10), WordlineOk);
        refused(wordline_drive_advance(drive, 9), "where the drive is");
        let mut other = null_mut();
        refused(wordline_drive_restore(null(), 7, &raw mut other), "data");
        refused(wordline_drive_restore([1_u8; 40].as_ptr(), 40, &raw mut other), "no snapshot");
        refused(wordline_drive_fork(drive, null_mut()), "copy = NULL");
        assert!(other.is_null());
        wordline_drive_free(drive);
        wordline_drive_free(null_mut());
        wordline_bytes_free(null_mut());
        assert_eq!(wordline_drive_logical_bytes(null()), 0);
    }
}

#[test]
fn a_drive_whose_life_has_ended_says_so_and_keeps_its_answers() {
    let drive = made(&[
        (c"device.geometry.blocks", c"32"),
        (c"device.geometry.pages", c"64"),
        (c"device.capacity.overprovisioning", c"0.25"),
        (c"device.bad_blocks.endurance_cycles", c"3"),
    ]);
    let write = |number: u64, time, bytes| WordlineRequest {
        time,
        offset: number * 7919 * 65_536 % (bytes - 65_536),
        length: 65_536,
        op: WORDLINE_WRITE,
        ..READ
    };
    // SAFETY: the drive is freed once, at the end, and what is given outlives each call.
    unsafe {
        let bytes = wordline_drive_logical_bytes(drive);
        let mut status = WordlineOk;
        for round in 0..2_000 {
            let time = wordline_drive_now(drive);
            let requests: Vec<_> = (0..512).map(|number| write(round * 512 + number, time, bytes)).collect();
            assert_eq!(wordline_drive_submit(drive, requests.as_ptr(), requests.len()), WordlineOk);
            status = wordline_drive_drain(drive);
            if status != WordlineOk {
                break;
            }
        }
        assert_eq!(status, WordlineEnded);
        assert!(told().contains("life ended at"), "{}", told());
        let late = WordlineRequest { time: u64::MAX / 4, ..READ };
        assert_eq!(wordline_drive_submit(drive, &raw const late, 1), WordlineEnded);
        assert!(!answers(drive).is_empty());
        wordline_drive_free(drive);
    }
}

#[test]
fn descriptions_that_cannot_be_are_refused_and_told() {
    let new = |options: WordlineOptions, word: &str| {
        let mut drive = null_mut();
        // SAFETY: the texts live as long as the program.
        refused(unsafe { wordline_drive_new(&raw const options, &raw mut drive) }, word);
        assert!(drive.is_null());
    };
    new(WordlineOptions { device: c"mqsin".as_ptr(), ..options() }, "did you mean `mqsim`?");
    new(WordlineOptions { scheme: c"\xff\xfe".as_ptr(), ..options() }, "scheme: no UTF-8 text");
    new(WordlineOptions { device_toml: c"x =".as_ptr(), ..options() }, "device_toml:1");
    new(WordlineOptions { start_toml: c"occupancy = 2".as_ptr(), ..options() }, "occupancy");
    new(WordlineOptions { override_count: 3, ..options() }, "3 of overrides");
    let long = CString::new("[".repeat(100_000)).unwrap();
    new(WordlineOptions { scheme_toml: long.as_ptr(), ..options() }, "scheme_toml");
    // SAFETY: NULL is refused.
    refused(unsafe { wordline_drive_new(null(), null_mut()) }, "drive = NULL");
}
