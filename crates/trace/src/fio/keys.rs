//! Keys that fio has and that don't change which requests reach the drive, or when.

/// Ignored with a note.
const WITHOUT_EFFECT: &[&str] = &[
    "allow_file_create", "allow_mounted_write", "allrandrepeat", "buffer_compress_chunk",
    "buffer_compress_percentage", "buffer_pattern", "clat_percentiles", "clocksource", "cpumask", "cpus_allowed",
    "cpus_allowed_policy", "create_fsync", "create_on_open", "create_only", "create_serialize", "dedupe_global",
    "dedupe_mode", "dedupe_percentage", "dedupe_working_set_percentage", "description", "direct", "disable_bw_measurement",
    "disable_clat", "disable_lat", "disable_slat", "disk_util", "eta", "eta_interval", "exec_postrun", "exec_prerun",
    "exitall", "exitall_on_error", "fadvise_hint", "fallocate", "file_service_type", "filename_format", "fixedbufs",
    "gid", "group_reporting", "gtod_cpu", "gtod_reduce", "hipri", "hipri_percentage", "hugepage", "iomem", "iomem_align",
    "invalidate", "iscale", "job_max_clat", "lat_percentiles", "lockfile", "lockmem", "log_avg_msec",
    "log_compression", "log_entries", "log_hist_coarseness", "log_hist_msec", "log_max_value", "log_offset",
    "log_prio", "log_unix_epoch", "mem", "mem_align", "new_group", "nice", "nonvectored",
    "numa_cpu_nodes", "numa_mem_policy", "opendir", "openfiles", "overwrite", "per_job_logs", "percentile_list", "pre_read",
    "prio", "prioclass", "randrepeat", "randseed", "random_generator", "ratecycle", "ratemin",
    "rate_cycle", "rate_min", "rate_iops_min", "refill_buffers", "registerfiles", "scramble_buffers",
    "slat_percentiles", "sqthread_poll", "sqthread_poll_cpu", "status_interval", "thinktime_spin", "thread",
    "uid", "unified_rw_reporting", "unique_filename", "unit_base", "unlink",
    "unlink_each_loop", "userspace_reap", "write_bw_log", "write_hist_log", "write_iops_log", "write_lat_log",
    "zero_buffers",
];

/// Whether the key is one of these.
pub(super) fn without_effect(key: &str) -> bool {
    WITHOUT_EFFECT.contains(&key)
}

/// Engines of fio that wait for each request: `iodepth` has no effect with them.
const SYNCHRONOUS: &[&str] = &["sync", "psync", "vsync", "pvsync", "pvsync2", "mmap", "falloc", "ftruncate"];

/// Whether this engine of fio has one request outstanding at most.
pub(super) fn is_synchronous(engine: &str) -> bool {
    SYNCHRONOUS.contains(&engine)
}
