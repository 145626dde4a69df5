//! MQSim's own two files, as it ships them and with a load of their own kind: for its binary, and, by `wordline mqsim`, as
//! descriptions of ours.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Failure;
use crate::described::Described;

/// Two files of MQSim.
pub struct Files {
    /// Its `ssdconfig.xml`.
    pub configuration: PathBuf,
    /// Its `workload.xml`.
    pub workload: PathBuf,
}

/// A load of 4 KiB requests, anywhere, at queue depth 16, on the drive that MQSim ships.
#[derive(Clone, Copy)]
pub struct Load {
    /// Whether it reads; else it writes.
    pub reads: bool,
    /// As shipped the map is cached, 2 MiB of it, and there is a write cache. Otherwise the whole map is in DRAM, and the
    /// cache is off.
    pub shipped: bool,
}

/// The configuration that MQSim ships, where it lies beside this project.
pub fn shipped_configuration() -> Option<PathBuf> {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "../../../shared/mqsim/shipped/ssdconfig.xml"].iter().collect();
    path.is_file().then_some(path)
}

/// The command that reads MQSim's files, where it is built (`make setup`).
pub fn command() -> Option<PathBuf> {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../../.venv/bin/wordline"].iter().collect();
    path.is_file().then_some(path)
}

impl Files {
    /// Writes both into a folder.
    ///
    /// # Errors
    /// Files that can't be read or written.
    pub fn write(shipped: &Path, load: Load, requests: u64, folder: &Path) -> Result<Self, Failure> {
        std::fs::create_dir_all(folder)?;
        let mut text = std::fs::read_to_string(shipped)?;
        if !load.shipped {
            text = text.replace("<Ideal_Mapping_Table>false", "<Ideal_Mapping_Table>true");
        }
        let (configuration, workload) = (folder.join("ssdconfig.xml"), folder.join("workload.xml"));
        std::fs::write(&configuration, text)?;
        std::fs::write(&workload, workload_text(load, requests))?;
        Ok(Self { configuration, workload })
    }

    /// What they describe.
    ///
    /// # Errors
    /// The command's, and files that can't be read.
    pub fn described(&self, command: &Path, folder: &Path) -> Result<Described, Failure> {
        let output = Command::new(command)
            .arg("mqsim")
            .args(["-i".as_ref(), self.configuration.as_os_str()])
            .args(["-w".as_ref(), self.workload.as_os_str()])
            .args(["--export".as_ref(), folder.as_os_str()])
            .output()?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into());
        }
        let read = |name: &str| std::fs::read_to_string(folder.join(name));
        Ok(Described {
            device: read("device.toml")?,
            scheme: read("scheme.toml")?,
            workload: read("workload.toml")?,
            changes: Vec::new(),
        })
    }

    /// `wordline mqsim` with them, which writes its results into a folder.
    pub fn with_ours(&self, command: &Path, folder: &Path) -> Command {
        let mut run = Command::new(command);
        run.arg("mqsim")
            .args(["-i".as_ref(), self.configuration.as_os_str()])
            .args(["-w".as_ref(), self.workload.as_os_str()])
            .args(["--out".as_ref(), folder.as_os_str()])
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        run
    }

    /// MQSim's binary with them.
    ///
    /// # Errors
    /// A binary without a path.
    pub fn with_mqsim(&self, binary: &Path) -> Result<Command, Failure> {
        let mut run = Command::new(std::path::absolute(binary)?);
        run.args(["-i".as_ref(), self.configuration.as_os_str()])
            .args(["-w".as_ref(), self.workload.as_os_str()])
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        Ok(run)
    }
}

fn workload_text(load: Load, requests: u64) -> String {
    let reads = if load.reads { 100 } else { 0 };
    let caching = if load.shipped { "WRITE_CACHE" } else { "TURNED_OFF" };
    format!(
        "<?xml version=\"1.0\" encoding=\"us-ascii\"?>\n<MQSim_IO_Scenarios>\n<IO_Scenario>\n\
         <IO_Flow_Parameter_Set_Synthetic>\n<Priority_Class>HIGH</Priority_Class>\n\
         <Device_Level_Data_Caching_Mode>{caching}</Device_Level_Data_Caching_Mode>\n\
         <Channel_IDs>0,1,2,3,4,5,6,7</Channel_IDs>\n<Chip_IDs>0,1,2,3</Chip_IDs>\n<Die_IDs>0,1</Die_IDs>\n\
         <Plane_IDs>0,1</Plane_IDs>\n<Initial_Occupancy_Percentage>70</Initial_Occupancy_Percentage>\n\
         <Working_Set_Percentage>100</Working_Set_Percentage>\n\
         <Synthetic_Generator_Type>QUEUE_DEPTH</Synthetic_Generator_Type>\n\
         <Read_Percentage>{reads}</Read_Percentage>\n\
         <Address_Distribution>RANDOM_UNIFORM</Address_Distribution>\n\
         <Percentage_of_Hot_Region>0</Percentage_of_Hot_Region>\n\
         <Generated_Aligned_Addresses>true</Generated_Aligned_Addresses>\n\
         <Address_Alignment_Unit>8</Address_Alignment_Unit>\n\
         <Request_Size_Distribution>FIXED</Request_Size_Distribution>\n\
         <Average_Request_Size>8</Average_Request_Size>\n<Variance_Request_Size>0</Variance_Request_Size>\n\
         <Seed>798</Seed>\n<Average_No_of_Reqs_in_Queue>16</Average_No_of_Reqs_in_Queue>\n\
         <Intensity>32768</Intensity>\n<Stop_Time>0</Stop_Time>\n\
         <Total_Requests_To_Generate>{requests}</Total_Requests_To_Generate>\n\
         </IO_Flow_Parameter_Set_Synthetic>\n</IO_Scenario>\n</MQSim_IO_Scenarios>\n"
    )
}
