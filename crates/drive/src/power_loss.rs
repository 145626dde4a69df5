//! What a loss of power would leave.

use wordline_engine::device::PowerLoss;

use crate::volume::Inner;
use crate::{Drive, Error};

impl Drive {
    /// What a loss of power now would do to the host's data, as firmware finds it again by reading the OOB. Nothing happens to the drive.
    ///
    /// # Errors
    /// A drive that has failed; [`Error::NoSequenceNumbers`]: one that keeps none
    /// ([`Builder::keep`](crate::Builder::keep)), that appends rewrites, or an array.
    pub fn after_power_loss(&self) -> Result<PowerLoss, Error> {
        self.check_sound()?;
        match &self.inner {
            Inner::Device(device) => device.power_loss().ok_or(Error::NoSequenceNumbers),
            Inner::Array(_) => Err(Error::NoSequenceNumbers),
        }
    }
}
