//! The form of a file, and how it is known.

use super::Form;

/// How the form is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// The description names it.
    Named,
    /// Lines of no other form look like it.
    Sure,
    /// Others' lines may look alike.
    Guessed,
}

/// The form found, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Detected {
    pub form: Form,
    pub how: How,
}

impl Detected {
    /// Without a doubt.
    pub(super) const fn surely(form: Form) -> Self {
        Self { form, how: How::Sure }
    }

    /// Others may look alike.
    pub(super) const fn guessed(form: Form) -> Self {
        Self { form, how: How::Guessed }
    }

    /// As the description has it.
    pub(crate) const fn named(form: Form) -> Self {
        Self { form, how: How::Named }
    }
}
