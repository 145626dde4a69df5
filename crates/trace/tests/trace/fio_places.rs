//! Which places jobs of fio go to, in which order, and what they read back.

use wordline_base::request::{HostOp, HostRequest};
use wordline_trace::fio::Access;

use crate::fio::{import, jobs, load, refused, requests};

/// Places of the requests in blocks of 64 KiB.
fn places(settings: &str) -> Vec<u64> {
    requests(&format!("[a]\nbs=64k\nsize=640k\n{settings}"))[0]
        .iter()
        .map(|request| request.offset >> 16)
        .collect()
}

#[test]
fn a_number_behind_rw_leaves_holes_or_goes_backwards() {
    assert_eq!(places("rw=read:64k")[..6], [0, 2, 4, 6, 8, 0]);
    assert_eq!(places("rw=read:-128k"), [8, 7, 6, 5, 4, 3, 2, 1, 0, 8]);
    assert_eq!(places("rw=write:-64k")[..2], [9, 9], "one block again and again");
    refused("[a]\nsize=1m\nrw=read:x", &["line 1: job a: rw=…:x"]);
}

#[test]
fn a_number_behind_a_random_rw_is_the_length_of_runs() {
    let all = places("rw=randread:3\nnorandommap\nloops=30");
    for run in all.chunks(3) {
        assert!(run.windows(2).all(|pair| pair[1] == pair[0] + 1 || pair[1] == 0), "{run:?}");
    }
    let starts: std::collections::BTreeSet<u64> = all.chunks(3).map(|run| run[0]).collect();
    assert!(starts.len() > 7, "{starts:?}");
    let same = places("rw=randwrite:2\nrw_sequencer=identical");
    assert!(same.chunks(2).all(|pair| pair[0] == pair[1]), "{same:?}");
}

#[test]
fn reads_and_writes_take_each_place_of_a_file_once_together() {
    let all = places("rw=randrw\nloops=6");
    for pass in all.chunks(10) {
        let mut places = pass.to_vec();
        places.sort_unstable();
        assert!(places.iter().copied().eq(0..10), "{pass:?}");
    }
    // Of several sizes the maps differ, and each direction keeps its own.
    let sizes = requests("[a]\nrw=randrw\nbs=64k,128k\nsize=640k\nloops=2");
    assert!(sizes[0].iter().any(|request| request.length == 131_072));
}

/// How often each block of 64 KiB of the first `count` comes in requests, of which the first ones transfer so many of them.
fn covered(all: &[HostRequest], count: usize) -> Vec<u32> {
    let mut counts = vec![0; count];
    let mut left = count as u64;
    for request in all.iter().take_while(|request| {
        let fits = left > 0;
        left = left.saturating_sub(request.length >> 16);
        fits
    }) {
        let first = (request.offset >> 16) as usize;
        counts[first..first + (request.length >> 16) as usize].iter_mut().for_each(|count| *count += 1);
    }
    counts
}

#[test]
fn random_requests_of_several_lengths_cover_each_block_once() {
    for text in [
        "rw=randread\nbssplit=64k/50:128k/30:256k/20",
        "rw=randrw\nbsrange=64k-512k",
        "rw=randtrimwrite\nbsrange=64k-256k",
        "rw=randrw\nbssplit=64k/10:1m/90,64k/90:128k/10\nloops=4",
        "rw=randwrite\nbsrange=64k-256k\nio_size=80m",
    ] {
        let all = requests(&format!("[a]\nsize=16m\n{text}")).remove(0);
        let own: Vec<HostRequest> =
            if text.contains("trim") { all.into_iter().step_by(2).collect() } else { all };
        assert_eq!(covered(&own, 256), vec![1; 256], "{text}");
        assert!(own.iter().any(|one| one.length > 65_536), "{text}");
    }
    let all = &requests("[a]\nsize=16m\nrw=randread\nbsrange=64k-256k\nloops=3")[0];
    assert_eq!(all.iter().map(|request| request.length).sum::<u64>(), 48 << 20);
    let again = &requests("[a]\nsize=16m\nrw=randread\nbsrange=64k-256k\nnorandommap")[0];
    assert!(covered(again, 256).iter().any(|count| *count > 1));
}

#[test]
fn several_files_are_covered_too_and_what_is_shorter_than_a_block_is_left() {
    let all = &requests("[a]\nrw=randread\nbsrange=64k-256k\nsize=3000k\nnrfiles=3\nloops=2")[0];
    // 1000 KiB hold 15 blocks, and files begin at multiples of 1 MiB.
    let whole = all.iter().map(|request| request.length >> 16).sum::<u64>();
    assert_eq!(whole, 2 * 3 * 15);
    for file in 0..3_u64 {
        let own: Vec<HostRequest> = all.iter().filter(|one| one.offset >> 20 == file).copied().collect();
        let moved: Vec<HostRequest> =
            own.iter().map(|one| HostRequest { offset: one.offset - (file << 20), ..*one }).collect();
        assert_eq!(covered(&moved, 15), vec![1; 15], "{file}");
    }
}

#[test]
fn a_map_of_lengths_with_no_block_in_common_is_told() {
    let told = |text: &str| {
        let notes = import("x", &format!("[a]\nsize=16m\nrw=randrw\n{text}")).unwrap().notes;
        notes.iter().any(|note| note.starts_with("job a: random map of several sizes: "))
    };
    for (text, expected) in [
        ("bs=64k,128k", true),
        ("bssplit=64k/50:128k/50,128k/50:256k/50", true),
        ("bs=64k,128k\nnorandommap", false),
        ("bs=64k,128k\nrandom_distribution=zipf", false),
        ("bs=64k,128k\nrwmixread=100", false),
        ("bssplit=64k/50:128k/50", false),
        ("bs=64k", false),
    ] {
        assert_eq!(told(text), expected, "{text}");
    }
}

#[test]
fn a_last_flush_that_a_runtime_leaves_out_is_told() {
    let told = |text: &str| {
        let notes = import("x", &format!("[a]\nsize=1m\nrw=write\n{text}")).unwrap().notes;
        notes.iter().any(|note| note.starts_with("job a: end_fsync: "))
    };
    assert!(told("end_fsync=1\nruntime=5") && told("fsync_on_close=1\nruntime=5\ntime_based"));
    assert!(!told("end_fsync=1") && !told("runtime=5"));
}

#[test]
fn each_pass_ends_with_a_flush_for_each_file() {
    let flushes = |text: &str| {
        let all = operations(text);
        let places: Vec<usize> =
            all.iter().enumerate().filter(|(_, one)| one.0 == HostOp::Flush).map(|one| one.0).collect();
        (all.len() - places.len(), places)
    };
    assert_eq!(flushes("rw=write\nend_fsync=1\nloops=3"), (12, vec![4, 9, 14]));
    assert_eq!(flushes("rw=write\nnrfiles=2\nfsync_on_close=1\nloops=2"), (8, vec![4, 5, 10, 11]));
    assert_eq!(flushes("rw=write\nnrfiles=2\nend_syncfs=1\nloops=2"), (8, vec![4, 9]));
    // Reading back comes behind it; none comes where the last write was flushed.
    assert_eq!(flushes("rw=write\nend_fsync=1\nverify=crc32c"), (8, vec![4]));
    assert_eq!(flushes("rw=write\nend_fsync=1\nfsync=4\nloops=2"), (8, vec![4, 9]));
    assert_eq!(flushes("rw=read\nend_fsync=1"), (4, vec![]));
}

#[test]
fn lengths_of_a_range_are_rounded_down_to_its_low_end_and_to_its_high_one() {
    let shares = |range: &str, lengths: &[u64]| {
        let all = requests(&format!("[a]\nsize=64m\nrw=randwrite\nnorandommap\nbsrange={range}")).remove(0);
        let of = |length: &u64| all.iter().filter(|request| request.length == *length).count() as f64;
        lengths.iter().map(|length| (of(length) / all.len() as f64 * 20.0).round() / 20.0).collect::<Vec<_>>()
    };
    assert_eq!(shares("4k-10k", &[4096, 8192, 10_240]), [0.4, 0.4, 0.2]);
    assert_eq!(shares("4k-8k", &[4096, 8192]), [0.5, 0.5]);
    assert_eq!(shares("512-513", &[512, 513]), [1.0, 0.0]);
}

/// The block of 64 KiB that most requests of a kind go to, and their share.
fn hottest(all: &[HostRequest], op: HostOp) -> (u64, f64) {
    let mut counts = std::collections::BTreeMap::new();
    let own = all.iter().filter(|request| request.op == op);
    own.clone().for_each(|request| *counts.entry(request.offset >> 16).or_insert(0_u32) += 1);
    let (block, count) = counts.into_iter().max_by_key(|(_, count)| *count).unwrap();
    (block, f64::from(count) / own.count() as f64)
}

#[test]
fn what_is_hot_to_reads_is_hot_to_writes_and_trims() {
    let of = |job: &str, law: &str| {
        let text = format!("size=64m\nbs=64k\nloops=20\nrandom_distribution={law}\n{job}");
        requests(&format!("[a]\n{text}\n[b]\n{text}"))
    };
    for (job, law, other) in [
        ("rw=randrw", "zipf:1.2", HostOp::Write),
        ("rw=randrw", "zipf:1.2,1.4", HostOp::Write),
        ("rw=randrw", "pareto:0.1", HostOp::Write),
        ("rw=randrw\nbs=64k,128k\nba=64k", "zipf:1.2", HostOp::Write),
        ("rw=randrw\nbs=4k,64k", "zipf:1.2", HostOp::Write),
        ("rw=randtrimwrite", "zipf:1.2", HostOp::Trim),
    ] {
        let jobs = of(job, law);
        let one = if other == HostOp::Trim { HostOp::Write } else { HostOp::Read };
        let [first, second] = [one, other].map(|op| hottest(&jobs[0], op));
        assert!(first.0 == second.0 && first.1 > 0.01, "{job} {law}: {first:?}, {second:?}");
        // Each job has hot places of its own.
        assert_ne!(hottest(&jobs[1], other).0, second.0, "{job} {law}");
    }
    // A normal distribution has no place that is far hotter than the next: its cold ones are those that nothing goes to.
    let all = &of("rw=randrw", "normal")[0];
    let touched = |op| {
        let own = all.iter().filter(|request| request.op == op);
        own.map(|request| request.offset >> 16).collect::<std::collections::BTreeSet<u64>>()
    };
    let [reads, writes] = [HostOp::Read, HostOp::Write].map(touched);
    let common = reads.intersection(&writes).count() as f64 / reads.len().max(writes.len()) as f64;
    assert!(
        reads.len() < 700 && common > 0.9,
        "{} and {} places, {common} common",
        reads.len(),
        writes.len()
    );
}

#[test]
fn zones_are_used_one_after_the_other() {
    assert_eq!(
        places("rw=read\nzonemode=strided\nzonesize=128k\nzoneskip=192k"),
        [0, 1, 5, 6, 0, 1, 5, 6, 0, 1]
    );
    assert_eq!(
        places("rw=read\nzonesize=64k\nzonerange=128k")[..6],
        [0, 2, 4, 6, 8, 0],
        "a part of each zone"
    );
    assert_eq!(places("rw=read\nzonesize=256k\nzonerange=128k")[..6], [0, 1, 0, 1, 2, 3], "each zone twice");
    let random = places("rw=randread\nzonesize=256k\nzoneskip=64k\nloops=20");
    assert!(
        random
            .chunks(4)
            .zip((0..).map(|zone| zone % 2 * 5))
            .all(|(part, first)| { part.iter().all(|place| (first..first + 4).contains(place)) })
    );
    assert_eq!(places("rw=read\nzonemode=none\nzonesize=64k\nzoneskip=64k")[..2], [0, 1]);
    refused("[a]\nsize=1m\nzonemode=strided", &["zonesize"]);
}

/// Zones of four blocks, of which three can be written, twice.
#[test]
fn zones_of_the_host_are_written_at_their_write_pointers() {
    let zones = "zonemode=zbd\nzonesize=256k\nzonecapacity=192k\nsize=2z\nio_size=768k";
    assert_eq!(places(&format!("rw=write\n{zones}")), [0, 1, 2, 4, 5, 6, 0, 1, 2, 4, 5, 6]);
    let behind = format!("rw=write\noffset=1z\n{}", zones.replace("2z", "1z"));
    assert_eq!(places(&behind)[..4], [4, 5, 6, 4], "zones begin with the job");
    let random = places(&format!("rw=randwrite\nmax_open_zones=1\n{zones}"));
    let parts: Vec<_> = random.chunks(3).map(|part| part.to_vec()).collect();
    assert!(
        parts.iter().all(|part| [[0, 1, 2], [4, 5, 6]].contains(&[part[0], part[1], part[2]])),
        "{parts:?}"
    );
}

/// A read that finds nothing is a write, of a length that the job writes.
#[test]
fn every_request_in_zones_has_a_length_of_its_direction() {
    for (sizes, of_reads, of_writes) in [("4k,64k", 4, 64), ("64k,4k", 64, 4)] {
        let zones = "zonemode=zbd\nzonesize=1m\nsize=16m\nio_size=16m\nnumjobs=8";
        let all = requests(&format!("[a]\nrw=randrw\nrwmixread=75\nbs={sizes}\n{zones}"));
        for request in all.iter().flatten() {
            let shortest = if request.op.is_write() { of_writes } else { of_reads };
            assert!(
                request.length > 0 && request.length.is_multiple_of(shortest << 10),
                "{sizes}: {request:?}"
            );
        }
    }
}

#[test]
fn what_fio_s_jobs_share_of_zones_is_told() {
    let notes = |text: &str| import("x", text).unwrap().notes.join("\n");
    let job = "[a]\nrw=randwrite\nbs=4k\nzonemode=zbd\nzonesize=64k\nsize=16z\nfilename=/dev/a\n";
    assert!(!notes(job).contains("zone"), "{}", notes(job));
    assert!(notes(&format!("{job}numjobs=4")).contains("its 4 copies share the zones out"));
    let both =
        format!("{job}[b]\nrw=randtrim\nbs=64k\nzonemode=zbd\nzonesize=64k\nsize=16z\nfilename=/dev/a");
    assert!(notes(&both).contains("write pointers of its own"), "{}", notes(&both));
    assert!(notes(&job.replace("randwrite", "read")).contains("read_beyond_wp=0"));
    assert!(notes(&format!("{job}write_mode=zone_append")).contains("at the write pointer"));
    assert!(notes(&job.replace("16z", "100k")).contains("no whole zone"));
}

#[test]
fn a_sequence_of_blocks_comes_again_and_again_or_moves_on() {
    let text = "rw=randread\nrandom_distribution=sequence:2,0,1\nio_size=448k\n";
    assert_eq!(places(text), [2, 0, 1, 2, 0, 1, 2]);
    assert_eq!(places(&format!("{text}random_sequence_stride=1")), [2, 0, 1, 5, 3, 4, 8]);
}

#[test]
fn zones_of_requests_are_read_in_all_spellings() {
    let zones = |text: &str| {
        let workload = jobs(&format!("[a]\nrw=randrw\nsize=1m\nrandom_distribution={text}"));
        let of = |access: &Access| match access {
            Access::Zoned(zones) => zones
                .iter()
                .map(|zone| (zone.access, zone.space.unwrap_or(zone.bytes.unwrap_or(0) as f64)))
                .collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        };
        let job = load(&workload.flow[0]);
        (of(&job.read.as_ref().unwrap().access), of(&job.write.as_ref().unwrap().access))
    };
    let (read, write) = zones("zoned:50/5:30/15:20/");
    assert_eq!((&read, &write), (&vec![(50.0, 5.0), (30.0, 15.0), (20.0, 80.0)], &read));
    let (read, write) = zones("zoned:50/5:50/95,90/10:/");
    assert_eq!((read[0], write), ((50.0, 5.0), vec![(90.0, 10.0), (10.0, 90.0)]));
    let (read, _) = zones("zoned_abs=60/64k:40/512k");
    assert_eq!(read, [(60.0, 65_536.0), (40.0, 524_288.0)]);
    refused("[a]\nrw=randread\nsize=1m\nrandom_distribution=zoned_abs:60/", &["zones of access/bytes"]);
    refused("[a]\nrw=randread\nsize=1m\nrandom_distribution=zoned:60/10:50/90", &["100 percent"]);
}

#[test]
fn a_size_left_out_is_the_default() {
    let sizes = |text: &str| {
        let workload = jobs(&format!("[a]\nrw=rw\nsize=1m\n{text}"));
        let job = load(&workload.flow[0]);
        [&job.read, &job.write].map(|way| way.as_ref().unwrap().sizes[0].bytes)
    };
    assert_eq!(sizes("bs=,8k"), [4096, 8192]);
    assert_eq!(sizes("bs=8k,"), [8192, 4096]);
    assert_eq!(sizes("bs=,8k,"), [4096, 8192]);
    assert_eq!(sizes("bssplit=512/100,8k/50:16k/50"), [512, 8192]);
}

#[test]
fn what_the_shares_of_a_split_leave_is_the_largest_one_s() {
    let shares = |text: &str| -> Vec<(u64, f64)> {
        let workload = jobs(&format!("[a]\nrw=read\nsize=1m\nbssplit={text}"));
        let sizes = &load(&workload.flow[0]).read.as_ref().unwrap().sizes;
        sizes.iter().map(|size| (size.bytes >> 10, size.weight)).collect()
    };
    assert_eq!(shares("4k/30:8k/20:16k/10"), [(4, 70.0), (8, 20.0), (16, 10.0)]);
    assert_eq!(shares("4k/33:8k/33:16k/33"), [(4, 33.0), (8, 33.0), (16, 34.0)]);
    assert_eq!(shares("4k/50:8k/50"), [(4, 50.0), (8, 50.0)]);
    assert_eq!(shares("4k/50:8k:16k"), [(4, 50.0), (8, 25.0), (16, 25.0)]);
    assert_eq!(shares("4k:8k:16k"), [(4, 33.0), (8, 33.0), (16, 34.0)], "whole percentages");
    assert_eq!(shares("4k/30.9:8k/69"), [(4, 30.0), (8, 70.0)]);
    assert_eq!(shares("4k/0:8k/60"), [(4, 40.0), (8, 60.0)], "0 is no percentage");
    assert_eq!(shares("4k/0:8k/0"), [(4, 50.0), (8, 50.0)]);
}

#[test]
fn lengths_of_a_split_are_multiples_of_its_smallest() {
    let lengths = |text: &str| -> Vec<u64> {
        let all = requests(&format!("[a]\nrw=randread\nsize=1m\nnorandommap\n{text}")).remove(0);
        let found: std::collections::BTreeSet<u64> = all.iter().map(|request| request.length).collect();
        found.into_iter().collect()
    };
    assert_eq!(lengths("bssplit=4k/50:10k/50"), [4096, 8192]);
    assert_eq!(lengths("bssplit=4k/50:6k/50"), [4096]);
    assert_eq!(lengths("bssplit=3k/50:10k/50"), [3072, 9216]);
}

#[test]
fn an_alignment_other_than_the_smallest_length_turns_the_map_off() {
    let most = |text: &str| {
        let all = requests(&format!("[a]\nrw=randread\nsize=64k\nloops=20\n{text}")).remove(0);
        let counts = covered_by(&all, 8192);
        (counts.iter().min().copied(), counts.iter().max().copied())
    };
    assert_eq!(most("bs=8k\nba=8k"), (Some(20), Some(20)));
    assert_ne!(most("bs=4k\nba=8k"), (Some(40), Some(40)), "drawn with replacement");
    // Those of directions that aren't used count, too.
    assert_ne!(most("bs=8k,4k\nba=8k"), (Some(20), Some(20)));
}

/// Requests that begin in each part of so many bytes.
fn covered_by(requests: &[HostRequest], bytes: u64) -> Vec<u32> {
    let mut counts = vec![0; 8];
    requests.iter().for_each(|request| counts[(request.offset / bytes) as usize] += 1);
    counts
}

/// Operation and block of each request.
fn operations(settings: &str) -> Vec<(HostOp, u64)> {
    let all = requests(&format!("[a]\nbs=64k\nsize=256k\n{settings}")).remove(0);
    all.iter().map(|request| (request.op, request.offset >> 16)).collect()
}

#[test]
fn what_was_written_is_read_back_behind_each_pass() {
    let (read, write) = (HostOp::Read, HostOp::Write);
    let pass = [write, read].map(|op| (0..4).map(move |place| (op, place))).into_iter().flatten();
    let pass: Vec<(HostOp, u64)> = pass.collect();
    assert_eq!(operations("rw=write\nverify=crc32c"), pass);
    assert_eq!(operations("rw=write\nverify=md5\nloops=2"), [pass.clone(), pass].concat());
    assert_eq!(operations("rw=write\nverify=meta\ndo_verify=0").len(), 4);
    assert_eq!(operations("rw=write\nverify=0").len(), 4);
    assert_eq!(operations("rw=read\nverify=crc32c"), (0..4).map(|place| (read, place)).collect::<Vec<_>>());
}

#[test]
fn random_writes_are_read_back_in_order_of_their_places_each_once() {
    let sorted = operations("rw=randwrite\nverify=crc32c");
    assert_eq!(sorted[4..], (0..4).map(|place| (HostOp::Read, place)).collect::<Vec<_>>());
    let unsorted = operations("rw=randwrite\nverify=crc32c\nverifysort=0");
    let of = |op| unsorted.iter().filter(move |one| one.0 == op).map(|one| one.1).collect::<Vec<_>>();
    assert_eq!(of(HostOp::Read), of(HostOp::Write));
    let again = operations("rw=randwrite\nverify=crc32c\nnorandommap\nio_size=2m");
    let reads: Vec<u64> = again[32..].iter().map(|one| one.1).collect();
    assert_eq!(reads, [0, 1, 2, 3]);
}

#[test]
fn a_backlog_is_read_back_in_between() {
    let (read, write) = (HostOp::Read, HostOp::Write);
    let expected =
        [(write, 0), (read, 0), (write, 1), (read, 1), (write, 2), (read, 2), (write, 3), (read, 3)];
    assert_eq!(operations("rw=write\nverify=crc32c\nverify_backlog=1"), expected);
    let two: Vec<u64> =
        operations("rw=write\nverify=crc32c\nverify_backlog=3").iter().map(|one| one.1).collect();
    assert_eq!(two, [0, 1, 2, 0, 1, 2, 3, 3]);
    let some: Vec<u64> = operations("rw=write\nverify=crc32c\nverify_backlog=3\nverify_backlog_batch=1")
        .iter()
        .map(|one| one.1)
        .collect();
    assert_eq!(some[..5], [0, 1, 2, 0, 3]);
    // What a batch leaves counts among what is written next: it is due again so much sooner.
    let left: Vec<u64> = operations("rw=write\nverify=crc32c\nverify_backlog=2\nverify_backlog_batch=1")
        .iter()
        .map(|one| one.1)
        .collect();
    assert_eq!(left, [0, 1, 0, 2, 1, 3, 2, 3]);
}

#[test]
fn verify_only_reads_where_the_job_would_have_written() {
    assert_eq!(
        operations("rw=write\nverify=crc32c\nverify_only"),
        (0..4).map(|place| (HostOp::Read, place)).collect::<Vec<_>>()
    );
    let timed = import("x", "[a]\nsize=1m\nrw=write\nverify=md5\ntime_based\nruntime=1").unwrap();
    assert!(timed.notes.iter().any(|note| note.contains("reads nothing back")), "{:?}", timed.notes);
    assert_eq!(load(&timed.workload.flow[0]).verify, None);
}

#[test]
fn a_description_with_all_of_this_can_be_written_and_read() {
    let text = "[a]\nrw=randwrite:4\nrw_sequencer=identical\nsize=1m\nnrfiles=2\nfile_service_type=random:4\nverify=md5\nverify_backlog=8\nflow=2\nstartdelay=1\n[b]\nstonewall\nsize=1m\nzonesize=64k\nzoneskip=64k\nrw=read:4k\nexitall";
    let workload = jobs(text);
    let toml = wordline_config::to_toml(&workload);
    let again: wordline_trace::WorkloadConfig =
        toml::from_str(&toml).unwrap_or_else(|error| panic!("{error}\n{toml}"));
    assert_eq!(again, workload);
}
