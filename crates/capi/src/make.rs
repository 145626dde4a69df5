//! Making drives.

use std::ffi::c_char;

use wordline_drive::{Builder, Drive, Text};

use crate::border::{Failure, WordlineStatus, call, given, many, put, text};
use crate::drive::WordlineDrive;

/// Another value of a key.
#[repr(C)]
pub struct WordlineOverride {
    /// Its dotted path: `device.geometry.blocks`.
    pub path: *const c_char,
    /// The value, TOML where it reads as TOML, else a string.
    pub value: *const c_char,
}

/// What drive it is. All zero: enterprise-tlc with the firmware that it is sold with, full, with seed 0.
#[repr(C)]
pub struct WordlineOptions {
    /// Name of the drive's preset; NULL: enterprise-tlc.
    pub device: *const c_char,
    /// Its description in TOML, in the place of a preset; NULL: none.
    pub device_toml: *const c_char,
    /// Name of the scheme: a preset, `key=value`, or several joined by `+`; NULL: baseline.
    pub scheme: *const c_char,
    /// Its description in TOML, in the place of a name; NULL: none.
    pub scheme_toml: *const c_char,
    /// The state at the start in TOML, as a workload's table `start`; NULL: full, in order.
    pub start_toml: *const c_char,
    /// Changes of single keys.
    pub overrides: *const WordlineOverride,
    /// How many.
    pub override_count: usize,
    /// Seed of every random stream.
    pub seed: u64,
    /// Whether every read is verified: 0 or not.
    pub checked: u8,
}

/// Makes a drive, at time 0, to be freed with `wordline_drive_free`. `options` may be NULL for what all zero is.
///
/// # Safety
/// `options` is NULL or leads to options whose texts end with 0 and whose `overrides` are as many as it says; `drive` is NULL or leads to
/// room for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wordline_drive_new(
    options: *const WordlineOptions,
    drive: *mut *mut WordlineDrive,
) -> WordlineStatus {
    call(|| {
        // SAFETY: the caller's.
        unsafe { put("drive", drive, std::ptr::null_mut()) }?;
        let builder = match options.is_null() {
            true => Drive::builder().seed(0),
            // SAFETY: the caller's.
            false => unsafe { described(given("options", options)?) }?,
        };
        let made = WordlineDrive::handed(builder.build()?);
        // SAFETY: the caller's.
        unsafe { put("drive", drive, made) }
    })
}

/// # Safety
/// As of [`wordline_drive_new`].
unsafe fn described(options: &WordlineOptions) -> Result<Builder, Failure> {
    let mut builder = Drive::builder().seed(options.seed).checked(options.checked != 0);
    // SAFETY: the caller's, here and below.
    if let Some(name) = unsafe { text("device", options.device) }? {
        builder = builder.device(name);
    }
    // SAFETY: as above.
    if let Some(toml) = unsafe { text("device_toml", options.device_toml) }? {
        builder = builder.device_text(Text::new("device_toml", toml));
    }
    // SAFETY: as above.
    if let Some(name) = unsafe { text("scheme", options.scheme) }? {
        builder = builder.scheme(name);
    }
    // SAFETY: as above.
    if let Some(toml) = unsafe { text("scheme_toml", options.scheme_toml) }? {
        builder = builder.scheme_text(Text::new("scheme_toml", toml));
    }
    // SAFETY: as above.
    if let Some(toml) = unsafe { text("start_toml", options.start_toml) }? {
        builder = builder.start(toml);
    }
    // SAFETY: as above.
    for change in unsafe { many("overrides", options.overrides, options.override_count) }? {
        // SAFETY: as above.
        let (path, value) = unsafe { (text("path", change.path)?, text("value", change.value)?) };
        let (Some(path), Some(value)) = (path, value) else {
            return Err("an override: allowed: a path and a value, neither NULL".to_owned().into());
        };
        builder = builder.set(path, value);
    }
    Ok(builder)
}
