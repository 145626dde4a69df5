//! Any text as the description of a device, a scheme and a workload: refused in one line, or run.

use std::path::Path;

use wordline_engine::config::{ConfigError, DeviceConfig, Layer, Layers, SchemeConfig, resolve_run};
use wordline_engine::host::{HostRequest, RequestSource, SourceError};
use wordline_engine::{Kept, Setup, Unobserved, simulate};
use wordline_trace::{OpenContext, SourceConfig, WorkloadConfig, open};

use super::bounded::{is_small, refused};

/// Between the three descriptions.
pub const BETWEEN: &str = "\n#---\n";

/// Reads up to three descriptions; what is left out is empty, a workload of some requests.
///
/// # Panics
/// When a description is refused without a reason in one line, or a run contradicts itself.
pub fn read(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut parts = text.split(BETWEEN);
    let [device, scheme, workload] = std::array::from_fn(|_| parts.next().unwrap_or_default());
    match described(device, scheme, workload) {
        Ok(described) => run(described),
        Err(error) => {
            let told = error.to_string();
            assert!(!told.contains('\n') && told.len() < 4000 && !told.is_empty(), "{told}");
        }
    }
}

type Described = (DeviceConfig, SchemeConfig, WorkloadConfig);

fn described(device: &str, scheme: &str, workload: &str) -> Result<Described, ConfigError> {
    let workload = Layers::new().with(Layer::from_toml("workload", workload)?.under("workload"));
    let (device, scheme) = (Layer::from_toml("device", device)?, Layer::from_toml("scheme", scheme)?);
    let described = resolve_run(&device, &scheme, &[]);
    let workload: WorkloadConfig = workload.resolve("workload")?;
    workload.validate()?;
    let (device, scheme) = described?;
    Ok((device, scheme, workload))
}

fn run((device, scheme, workload): Described) {
    let WorkloadConfig { source, host, start, window, measure, .. } = workload;
    let kept = Kept::Checked;
    let setup = Setup { host, start, window, measure, kept, ..Setup::of(device, scheme) };
    let bytes = match setup.validate().and_then(|()| setup.logical_bytes()) {
        Ok(bytes) => bytes,
        Err(error) => return refused(&error.into()),
    };
    // Sources that read files are left out: what they would read is none of this.
    let Some(source @ (SourceConfig::Synthetic(_) | SourceConfig::Ycsb(_) | SourceConfig::Filebench(_))) =
        source
    else {
        return;
    };
    if !is_small(&setup) {
        return;
    }
    let context = OpenContext { drive_bytes: bytes, seed: 1, base_dir: Path::new(".") };
    let Ok(mut opened) = open(&source, &context) else { return };
    let mut requests = First { source: opened.source.as_mut(), left: 200, bytes: 1 << 22 };
    if let Err(error) = simulate(&setup, &mut requests, &[], &mut Unobserved) {
        refused(&error);
    }
}

/// The first requests of a source.
struct First<'a> {
    /// Where they come from.
    source: &'a mut dyn RequestSource,
    /// How many may come.
    left: usize,
    /// Their bytes that may come.
    bytes: u64,
}

impl RequestSource for First<'_> {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        if self.left == 0 {
            return Ok(());
        }
        let before = batch.len();
        self.source.next_batch(batch)?;
        batch.truncate(before + self.left);
        for place in before..batch.len() {
            match self.bytes.checked_sub(batch[place].length) {
                Some(rest) => self.bytes = rest,
                None => batch.truncate(place),
            }
            if place >= batch.len() {
                self.left = 0;
                return Ok(());
            }
        }
        self.left -= batch.len() - before;
        Ok(())
    }
}
