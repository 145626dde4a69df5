//! What observers look at.

use crate::device::Device;
use crate::observers::{self, AroundObservers, Observers};
use crate::stats::energy::BesideFlash;
use crate::stats::report::Report;
use crate::stats::samples::DieState;
use crate::stats::series::{Moment, Work};
use crate::stats::timed::Watched;
use wordline_base::ids::DieId;
use wordline_base::time::Ns;
use wordline_config::MeasureConfig;
use wordline_flash::Flash;

impl AroundObservers for Device {
    #[inline(always)]
    fn observers(&self) -> &Observers {
        &self.observers
    }

    #[inline(always)]
    fn observers_mut(&mut self) -> &mut Observers {
        &mut self.observers
    }
}

impl Watched for Device {
    fn moment(&self, now: Ns) -> Moment<'_> {
        let work = Work { recorder: &self.observers.recorder, outstanding: self.flash.loads() };
        Moment { now, works: vec![work] }
    }

    fn free_superblocks(&self) -> u32 {
        self.ftl.blocks().free()
    }

    fn take_lowest_free(&mut self) -> u32 {
        self.ftl.take_lowest_free()
    }

    fn lowest_free(&self) -> u32 {
        self.ftl.blocks().lowest_free()
    }

    fn dies(&self) -> impl Iterator<Item = DieState> + Clone {
        (0..self.flash.loads().len() as u32).map(|die| die_state(&self.flash, DieId(die)))
    }

    fn channels(&self) -> impl Iterator<Item = Ns> + Clone {
        self.flash.channels().iter().map(|channel| channel.free_at)
    }
}

/// A die and its second server or those of its planes, if it has any, together.
fn die_state(flash: &Flash, die: DieId) -> DieState {
    let outstanding = flash.loads()[die.index()];
    let (reads, busy) = flash.reads_of(die);
    debug_assert!(reads <= outstanding, "reads of a die are among its commands");
    DieState { outstanding, reads, busy }
}

impl Device {
    /// Records from now on what `config` asks for; samples begin with the window. For a drive at rest.
    pub fn measure(&mut self, config: &MeasureConfig) {
        observers::measure(self, config);
        if config.collisions {
            self.systems.watch_reads_for_recorder();
        }
    }

    /// What a drive like this used beside its flash for what this report has; `None` when it knows no energy.
    pub(crate) fn beside_flash(&self, report: &Report) -> Option<BesideFlash> {
        self.observers.beside_flash(report)
    }
}
