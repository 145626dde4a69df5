#ifndef WORDLINE_H
#define WORDLINE_H

/* Made by cbindgen from crates/capi/src; tests/c.rs renews it with WORDLINE_RENEW=1. */

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// Returns data.
#define WORDLINE_READ 0

// Stores data; acknowledged when it is in the drive's write buffer, without one when it is programmed.
#define WORDLINE_WRITE 1

// A write with FUA (Force Unit Access): acknowledged when it is programmed.
#define WORDLINE_WRITE_FUA 2

// Tells the drive that the range holds nothing of value.
#define WORDLINE_TRIM 3

// Acknowledged when every acknowledged write is safe.
#define WORDLINE_FLUSH 4

// How a call ended.
typedef enum WordlineStatus {
  // It did what was asked.
  WORDLINE_OK = 0,
  // It did nothing: what was given can't be. `wordline_last_error` says why.
  WORDLINE_REFUSED = 1,
  // The simulator has a defect, or the drive found itself inconsistent; of this drive nothing more can be asked but to be freed.
  WORDLINE_DEFECT = 2,
  // The drive's life has ended, in this call or before: it takes no more requests, and what waits for space is never answered. Its
  // answers and figures can still be taken.
  WORDLINE_ENDED = 3,
} WordlineStatus;

// A simulated drive.
typedef struct WordlineDrive WordlineDrive;

// Another value of a key.
typedef struct WordlineOverride {
  // Its dotted path: `device.geometry.blocks`.
  const char *path;
  // The value, TOML where it reads as TOML, else a string.
  const char *value;
} WordlineOverride;

// What drive it is. All zero: enterprise-tlc with the firmware that it is sold with, full, with seed 0.
typedef struct WordlineOptions {
  // Name of the drive's preset; NULL: enterprise-tlc.
  const char *device;
  // Its description in TOML, in the place of a preset; NULL: none.
  const char *device_toml;
  // Name of the scheme: a preset, `key=value`, or several joined by `+`; NULL: baseline.
  const char *scheme;
  // Its description in TOML, in the place of a name; NULL: none.
  const char *scheme_toml;
  // The state at the start in TOML, as a workload's table `start`; NULL: full, in order.
  const char *start_toml;
  // Changes of single keys.
  const struct WordlineOverride *overrides;
  // How many.
  size_t override_count;
  // Seed of every random stream.
  uint64_t seed;
  // Whether every read is verified: 0 or not.
  uint8_t checked;
} WordlineOptions;

// Bytes that belong to whoever got them, to be freed with `wordline_bytes_free`.
typedef struct WordlineBytes {
  // The first; NULL where there are none.
  uint8_t *data;
  // How many. A text has a 0 behind these.
  size_t length;
} WordlineBytes;

// A request of the host.
typedef struct WordlineRequest {
  // When it arrives, ns: not before where the drive is.
  uint64_t time;
  // First byte, from the start of the drive; 0 for a flush.
  uint64_t offset;
  // Bytes; 0 for a flush.
  uint64_t length;
  // Whatever its completion shall be known by; several requests may have the same.
  uint64_t tag;
  // Stream that its data belong to; only of writes, on a drive that offers streams.
  uint16_t stream;
  // What it does: `WORDLINE_READ` and others.
  uint8_t op;
} WordlineRequest;

// A request that was answered.
typedef struct WordlineCompletion {
  // What was asked.
  struct WordlineRequest request;
  // When the host has the answer, ns.
  uint64_t time;
} WordlineCompletion;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Frees a drive; NULL is nothing to free.
//
// # Safety
// `drive` is NULL, or came from this library, was not freed, and no other thread uses it.
void wordline_drive_free(struct WordlineDrive *drive);

// Where the drive is, ns: the time up to which it was advanced; 0 for NULL.
//
// # Safety
// `drive` is NULL or a drive of this library that no other thread uses.
uint64_t wordline_drive_now(const struct WordlineDrive *drive);

// Bytes that the host sees; 0 for NULL.
//
// # Safety
// `drive` is NULL or a drive of this library that no other thread uses.
uint64_t wordline_drive_logical_bytes(const struct WordlineDrive *drive);

// Requests that were submitted and have no answer yet; 0 for NULL.
//
// # Safety
// `drive` is NULL or a drive of this library that no other thread uses.
uint64_t wordline_drive_outstanding(const struct WordlineDrive *drive);

// The least time, ns, to which `wordline_drive_advance` makes something happen; `UINT64_MAX`: nothing does before another request comes.
//
// # Safety
// `drive` is NULL or a drive of this library that no other thread uses; `time` is NULL or leads to room for one.
enum WordlineStatus wordline_drive_next_event(const struct WordlineDrive *drive,
                                              uint64_t *time);

// Brings the drive to this time, ns.
//
// # Safety
// `drive` is NULL or a drive of this library that no other thread uses.
enum WordlineStatus wordline_drive_advance(struct WordlineDrive *drive, uint64_t time);

// Brings the drive to where every request has its answer.
//
// # Safety
// `drive` is NULL or a drive of this library that no other thread uses.
enum WordlineStatus wordline_drive_drain(struct WordlineDrive *drive);

// Why the last call of this thread that failed did, in one line of UTF-8; an empty text before any. It is there until the next call
// that fails.
const char *wordline_last_error(void);

// Makes a drive, at time 0, to be freed with `wordline_drive_free`. `options` may be NULL for what all zero is.
//
// # Safety
// `options` is NULL or leads to options whose texts end with 0 and whose `overrides` are as many as it says; `drive` is NULL or leads to
// room for a pointer.
enum WordlineStatus wordline_drive_new(const struct WordlineOptions *options,
                                       struct WordlineDrive **drive);

// Frees bytes, and leaves none in their place; NULL and no bytes are nothing to free.
//
// # Safety
// `bytes` is NULL, or leads to bytes that came from this library and were neither changed in number nor freed.
void wordline_bytes_free(struct WordlineBytes *bytes);

// Submits requests, in any order of their times. If one is refused, none was submitted.
//
// # Safety
// `drive` is NULL or a drive of this library that no other thread uses; `requests` is NULL or leads to `count` of them.
enum WordlineStatus wordline_drive_submit(struct WordlineDrive *drive,
                                          const struct WordlineRequest *requests,
                                          size_t count);

// Takes at most `capacity` of the requests that were answered and weren't taken yet, in the order of their answers; `taken` is how many.
//
// # Safety
// `drive` is NULL or a drive of this library that no other thread uses; `completions` is NULL or leads to room for `capacity`; `taken` is
// NULL or leads to room for a number.
enum WordlineStatus wordline_drive_completions(struct WordlineDrive *drive,
                                               struct WordlineCompletion *completions,
                                               size_t capacity,
                                               size_t *taken);

// Makes a second drive in the same state, requests under way included, to be freed by itself.
//
// # Safety
// `drive` is NULL or a drive of this library that no other thread uses; `copy` is NULL or leads to room for a pointer.
enum WordlineStatus wordline_drive_fork(const struct WordlineDrive *drive,
                                        struct WordlineDrive **copy);

// The whole state as bytes, to be freed with `wordline_bytes_free`.
//
// # Safety
// `drive` is NULL or a drive of this library that no other thread uses; `snapshot` is NULL or leads to room for one.
enum WordlineStatus wordline_drive_save(const struct WordlineDrive *drive,
                                        struct WordlineBytes *snapshot);

// Makes the drive of a snapshot, to be freed with `wordline_drive_free`. The bytes are only read.
//
// # Safety
// `data` is NULL or leads to `length` bytes; `drive` is NULL or leads to room for a pointer.
enum WordlineStatus wordline_drive_restore(const uint8_t *data, size_t length, struct WordlineDrive **drive);

// What was counted since the first request, or since `wordline_drive_mark`, as JSON, to be freed with `wordline_bytes_free`.
//
// # Safety
// `drive` is NULL or a drive of this library that no other thread uses; `json` is NULL or leads to room for one.
enum WordlineStatus wordline_drive_statistics(struct WordlineDrive *drive,
                                              struct WordlineBytes *json);

// From the next request that enters on everything is counted anew.
//
// # Safety
// `drive` is NULL or a drive of this library that no other thread uses.
enum WordlineStatus wordline_drive_mark(struct WordlineDrive *drive);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* WORDLINE_H */
