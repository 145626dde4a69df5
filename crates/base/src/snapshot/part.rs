//! What a part of the state must be able to do when its bytes alone don't make it.

use super::{In, Out, SnapshotError};
use crate::memory::{SparseTable, Table, Word};

/// A part of the state that is put into what was made from the configuration: large tables, and policies.
pub trait Part: Sized {
    /// Writes what does not follow from the configuration.
    fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError>;

    /// Takes up what was saved; `self` is as the configuration makes it.
    fn restore(&mut self, input: &mut In<'_>) -> Result<(), SnapshotError>;

    /// A second one that goes its own way.
    fn fork(&self) -> Result<Self, SnapshotError>;
}

/// A policy whose state is stored.
pub trait Stored: Clone + serde::Serialize + serde::de::DeserializeOwned {
    /// Takes up a state that was saved; what follows from the configuration stays. `None` if it doesn't fit.
    fn take_up(&mut self, saved: Self) -> Option<()> {
        *self = saved;
        Some(())
    }
}

impl<T: Stored> Stored for Box<T> {
    fn take_up(&mut self, saved: Self) -> Option<()> {
        (**self).take_up(*saved)
    }
}

impl<P: Part> Part for Box<P> {
    fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        (**self).save(out)
    }

    fn restore(&mut self, input: &mut In<'_>) -> Result<(), SnapshotError> {
        (**self).restore(input)
    }

    fn fork(&self) -> Result<Self, SnapshotError> {
        (**self).fork().map(Self::new)
    }
}

impl<P: Part> Part for Option<P> {
    fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        out.put(&self.is_some())?;
        self.as_ref().map_or(Ok(()), |part| part.save(out))
    }

    fn restore(&mut self, input: &mut In<'_>) -> Result<(), SnapshotError> {
        if input.take::<bool>()? != self.is_some() {
            return Err(SnapshotError::Misfit(
                "a part of the state that this drive lacks, or lacking".to_owned(),
            ));
        }
        self.as_mut().map_or(Ok(()), |part| part.restore(input))
    }

    fn fork(&self) -> Result<Self, SnapshotError> {
        self.as_ref().map(Part::fork).transpose()
    }
}

/// As many as the configuration makes.
impl<P: Part> Part for Vec<P> {
    fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        self.iter().try_for_each(|part| part.save(out))
    }

    fn restore(&mut self, input: &mut In<'_>) -> Result<(), SnapshotError> {
        self.iter_mut().try_for_each(|part| part.restore(input))
    }

    fn fork(&self) -> Result<Self, SnapshotError> {
        self.iter().map(Part::fork).collect()
    }
}

impl<T: Word> Part for Table<T> {
    fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        out.put_table(self)
    }

    fn restore(&mut self, input: &mut In<'_>) -> Result<(), SnapshotError> {
        input.take_table(self)
    }

    fn fork(&self) -> Result<Self, SnapshotError> {
        Ok(self.clone())
    }
}

impl Part for SparseTable {
    fn save(&self, out: &mut Out<'_>) -> Result<(), SnapshotError> {
        out.put_chunks(self.entries(), &self.chunks_in_use(), |number| self.chunk_bytes(number))
    }

    fn restore(&mut self, input: &mut In<'_>) -> Result<(), SnapshotError> {
        self.fill(|table| input.take_table(table))
    }

    fn fork(&self) -> Result<Self, SnapshotError> {
        Ok(self.clone())
    }
}

/// Parts whose state is these tables.
#[macro_export]
macro_rules! tables {
    ($($part:ty: $($table:ident),+;)*) => {$(
        impl $crate::snapshot::Part for $part {
            fn save(&self, out: &mut $crate::snapshot::Out<'_>) -> Result<(), $crate::snapshot::SnapshotError> {
                let Self { $($table),+ } = self;
                $($crate::snapshot::Part::save($table, out)?;)+
                Ok(())
            }

            fn restore(
                &mut self,
                input: &mut $crate::snapshot::In<'_>,
            ) -> Result<(), $crate::snapshot::SnapshotError> {
                let Self { $($table),+ } = self;
                $($crate::snapshot::Part::restore($table, input)?;)+
                Ok(())
            }

            fn fork(&self) -> Result<Self, $crate::snapshot::SnapshotError> {
                Ok(self.clone())
            }
        }
    )*};
}

/// Writes the three walks over the fields of a part of the drive, or of the drive, as its [`Part`](crate::snapshot::Part).
///
/// - `rebuilt`: follows from the configuration; copied by a fork, not stored.
/// - `state`: cloned and serialised as it is.
/// - `parts`: by its own [`Part`](crate::snapshot::Part), where bytes alone don't make it, or are too many at once.
/// - `dropped`: belongs to whoever watches, or is made when it is needed; a fork and a drive that was loaded have none.
#[macro_export]
macro_rules! fields {
    (
        $of:ty:
        rebuilt: $($rebuilt:ident)* ; state: $($state:ident)* ; parts: $($part:ident)* ; dropped: $($dropped:ident)* ;
    ) => {
        impl $crate::snapshot::Part for $of {
            fn fork(&self) -> Result<Self, $crate::snapshot::SnapshotError> {
                Ok(Self {
                    $($rebuilt: self.$rebuilt.clone(),)*
                    $($state: self.$state.clone(),)*
                    $($part: $crate::snapshot::Part::fork(&self.$part)?,)*
                    $($dropped: None,)*
                })
            }

            fn save(&self, out: &mut $crate::snapshot::Out<'_>) -> Result<(), $crate::snapshot::SnapshotError> {
                let Self { $($rebuilt: _,)* $($state,)* $($part,)* $($dropped: _,)* } = self;
                $(
                    out.put(stringify!($state))?;
                    out.put($state)?;
                )*
                $(
                    out.put(stringify!($part))?;
                    $crate::snapshot::Part::save($part, out)?;
                )*
                Ok(())
            }

            fn restore(
                &mut self,
                input: &mut $crate::snapshot::In<'_>,
            ) -> Result<(), $crate::snapshot::SnapshotError> {
                $(
                    input.expect(stringify!($state))?;
                    self.$state = input.take()?;
                )*
                $(
                    input.expect(stringify!($part))?;
                    $crate::snapshot::Part::restore(&mut self.$part, input)?;
                )*
                Ok(())
            }
        }
    };
}
