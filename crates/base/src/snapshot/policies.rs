//! Policies in snapshots: the built-in ones by their state, a user's own by the bytes that it gives.

use super::SnapshotError;

/// A policy of another name than the snapshot's.
pub fn expect_policy(slot: &str, found: &str, wanted: &str) -> Result<(), SnapshotError> {
    if found == wanted {
        return Ok(());
    }
    Err(SnapshotError::Misfit(format!("the {slot} is `{found}` there and `{wanted}` here")))
}

/// The three methods by which the policies of any slot go into snapshots and forks, for the trait of the slot.
///
/// They are no trait of their own above the slots' traits: each policy, most of which keep nothing, would have to say so by an
/// empty `impl`, and a fork has the type of its slot, which a trait above it can't name.
#[macro_export]
macro_rules! state_methods {
    ($slot:ident) => {
        /// Its state as bytes, for snapshots. One that keeps something beside its parameters must give it.
        fn save(&self) -> Vec<u8> {
            Vec::new()
        }

        /// Takes up a state that `save` gave; a text that says what is wrong with it otherwise.
        fn restore(&mut self, _state: &[u8]) -> Result<(), String> {
            Ok(())
        }

        /// A second one in the same state, which goes its own way; `None` if it can't be had: then the drive can't be forked.
        fn fork(&self) -> Option<Box<dyn $slot + Send>> {
            None
        }
    };
}

/// Implements [`Part`](crate::snapshot::Part) for the enum of policies of a slot. Every variant but `Custom` stands in one of the lists:
/// `none` is a variant without a policy,
/// `rebuilt` ones follow from the configuration, of `stored` ones the state is saved.
#[macro_export]
macro_rules! policies {
    ($policy:ident, $slot:literal, rebuilt: [$($rebuilt:ident),*], stored: [$($stored:ident),*]) => {
        $crate::policies!($policy, $slot, none: [], rebuilt: [$($rebuilt),*], stored: [$($stored),*]);
    };
    ($policy:ident, $slot:literal, none: [$($none:ident),*], rebuilt: [$($rebuilt:ident),*], stored: [$($stored:ident),*]) => {
        impl $crate::snapshot::Part for $policy {
            fn save(&self, out: &mut $crate::snapshot::Out<'_>) -> Result<(), $crate::snapshot::SnapshotError> {
                match self {
                    $(Self::$none => out.put(stringify!($none)),)*
                    $(Self::$rebuilt(_) => out.put(stringify!($rebuilt)),)*
                    $(Self::$stored(state) => {
                        out.put(stringify!($stored))?;
                        out.put(state)
                    })*
                    Self::Custom(policy) => {
                        out.put("Custom")?;
                        out.put(&policy.save())
                    }
                }
            }

            fn restore(
                &mut self,
                input: &mut $crate::snapshot::In<'_>,
            ) -> Result<(), $crate::snapshot::SnapshotError> {
                let name: String = input.take()?;
                match self {
                    $(Self::$none => $crate::snapshot::expect_policy($slot, &name, stringify!($none)),)*
                    $(Self::$rebuilt(_) => $crate::snapshot::expect_policy($slot, &name, stringify!($rebuilt)),)*
                    $(Self::$stored(state) => {
                        $crate::snapshot::expect_policy($slot, &name, stringify!($stored))?;
                        $crate::snapshot::Stored::take_up(state, input.take()?).ok_or_else(|| {
                            $crate::snapshot::SnapshotError::Misfit(concat!("the state of the ", $slot).to_owned())
                        })
                    })*
                    Self::Custom(policy) => {
                        $crate::snapshot::expect_policy($slot, &name, "Custom")?;
                        let state: Vec<u8> = input.take()?;
                        policy.restore(&state).map_err(|why| {
                            $crate::snapshot::SnapshotError::Misfit(format!(concat!("the ", $slot, ": {}"), why))
                        })
                    }
                }
            }

            fn fork(&self) -> Result<Self, $crate::snapshot::SnapshotError> {
                match self {
                    $(Self::$none => Ok(Self::$none),)*
                    $(Self::$rebuilt(policy) => Ok(Self::$rebuilt(policy.clone())),)*
                    $(Self::$stored(policy) => Ok(Self::$stored(policy.clone())),)*
                    Self::Custom(policy) => policy.fork().map(Self::Custom).ok_or_else(|| {
                        $crate::snapshot::SnapshotError::NoFork(concat!("the ", $slot, " of one's own").to_owned())
                    }),
                }
            }
        }
    };
}
