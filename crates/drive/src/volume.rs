//! A drive alone or an array, as the engine simulates it.

use wordline_engine::array::Array;
use wordline_engine::device::Device;
use wordline_engine::{RunError, Setup, Unobserved};

/// Either.
pub(crate) enum Inner {
    /// A drive alone.
    Device(Box<Device>),
    /// Several drives as one.
    Array(Box<Array>),
}

/// Does the same with either.
macro_rules! of_either {
    ($inner:expr, $volume:ident => $do:expr) => {
        match $inner {
            crate::volume::Inner::Device($volume) => $do,
            crate::volume::Inner::Array($volume) => $do,
        }
    };
}
pub(crate) use of_either;

impl Inner {
    /// Prepared for its first request.
    pub fn prepared(setup: &Setup) -> Result<Self, RunError> {
        match &setup.scheme.array {
            Some(config) => setup.prepare_array(config, &[], &mut Unobserved).map(Box::new).map(Self::Array),
            None => setup.prepare(&[]).map(Box::new).map(Self::Device),
        }
    }

    /// One that holds nothing, for a state to be taken up.
    pub fn empty(setup: &Setup) -> Result<Self, RunError> {
        match &setup.scheme.array {
            Some(config) => setup.empty_array(config).map(Box::new).map(Self::Array),
            None => {
                setup.validate()?;
                Ok(Self::Device(Box::new(setup.empty_drive()?)))
            }
        }
    }

    /// A second one in the same state.
    pub fn fork(&self) -> Result<Self, RunError> {
        Ok(match self {
            Self::Device(device) => Self::Device(Box::new(device.fork()?)),
            Self::Array(array) => Self::Array(Box::new(array.fork()?)),
        })
    }
}
