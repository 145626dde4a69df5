//! The whole state of a drive: saved, restored, forked. One list of all its fields says how each is dealt with; a field
//! that is not in it does not compile.

use std::io::{Read, Write};

use super::Device;
use crate::snapshot::{Identity, In, Out, Part, SnapshotError};
use wordline_base::fields;

fields! {
    Device:
    rebuilt: geometry rules;
    state: ;
    parts: front ftl flash systems controller observers;
    dropped: ;
}

impl Device {
    /// A second drive in the same state. They don't influence each other from then on. Pages of tables that
    /// were never touched cost nothing in the copy. Its probe is not copied. A policy of a user's own must be able
    /// to fork.
    pub fn fork(&self) -> Result<Self, SnapshotError> {
        Part::fork(self)
    }

    /// Writes the state.
    pub(crate) fn save_state(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        Part::save(self, out)
    }

    /// Takes up the state that was saved in the place of that of this drive, which is new and has the same configuration
    /// and the same policies. After an error the drive is of no use.
    pub(crate) fn restore_state(&mut self, input: &mut In<'_>) -> Result<(), SnapshotError> {
        let shape = self.shape();
        Part::restore(self, input)?;
        self.settle_restored(&shape)
    }

    /// The state was taken up; the drive had this shape before.
    pub(crate) fn settle_restored(&mut self, shape: &[(&'static str, usize)]) -> Result<(), SnapshotError> {
        if let Some(misfit) = self.shape().iter().zip(shape).find(|(there, here)| there != here) {
            let ((what, there), (_, here)) = misfit;
            return Err(SnapshotError::Misfit(format!("{what}: {there} there, {here} here")));
        }
        if self.shape().len() != shape.len() || !self.front.fits() {
            return Err(SnapshotError::Misfit("some of its tables".to_owned()));
        }
        if let Some(steady) = self.ftl.layout().steady() {
            if !steady.is_possible(self.geometry.blocks_per_plane) {
                return Err(SnapshotError::Misfit("the layout of its pages".to_owned()));
            }
            self.ftl.scatter(steady);
        }
        if self.observers.monitor.records_reads() {
            self.systems.watch_reads_for_recorder();
        }
        Ok(())
    }

    /// Lengths of tables and figures that the configuration fixes, and which the state must agree with.
    pub(crate) fn shape(&self) -> Vec<(&'static str, usize)> {
        let mut shape = self.flash.shape().to_vec();
        shape.extend([
            ("domains", self.ftl.domain_states().len()),
            ("answers", usize::from(self.front.keeps_answers())),
            ("streams of superblocks", self.ftl.isolated_superblocks()),
        ]);
        shape.extend(self.ftl.domain_states().iter().map(|domain| ("write points", domain.points.len())));
        shape
    }
}

/// Writes a drive.
pub(crate) fn save(device: &Device, identity: &Identity, out: &mut dyn Write) -> Result<(), SnapshotError> {
    let mut out = Out::begin(out)?;
    identity.save(&mut out)?;
    device.save_state(&mut out)?;
    out.finish()
}

/// Reads the state of a drive into a new one.
pub(crate) fn load(
    mut new: Device,
    identity: &Identity,
    input: &mut dyn Read,
) -> Result<Device, SnapshotError> {
    let mut input = In::begin(input)?;
    identity.check(&mut input)?;
    new.restore_state(&mut input)?;
    input.finish()?;
    Ok(new)
}
