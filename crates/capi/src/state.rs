//! Copies, snapshots, statistics.

use wordline_drive::Drive;

use crate::border::{WordlineStatus, call, many, put};
use crate::drive::{WordlineDrive, change, look};
use crate::memory::WordlineBytes;

/// Makes a second drive in the same state, requests under way included, to be freed by itself.
///
/// # Safety
/// `drive` is NULL or a drive of this library that no other thread uses; `copy` is NULL or leads to room for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wordline_drive_fork(
    drive: *const WordlineDrive,
    copy: *mut *mut WordlineDrive,
) -> WordlineStatus {
    call(|| {
        // SAFETY: the caller's.
        unsafe { put("copy", copy, std::ptr::null_mut()) }?;
        // SAFETY: the caller's.
        let made = WordlineDrive::handed(unsafe { look(drive, |drive| drive.fork()) }?);
        // SAFETY: the caller's.
        unsafe { put("copy", copy, made) }
    })
}

/// The whole state as bytes, to be freed with `wordline_bytes_free`.
///
/// # Safety
/// `drive` is NULL or a drive of this library that no other thread uses; `snapshot` is NULL or leads to room for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wordline_drive_save(
    drive: *const WordlineDrive,
    snapshot: *mut WordlineBytes,
) -> WordlineStatus {
    call(|| {
        // SAFETY: the caller's.
        unsafe { put("snapshot", snapshot, WordlineBytes::none()) }?;
        // SAFETY: the caller's.
        let bytes = unsafe { look(drive, |drive| drive.save()) }?;
        // SAFETY: the caller's.
        unsafe { put("snapshot", snapshot, WordlineBytes::of(bytes)) }
    })
}

/// Makes the drive of a snapshot, to be freed with `wordline_drive_free`. The bytes are only read.
///
/// # Safety
/// `data` is NULL or leads to `length` bytes; `drive` is NULL or leads to room for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wordline_drive_restore(
    data: *const u8,
    length: usize,
    drive: *mut *mut WordlineDrive,
) -> WordlineStatus {
    call(|| {
        // SAFETY: the caller's.
        unsafe { put("drive", drive, std::ptr::null_mut()) }?;
        // SAFETY: the caller's.
        let bytes = unsafe { many("data", data, length) }?;
        let made = WordlineDrive::handed(Drive::restore(bytes)?);
        // SAFETY: the caller's.
        unsafe { put("drive", drive, made) }
    })
}

/// What was counted since the first request, or since `wordline_drive_mark`, as JSON, to be freed with `wordline_bytes_free`.
///
/// # Safety
/// `drive` is NULL or a drive of this library that no other thread uses; `json` is NULL or leads to room for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wordline_drive_statistics(
    drive: *mut WordlineDrive,
    json: *mut WordlineBytes,
) -> WordlineStatus {
    call(|| {
        // SAFETY: the caller's.
        unsafe { put("json", json, WordlineBytes::none()) }?;
        // SAFETY: the caller's.
        let text = unsafe { change(drive, |drive| drive.statistics()?.to_json()) }?;
        // SAFETY: the caller's.
        unsafe { put("json", json, WordlineBytes::of(text.into_bytes())) }
    })
}

/// From the next request that enters on everything is counted anew.
///
/// # Safety
/// `drive` is NULL or a drive of this library that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wordline_drive_mark(drive: *mut WordlineDrive) -> WordlineStatus {
    call(|| {
        // SAFETY: the caller's.
        unsafe { change(drive, |drive| drive.mark()) }
    })
}
