//! The steady state at which a job ends.

use wordline_config::steady_end::{SteadyBy, SteadyEnd, SteadyOf};

use super::options::Settings;
use super::values::{Base, SECOND, time_ns};

/// That of a job, for what comes behind its `ramp_time`.
pub(super) fn steady_end(
    keys: &mut Settings<'_>,
    base: Base,
    job_ramp_ns: u64,
    notes: &mut Vec<String>,
) -> Option<SteadyEnd> {
    let criterion = keys.take_value("steadystate", |text| criterion(text, base));
    let time = |text: &str| time_ns(text, SECOND);
    let duration = keys.take_value("steadystate_duration", time).filter(|ns| *ns > 0);
    let ramp_ns = keys.take_value("steadystate_ramp_time", time);
    let interval_ns = keys.take_value("steadystate_check_interval", time);
    let job = keys.job;
    match (criterion, duration) {
        (Some((of, by, limits)), Some(duration_ns)) => {
            let [limit_share, limit] = limits;
            let interval_ns = interval_ns.unwrap_or(SECOND);
            let ramp_ns = ramp_ns.unwrap_or(0).saturating_add(job_ramp_ns);
            Some(SteadyEnd { of, by, limit_share, limit, duration_ns, interval_ns, ramp_ns })
        }
        (None, None) if ramp_ns.is_none() && interval_ns.is_none() => None,
        (Some(_), None) => {
            notes
                .push(format!("job {job}: steadystate without steadystate_duration does nothing, as in fio"));
            None
        }
        _ => {
            notes.push(format!("job {job}: steadystate_… without steadystate does nothing, as in fio"));
            None
        }
    }
}

type Criterion = (SteadyOf, SteadyBy, [Option<f64>; 2]);

fn criterion(text: &str, base: Base) -> Result<Criterion, String> {
    let allowed = || "iops, bw or lat, with _slope or without, :, and a limit, with % or without".to_owned();
    let (name, limit) = text.split_once(':').ok_or_else(allowed)?;
    let (figure, by) = match name.trim().strip_suffix("_slope") {
        Some(figure) => (figure, SteadyBy::Slope),
        None => (name.trim(), SteadyBy::Deviation),
    };
    let of = match figure {
        "iops" => SteadyOf::Iops,
        "bw" => SteadyOf::Bandwidth,
        "lat" => SteadyOf::Latency,
        _ => return Err(allowed()),
    };
    let limit = limit.trim();
    let number =
        |text: &str| text.trim().parse::<f64>().ok().filter(|number| *number > 0.0).ok_or_else(allowed);
    match limit.strip_suffix('%') {
        Some(percent) => Ok((of, by, [Some(number(percent)? / 100.0), None])),
        None => {
            let limit = match of {
                SteadyOf::Iops => number(limit)?,
                SteadyOf::Bandwidth => base.bytes(limit)? as f64,
                // Without a unit it is µs, as fio's other times of requests.
                SteadyOf::Latency => time_ns(limit, 1_000)? as f64,
            };
            if limit > 0.0 { Ok((of, by, [None, Some(limit)])) } else { Err(allowed()) }
        }
    }
}
