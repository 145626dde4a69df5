//! Snapshots that are none, and the window.

use wordline_drive::{Drive, Op, Request};

use crate::common::{CASES, answers, described, load};

#[test]
fn bytes_that_are_no_snapshot_are_refused_wherever_they_are_wrong() {
    let mut drive = described(&CASES[0], 1).build().unwrap();
    drive.submit_all(&load(&drive, 1, 40)).unwrap();
    drive.advance(1_000).unwrap();
    let bytes = drive.save().unwrap();
    assert!(Drive::restore(&bytes).is_ok());
    assert_eq!(Drive::restore(b"").err().unwrap().to_string(), "this is no snapshot of Wordline");
    for cut in [5, 12, 40, 2_000, bytes.len() / 2, bytes.len() - 1] {
        assert!(Drive::restore(&bytes[..cut]).is_err(), "cut at {cut}");
    }
    for place in (0..bytes.len()).step_by(bytes.len() / 50 + 1) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x10;
        assert!(Drive::restore(&damaged).is_err(), "damaged at {place}");
    }
}

#[test]
fn a_copy_goes_its_own_way() {
    let mut drive = described(&CASES[0], 1).build().unwrap();
    drive.submit_all(&load(&drive, 3, 40)).unwrap();
    let mut copy = drive.fork().unwrap();
    copy.submit(Request::new(0, Op::Write, 0, 1 << 20).tagged(1_000)).unwrap();
    assert_eq!(answers(&mut copy).len(), 41);
    assert_eq!(answers(&mut drive).len(), 40);
}

#[test]
fn figures_are_those_since_the_mark() {
    let mut drive = described(&CASES[0], 1).build().unwrap();
    assert_eq!(drive.statistics().unwrap().report.read.requests, 0);
    for _ in 0..3 {
        drive.submit(Request::new(drive.now(), Op::Read, 0, 4096)).unwrap();
        drive.drain().unwrap();
    }
    assert_eq!(drive.statistics().unwrap().report.read.requests, 3);
    drive.mark().unwrap();
    assert_eq!(drive.statistics().unwrap().report.read.requests, 0);
    drive.submit(Request::new(drive.now(), Op::Read, 0, 4096)).unwrap();
    drive.drain().unwrap();
    let counted = drive.statistics().unwrap();
    assert_eq!((counted.report.read.requests, counted.engine.requests), (1, 4));
    let json = counted.to_json().unwrap();
    assert!(json.contains(r#""simulated_ns":"#) && json.contains(r#""read":{"requests":1,"#), "{json}");
}
