//! Ideal second servers: what reads of the host wait for beside a program of their die, and which reads those are.

use super::harness::*;
use crate::sched::queue::Op;
use wordline_base::class::Class::{self, GcRead, HostProgram, HostRead, MapRead};
use wordline_base::parts::Part::{Cell, ChannelWait, Command, DieWait, Transfer};

/// A drive with such servers, whose die 0 programs: its channel is taken until 4,300 ns, the die until 204,300.
fn programming(second_server: &str) -> Drive {
    let mut drive = Drive::new(&[("scheme.ideal.second_server", second_server)]);
    drive.comes(0, HostProgram, [0, 3, 0]);
    drive
}

/// When a read of this class ends that comes at 1,000 ns.
fn end(second_server: &str, class: Class, for_write: bool) -> u64 {
    let mut drive = programming(second_server);
    let place = drive.page(0, 1, 4, 0);
    let read = drive.come(1_000, &[Op { bytes: PAGE, for_write, ..Op::new(class, place) }]);
    drive.run_dry();
    drive.end(read)
}

#[test]
fn reads_of_the_host_and_of_the_map_wait_for_no_program_and_others_do() {
    for (second_server, begins) in [("die", 4_300), ("die_and_channel", 1_000), ("none", PROGRAM_ALONE)] {
        for class in [HostRead, MapRead] {
            assert_eq!(end(second_server, class, false), begins + READ_ALONE, "{second_server} {class:?}");
        }
        assert_eq!(end(second_server, GcRead, false), PROGRAM_ALONE + READ_ALONE);
        // What a write is to be merged with is work of the write.
        assert_eq!(end(second_server, HostRead, true), PROGRAM_ALONE + READ_ALONE);
    }
}

#[test]
fn they_wait_for_each_other_and_where_it_is_shared_for_the_channel() {
    let mut drive = programming("die");
    let first = drive.comes(1_000, HostRead, [1, 4, 0]);
    let second = drive.comes(2_000, HostRead, [1, 4, 1]);
    drive.run_dry();
    let own = [(Command, 100), (Cell, 20_000), (Transfer, 4_000)];
    drive.ended(first, 28_400, &[&own[..], &[(ChannelWait(HostProgram), 3_300)]].concat());
    drive.ended(second, 52_500, &[&own[..], &[(DieWait(HostRead), 26_400)]].concat());
}
