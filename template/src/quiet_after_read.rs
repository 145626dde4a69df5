//! A system: it is told of events and answers with actions.

use serde::Deserialize;
use wordline_engine::config::ConfigError;
use wordline_engine::sched::class::Class;
use wordline_engine::sched::gates::ClassSet;
use wordline_engine::systems::{Action, DriveView, Event, System, Watches};
use wordline_engine::time::Ns;

/// `scheme.custom.quiet_after_read`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct QuietAfterReadConfig {
    /// How long a die begins no work of garbage collection after a read of the host, ns; 1 to 10^9.
    pub quiet_ns: u64,
}

impl Default for QuietAfterReadConfig {
    fn default() -> Self {
        Self { quiet_ns: 300_000 }
    }
}

/// Reads come in bursts: after one, garbage collection leaves its die alone for a while, at most half of the time.
#[derive(Clone)]
pub struct QuietAfterRead {
    config: QuietAfterReadConfig,
    /// When each die may be quiet again.
    again: Vec<u64>,
}

impl QuietAfterRead {
    /// Refuses what makes no sense, by the name of the key.
    pub fn new(config: QuietAfterReadConfig) -> Result<Self, ConfigError> {
        if !(1..=1_000_000_000).contains(&config.quiet_ns) {
            return Err(ConfigError::new("quiet_ns", config.quiet_ns, "1 to 1000000000"));
        }
        Ok(Self { config, again: Vec::new() })
    }

    /// Until when the die is to be quiet, if it is to begin now.
    pub fn quiet_until(&mut self, die: usize, now: u64) -> Option<u64> {
        if self.again.len() <= die {
            self.again.resize(die + 1, 0);
        }
        if now < self.again[die] {
            return None;
        }
        self.again[die] = now + 2 * self.config.quiet_ns;
        Some(now + self.config.quiet_ns)
    }
}

impl System for QuietAfterRead {
    fn name(&self) -> &str {
        "quiet_after_read"
    }

    fn watches(&self) -> Watches {
        Watches::READ
    }

    fn told(&mut self, event: &Event, drive: &DriveView<'_>, actions: &mut Vec<Action>) {
        let Event::Read(read) = event else { return };
        if let Some(until) = self.quiet_until(read.die.index(), drive.now().0) {
            let classes = ClassSet::of(&[Class::GcRead, Class::GcProgram, Class::GcErase]);
            actions.push(Action::Gate { dies: vec![read.die], classes, until: Ns(until) });
        }
    }

    fn bytes(&self) -> u64 {
        8 * self.again.len() as u64
    }

    fn save(&self) -> Vec<u8> {
        self.again.iter().flat_map(|time| time.to_le_bytes()).collect()
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), String> {
        let (times, rest) = state.as_chunks::<8>();
        if !rest.is_empty() {
            return Err(format!("{} bytes are no times", state.len()));
        }
        self.again = times.iter().map(|time| u64::from_le_bytes(*time)).collect();
        Ok(())
    }

    fn fork(&self) -> Option<Box<dyn System + Send>> {
        Some(Box::new(self.clone()))
    }
}
