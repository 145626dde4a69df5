//! Snapshots of older forms and versions: refused, with a message that says which they are.
#![allow(clippy::unwrap_used, reason = "a panic is the failure")]

use super::forged::{data_of, framed, setup};
use wordline_base::VERSION;

fn told(snapshot: &[u8]) -> String {
    setup().load_drive(&mut &snapshot[..]).err().unwrap().to_string()
}

fn snapshot() -> Vec<u8> {
    let (setup, mut snapshot) = (setup(), Vec::new());
    setup.save_drive(&setup.prepare(&[]).unwrap(), &mut snapshot).unwrap();
    snapshot
}

#[test]
fn another_form_is_refused_by_its_number_before_anything_else_is_read() {
    for form in [0, super::FORMAT as u8 - 1, super::FORMAT as u8 + 1, 200] {
        let mut snapshot = snapshot();
        snapshot[8] = form;
        let expected =
            format!("the snapshot has form {form}; allowed: {}, that of this version", super::FORMAT);
        assert_eq!(told(&snapshot), expected);
        // Nothing behind the number is looked at.
        snapshot.truncate(12);
        assert_eq!(told(&snapshot), expected);
    }
}

#[test]
fn another_version_is_refused_by_its_name() {
    let snapshot = snapshot();
    let data = data_of(&snapshot);
    let place = data.windows(VERSION.len()).position(|bytes| bytes == VERSION.as_bytes()).unwrap();
    for older in ["0.0.9", "9.9.9"] {
        let mut data = data.clone();
        data[place..place + VERSION.len()].copy_from_slice(older.as_bytes());
        let expected = format!(
            "the snapshot was made by version {older} of the simulator; allowed: {VERSION}, which this is"
        );
        assert_eq!(told(&framed(&snapshot[..12], &data)), expected);
    }
}
