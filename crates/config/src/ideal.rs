//! Ideals: drives that can't be built, as bounds that real ones are held against.

use serde::{Deserialize, Serialize};

/// What of the drive is ideal (`[scheme.ideal]`); nothing by default. Results name it (`drive.not_physical`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IdealConfig {
    /// What serves the reads of the host apart from all other work.
    #[serde(default)]
    pub second_server: SecondServer,
}

/// What serves the reads of the host apart from all other work: they never wait for it there, but for each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SecondServer {
    /// Nothing: a real drive.
    #[default]
    None,
    /// A second server for each die. The channel is shared: a read's command and data wait for other transfers.
    Die,
    /// A second server for each die, and a second bus for each channel.
    DieAndChannel,
}

impl IdealConfig {
    /// What can't be built, as `key = value`.
    pub fn not_physical(&self) -> Vec<String> {
        let value = match self.second_server {
            SecondServer::None => return Vec::new(),
            SecondServer::Die => "die",
            SecondServer::DieAndChannel => "die_and_channel",
        };
        vec![format!("scheme.ideal.second_server = {value}")]
    }
}
