//! What can't be done is refused by name, and nothing has happened then.

use wordline_base::rng::{below, stream};
use wordline_drive::{Drive, Error, Op, Request, Text, op_of_number};

fn small() -> Drive {
    let builder = Drive::builder().device("mqsim").set("device.geometry.blocks", "32");
    builder.set("device.capacity.overprovisioning", "0.25").build().unwrap()
}

#[test]
fn time_never_goes_backwards() {
    let mut drive = small();
    drive.advance(1_000).unwrap();
    assert_eq!(drive.advance(999), Err(Error::Backwards { time: 999, now: 1_000 }));
    let early = drive.submit(Request::new(999, Op::Read, 0, 512)).unwrap_err().to_string();
    assert_eq!(
        early,
        "request 0 (from 0): arrives at 999 ns: allowed: 1000 ns, where the drive is, or later"
    );
    assert!(matches!(drive.advance(u64::MAX), Err(Error::TooLate { .. })));
    // As often as one likes.
    drive.advance(1_000).unwrap();
    assert_eq!(drive.now(), 1_000);
}

#[test]
fn of_requests_of_which_one_is_refused_none_is_submitted() {
    let mut drive = small();
    let fine = Request::new(0, Op::Write, 0, 4096);
    let beyond = Request { offset: drive.logical_bytes(), ..fine };
    let error = drive.submit_all(&[fine, fine, beyond]).unwrap_err().to_string();
    assert!(error.starts_with("request 2 (from 0): covers bytes"), "{error}");
    assert_eq!((drive.outstanding(), drive.next_event()), (0, Ok(None)));
    drive.submit_all(&[]).unwrap();
    assert!(drive.prepared_device().is_some());
}

#[test]
fn a_tag_may_be_in_use_already() {
    let mut drive = small();
    let read = Request::new(0, Op::Read, 0, 512).tagged(7);
    drive.submit_all(&[read, read]).unwrap();
    assert_eq!(drive.outstanding(), 2);
    drive.drain().unwrap();
    assert_eq!(drive.completions().unwrap().map(|done| done.request.tag).collect::<Vec<_>>(), [7, 7]);
}

#[test]
fn descriptions_that_cannot_be_are_told_with_key_value_and_place() {
    let slip = |builder: wordline_drive::Builder| builder.build().err().unwrap().to_string();
    let builder = Drive::builder;
    assert!(slip(builder().device("enterprise-tcl")).contains("did you mean `enterprise-tlc`?"));
    assert!(slip(builder().scheme("fifo+suspend")).contains("slot `scheduler`"));
    assert!(slip(builder().device_text(Text::new("mine.toml", "geometry = 1"))).starts_with("mine.toml:1"));
    assert!(slip(builder().set("device.geometry.blocks", "0")).contains("device.geometry.blocks = 0"));
    assert!(slip(builder().set("workload.source.kind", "trace")).contains("workload"));
    assert!(slip(builder().start("ocupancy = 1")).contains("did you mean `occupancy`?"));
    let later = slip(builder().device("mqsim").set("device.geometry.blocks", "24"));
    assert!(later.starts_with("mqsim.toml:") && later.contains("overprovisioning"), "{later}");
    let follows = slip(builder().start("occupancy = \"footprint\""));
    assert!(follows.starts_with("start:1: workload.start.occupancy"), "{follows}");
    assert!(slip(builder().start("settle_requests = 5")).contains("settle_requests = 5"));
    assert!(slip(builder().start("map_cache = 'used'")).contains("map_cache = used"));
    let drive = builder().start("map_cache = 'empty'").build().unwrap();
    assert!(!drive.setup().start.map_cache.is_used());
}

#[test]
fn a_drive_whose_life_has_ended_says_so_and_keeps_its_answers() {
    let mut drive = Drive::builder()
        .device("mqsim")
        .set("device.geometry.blocks", "32")
        .set("device.capacity.overprovisioning", "0.25")
        .set("device.geometry.pages", "64")
        .set("device.bad_blocks.endurance_cycles", "3")
        .build()
        .unwrap();
    let bytes = drive.logical_bytes();
    let mut ended = None;
    for round in 0..2_000_u64 {
        let time = drive.now();
        let write = |place: u64| Request::new(time, Op::Write, place * 65_536 % (bytes - 65_536), 65_536);
        let requests: Vec<_> = (0..512).map(|number| write(round * 512 + number * 7919)).collect();
        drive.submit_all(&requests).unwrap();
        if let Err(error) = drive.drain() {
            ended = Some(error);
            break;
        }
    }
    let ended = ended.unwrap();
    assert!(matches!(ended, Error::EndOfLife { .. }), "{ended}");
    assert_eq!(drive.next_event(), Err(ended.clone()));
    assert_eq!(drive.advance(u64::MAX / 4), Err(ended.clone()));
    assert_eq!(drive.submit(Request::new(u64::MAX / 4, Op::Read, 0, 512)), Err(ended.clone()));
    assert!(drive.completions().unwrap().len() > 0);
    assert!(drive.statistics().unwrap().report.end_of_life.is_some());
    let mut again = Drive::restore(&drive.save().unwrap()).unwrap();
    assert_eq!(again.drain(), Err(ended));
}

#[test]
fn nothing_that_is_asked_makes_it_panic_or_lose_a_request() {
    let whole = small();
    let bytes = whole.logical_bytes();
    let latest = u64::MAX / 2;
    let strange = [0, 1, 511, 512, 4096, 65_537, bytes - 1, bytes, bytes + 1, latest, latest + 1, u64::MAX];
    let mut refused = 0;
    for seed in 0..30 {
        let mut random = stream(seed, "strange");
        let (mut drive, mut submitted, mut answered) = (whole.fork().unwrap(), 0, 0);
        for tag in 0..60 {
            let mut one = || strange[below(&mut random, strange.len() as u32) as usize];
            let (time, offset, length) = (one(), one(), one().min(1 << 20));
            let number = below(&mut random, 6) as u8;
            let op = op_of_number(number).unwrap_or(Op::Flush);
            let request = Request { time, op, offset, length, tag, stream: number.into() };
            match below(&mut random, 5) {
                0 => refused += u64::from(drive.advance(time).is_err()),
                1 => answered += drive.completions().unwrap().count(),
                2 => drive = Drive::restore(&drive.save().unwrap()).unwrap(),
                _ => match drive.submit(request) {
                    Ok(()) => submitted += 1,
                    Err(_) => refused += 1,
                },
            }
        }
        drive.drain().unwrap();
        answered += drive.completions().unwrap().count();
        assert_eq!((answered, drive.outstanding(), drive.next_event().is_ok()), (submitted, 0, true));
    }
    assert!(refused > 100);
}
