//! The handle.

use wordline_drive::{Drive, Error};

use crate::border::{Failure, WordlineStatus, call, changed, given, put};

/// A simulated drive.
pub struct WordlineDrive {
    drive: Drive,
    /// Whether a call that changes it hasn't ended, as none does in which a defect showed.
    is_changing: bool,
}

impl WordlineDrive {
    /// Gives a drive into the hands of C.
    pub(crate) fn handed(drive: Drive) -> *mut Self {
        Box::into_raw(Box::new(Self { drive, is_changing: false }))
    }

    fn check(&self) -> Result<(), Failure> {
        match self.is_changing {
            true => {
                Err(Failure::defect("a defect of the simulator has shown in this drive: allowed: to free it"))
            }
            false => Ok(()),
        }
    }
}

/// Looks at a drive.
///
/// # Safety
/// `drive` is NULL or a drive of this library that no other thread uses.
pub(crate) unsafe fn look<T>(
    drive: *const WordlineDrive,
    look: impl FnOnce(&Drive) -> Result<T, Error>,
) -> Result<T, Failure> {
    // SAFETY: the caller's.
    let held = unsafe { given("drive", drive) }?;
    held.check()?;
    Ok(look(&held.drive)?)
}

/// Changes a drive.
///
/// # Safety
/// `drive` is NULL or a drive of this library that no other thread uses.
pub(crate) unsafe fn change<T>(
    drive: *mut WordlineDrive,
    change: impl FnOnce(&mut Drive) -> Result<T, Error>,
) -> Result<T, Failure> {
    // SAFETY: the caller's.
    let held = unsafe { changed("drive", drive) }?;
    held.check()?;
    held.is_changing = true;
    let answer = change(&mut held.drive);
    held.is_changing = false;
    Ok(answer?)
}

/// Frees a drive; NULL is nothing to free.
///
/// # Safety
/// `drive` is NULL, or came from this library, was not freed, and no other thread uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wordline_drive_free(drive: *mut WordlineDrive) {
    call(|| {
        if !drive.is_null() {
            // SAFETY: the caller's: it is one of `handed`, and given back once.
            drop(unsafe { Box::from_raw(drive) });
        }
        Ok(())
    });
}

/// Where the drive is, ns: the time up to which it was advanced; 0 for NULL.
///
/// # Safety
/// `drive` is NULL or a drive of this library that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wordline_drive_now(drive: *const WordlineDrive) -> u64 {
    // SAFETY: the caller's.
    unsafe { look(drive, |drive| Ok(drive.now())) }.unwrap_or(0)
}

/// Bytes that the host sees; 0 for NULL.
///
/// # Safety
/// `drive` is NULL or a drive of this library that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wordline_drive_logical_bytes(drive: *const WordlineDrive) -> u64 {
    // SAFETY: the caller's.
    unsafe { look(drive, |drive| Ok(drive.logical_bytes())) }.unwrap_or(0)
}

/// Requests that were submitted and have no answer yet; 0 for NULL.
///
/// # Safety
/// `drive` is NULL or a drive of this library that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wordline_drive_outstanding(drive: *const WordlineDrive) -> u64 {
    // SAFETY: the caller's.
    unsafe { look(drive, |drive| Ok(drive.outstanding())) }.unwrap_or(0)
}

/// The least time, ns, to which `wordline_drive_advance` makes something happen; `UINT64_MAX`: nothing does before another request comes.
///
/// # Safety
/// `drive` is NULL or a drive of this library that no other thread uses; `time` is NULL or leads to room for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wordline_drive_next_event(
    drive: *const WordlineDrive,
    time: *mut u64,
) -> WordlineStatus {
    call(|| {
        // SAFETY: the caller's.
        let next = unsafe { look(drive, |drive| drive.next_event()) }?.unwrap_or(u64::MAX);
        // SAFETY: the caller's.
        unsafe { put("time", time, next) }
    })
}

/// Brings the drive to this time, ns.
///
/// # Safety
/// `drive` is NULL or a drive of this library that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wordline_drive_advance(drive: *mut WordlineDrive, time: u64) -> WordlineStatus {
    call(|| {
        // SAFETY: the caller's.
        unsafe { change(drive, |drive| drive.advance(time)) }
    })
}

/// Brings the drive to where every request has its answer.
///
/// # Safety
/// `drive` is NULL or a drive of this library that no other thread uses.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn wordline_drive_drain(drive: *mut WordlineDrive) -> WordlineStatus {
    call(|| {
        // SAFETY: the caller's.
        unsafe { change(drive, |drive| drive.drain()) }
    })
}
