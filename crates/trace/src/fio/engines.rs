//! What fio's engines do, as far as a load depends on it.

/// What an engine does with requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Reads and writes files, through the page cache unless they are opened for direct I/O.
    Cached,
    /// Reads and writes files by ways of its own.
    Files,
    /// Reads and writes a whole volume.
    Volume,
    /// No block I/O.
    Other(&'static str),
}

/// Engines that are no block I/O, and what they are.
const OTHERS: &[(&str, &str)] = &[
    ("cpuio", "it burns processor time"),
    ("dircreate", "it makes folders"),
    ("dirdelete", "it deletes folders"),
    ("dirstat", "it looks up folders"),
    ("e4defrag", "it moves blocks within a file system"),
    ("exec", "it runs a program"),
    ("falloc", "it allocates space in a file system"),
    ("filecreate", "it makes files"),
    ("filedelete", "it deletes files"),
    ("filestat", "it looks up files"),
    ("ftruncate", "it changes the sizes of files"),
    ("http", "it stores objects over HTTP"),
    ("librpma_apm_client", "it writes to another machine's memory"),
    ("librpma_apm_server", "it writes to another machine's memory"),
    ("librpma_gpspm_client", "it writes to another machine's memory"),
    ("librpma_gpspm_server", "it writes to another machine's memory"),
    ("net", "it sends over a network"),
    ("netsplice", "it sends over a network"),
    ("page_fault", "it touches memory"),
    ("rdma", "it sends over a network"),
];

/// Engines that read and write a whole volume.
const VOLUMES: &[&str] = &[
    "dev-dax",
    "io_uring_cmd",
    "libblkio",
    "libiscsi",
    "libzbc",
    "mtd",
    "nbd",
    "rbd",
    "sg",
    "xnvme",
    // Of SPDK.
    "spdk",
    "spdk_bdev",
    "spdk_nvme",
];

/// Engines that read and write through the page cache.
const CACHED: &[&str] = &[
    "io_uring",
    "libaio",
    "mmap",
    "posixaio",
    "psync",
    "pvsync",
    "pvsync2",
    "solarisaio",
    "splice",
    "sync",
    "vsync",
    "windowsaio",
];

/// Other engines of fio that read and write files.
const FILES: &[&str] = &[
    "cpp_null",
    "dfs",
    "external",
    "gfapi",
    "gfapi_async",
    "guasi",
    "ime_aio",
    "ime_psync",
    "ime_psyncv",
    "libcufile",
    "libhdfs",
    "libhipfile",
    "libpmem",
    "nfs",
    "null",
    "pmemblk",
    "rados",
];

/// Engines that wait for each request: `iodepth` has no effect with them.
const SYNCHRONOUS: &[&str] = &[
    "dev-dax",
    "gfapi",
    "ime_psync",
    "ime_psyncv",
    "libcufile",
    "libhdfs",
    "libhipfile",
    "libpmem",
    "libzbc",
    "mmap",
    "mtd",
    "psync",
    "pvsync",
    "pvsync2",
    "splice",
    "sync",
    "vsync",
];

/// What an engine does; `None` of one that isn't known.
pub(super) fn target(engine: &str) -> Option<Target> {
    let name = name(engine);
    if let Some((_, what)) = OTHERS.iter().find(|(other, _)| *other == name) {
        return Some(Target::Other(what));
    }
    let of = |list: &[&str], target| list.contains(&name).then_some(target);
    of(VOLUMES, Target::Volume).or(of(CACHED, Target::Cached)).or(of(FILES, Target::Files))
}

/// The name of an engine. `external:path`, or the path alone, names a library: it is called as its file is, if that is known.
fn name(engine: &str) -> &str {
    let external = engine.strip_prefix("external:");
    if external.is_none() && !engine.contains('/') {
        return engine;
    }
    let path = external.unwrap_or(engine);
    let file = path.rsplit('/').next().unwrap_or(path);
    let file = file.strip_suffix(".so").unwrap_or(file);
    if VOLUMES.contains(&file) { file } else { "external" }
}

/// Whether this engine has one request outstanding at most.
pub(super) fn is_synchronous(engine: &str) -> bool {
    SYNCHRONOUS.contains(&engine)
}
