//! dev
use crate::Failure;
use crate::described::Described;
use std::path::Path;

/// dev
///
/// # Errors
/// dev
pub fn child(arguments: &[String]) -> Result<(), Failure> {
    let [device, scheme, workload, changes @ ..] = arguments else { return Err("three files".into()) };
    let json = changes.iter().any(|change| change == "json");
    let read = |path: &String| -> Result<String, Failure> {
        if path == "-" { Ok(String::new()) } else { Ok(std::fs::read_to_string(path)?) }
    };
    let changes = changes.iter().filter_map(|change| change.split_once('='));
    let run = Described {
        device: read(device)?,
        scheme: read(scheme)?,
        workload: read(workload)?,
        changes: changes.map(|(key, value)| (key.to_owned(), value.to_owned())).collect(),
    };
    let work = run.carried_out(Path::new("."))?;
    if json {
        println!("{}", serde_json::to_string(&work.report)?);
    } else {
        println!(
            "{:.3} s, {} ops, {:.0} units: {:.3} M ops/s, {:.3} M units/s",
            work.seconds,
            work.operations,
            work.units,
            work.operations as f64 / work.seconds / 1e6,
            work.units / work.seconds / 1e6
        );
    }
    Ok(())
}
