//! What is left out of a description that is written: figures that are as they would be without being named.

/// Whether a figure is as by default: zero, off, nothing.
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Whether a number is one.
pub fn is_one(number: &u32) -> bool {
    *number == 1
}
