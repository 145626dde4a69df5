//! What the flash and the translation layer tell of is counted.

use super::state::Observers;
use wordline_base::class::Class;
use wordline_base::time::Ns;
use wordline_flash::Count;
use wordline_ftl::mapping::Found;
use wordline_ftl::work::Counted;

impl Observers {
    /// A command ended, of so many planes, each with so many pages or blocks.
    #[inline(always)]
    pub fn count_command(&mut self, class: Class, planes: u32, pages: u32) {
        self.flash_operations += u64::from(planes * pages);
        self.recorder.operations[class.index()] += u64::from(planes * pages);
        self.recorder.transactions[class.index()] += 1;
        self.recorder.multi_plane += u64::from(planes > 1);
    }

    /// Something happened in the flash.
    #[inline(always)]
    pub fn count_of_flash(&mut self, what: Count) {
        let recorder = &mut self.recorder;
        match what {
            Count::CacheRead => recorder.cache_reads += 1,
            Count::CacheProgram => recorder.cache_programs += 1,
            Count::Suspension => recorder.suspensions += 1,
            Count::CopybackRead(planes) => {
                self.flash_operations += u64::from(planes);
                recorder.copybacks += u64::from(planes);
            }
            Count::Array(server, works) => recorder.array_ns[server.index()] += works.0,
        }
    }

    /// Something happened in the translation layer, now.
    #[inline(always)]
    pub fn count_of_ftl(&mut self, what: Counted, now: Ns) {
        let recorder = &mut self.recorder;
        match what {
            Counted::Emptied(cause) => recorder.emptied(cause),
            Counted::Moved(cause) => recorder.moved(cause),
            Counted::Collects { domain, valid } => recorder.collects(domain.index(), valid),
            Counted::InBackground => recorder.background.victims += 1,
            Counted::IdleTime => recorder.background.idle_times += 1,
            Counted::VictimGivenUp => recorder.background.given_up += 1,
            Counted::Held => recorder.held_units += 1,
            Counted::Stalled => recorder.gc.stalled_units += 1,
            Counted::LookUp { found, write } => self.count_look_up(found, write),
            Counted::MapLoad => recorder.mapping.loads += 1,
            Counted::MapWriteBackRead => recorder.mapping.write_back_reads += 1,
            Counted::MapWrite { journal: false } => recorder.mapping.write_backs += 1,
            Counted::MapWrite { journal: true } => recorder.mapping.journal_writes += 1,
            Counted::GuessRight { write } => {
                recorder.mapping.guesses_right += 1;
                recorder.mapping.guesses_right_of_writes += u64::from(write);
            }
            Counted::GuessWithdrawn => recorder.mapping.guesses_withdrawn += 1,
            Counted::GuessWrong { outdated } => {
                recorder.mapping.guesses_wrong += 1;
                recorder.mapping.guesses_outdated += u64::from(outdated);
            }
            Counted::Unmapped => recorder.unmapped_reads += 1,
            Counted::Rerouted => recorder.rerouted_reads += 1,
            Counted::Verified => self.reads_verified += 1,
            Counted::BlockedRead => recorder.redundancy.blocked_reads += 1,
            Counted::IncompleteRow => recorder.redundancy.incomplete_rows += 1,
            Counted::SourceReads(reads) => recorder.redundancy.source_reads += u64::from(reads),
            Counted::ReconstructedRead => recorder.redundancy.reconstructed_reads += 1,
            Counted::AbandonedRead => recorder.redundancy.abandoned_reads += 1,
            Counted::Worn => recorder.reclaim.worn += 1,
            Counted::OverLimit => recorder.reclaim.over_limit += 1,
            Counted::Reclaims { over_limit } => recorder.reclaim.by_trigger[usize::from(over_limit)] += 1,
            Counted::SuperblockReclaimed(record) => {
                recorder.reclaim.reclaimed(record, self.monitor.keeps_reclaims());
            }
            Counted::Evacuated => recorder.reclaim.evacuated += 1,
            Counted::ClosedEarly => recorder.reclaim.closed_early += 1,
            Counted::WornErased(worn) => recorder.reclaim.erased(now.since(worn).0),
            Counted::Cached => recorder.slc.cached += 1,
            Counted::PastCache => {
                recorder.slc.direct += 1;
                recorder.slc.first_direct.get_or_insert(now);
            }
            Counted::Folded => recorder.slc.folded += 1,
            Counted::CacheEmptied => recorder.slc.superblocks += 1,
        }
    }

    #[inline]
    fn count_look_up(&mut self, found: Found, write: bool) {
        let (counters, write) = (&mut self.recorder.mapping, u64::from(write));
        let (all, of_writes) = match found {
            Found::Known(_) => (&mut counters.hits, &mut counters.hits_of_writes),
            Found::Load(_) => (&mut counters.misses, &mut counters.misses_of_writes),
            Found::Guess(_) => (&mut counters.guessed, &mut counters.guessed_of_writes),
        };
        *all += 1;
        *of_writes += write;
    }
}
