//! Systems in snapshots.

use super::state::Systems;
use crate::policies::SystemPolicy;
use wordline_base::snapshot::{In, Out, Part, SnapshotError};
use wordline_ftl::placement::PlaneSet;

impl Part for Systems {
    fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        // What they watch follows from the configuration; `actions` and `read` are empty between two events, `planes` is of no use
        // then.
        let Self {
            all,
            each: _,
            watches: _,
            fetches_ahead: _,
            asked,
            read: _,
            actions: _,
            wake,
            idleness,
            next_wake,
            reclaim,
            planes: _,
        } = self;
        let names: Vec<&str> = all.iter().map(|system| system.get().name()).collect();
        out.put(&names)?;
        out.put(&(asked, wake, idleness, next_wake))?;
        reclaim.save(out)?;
        all.iter().try_for_each(|system| system.save(out))
    }

    fn restore(&mut self, input: &mut In<'_>) -> Result<(), SnapshotError> {
        let there: Vec<String> = input.take()?;
        let here: Vec<&str> = self.all.iter().map(|system| system.get().name()).collect();
        if there != here {
            let what = format!("its systems are {there:?}, those of the drive {here:?}");
            return Err(SnapshotError::Misfit(what));
        }
        (self.asked, self.wake, self.idleness, self.next_wake) = input.take()?;
        if self.wake.len() != self.all.len() || self.asked.iter().any(|asked| asked.0 >= self.all.len()) {
            return Err(SnapshotError::Misfit("what systems asked for".to_owned()));
        }
        self.reclaim.restore(input)?;
        self.all.iter_mut().try_for_each(|system| system.restore(input))
    }

    fn fork(&self) -> Result<Self, SnapshotError> {
        let Self {
            all,
            each,
            watches,
            fetches_ahead,
            asked,
            read,
            actions,
            wake,
            idleness,
            next_wake,
            reclaim,
            planes: _,
        } = self;
        let fork = |system: &SystemPolicy| {
            system.fork().map_err(|_| SnapshotError::NoFork(format!("the system `{}`", system.get().name())))
        };
        Ok(Self {
            all: all.iter().map(fork).collect::<Result<_, _>>()?,
            each: each.clone(),
            watches: *watches,
            fetches_ahead: *fetches_ahead,
            asked: asked.clone(),
            read: *read,
            actions: actions.clone(),
            wake: wake.clone(),
            idleness: *idleness,
            next_wake: *next_wake,
            reclaim: reclaim.fork()?,
            planes: PlaneSet::default(),
        })
    }
}
