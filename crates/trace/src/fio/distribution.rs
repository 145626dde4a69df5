//! Which random places: `random_distribution`.

use super::values::{Base, by_direction, percent, whole};
use crate::config::{Access, Zone};

/// `random_distribution`, for one to three directions; behind a comma the kind may be left out.
pub(super) fn access(text: &str, base: Base) -> Result<[Access; 3], String> {
    if let Some(list) = text.strip_prefix("sequence:") {
        let blocks =
            list.split(',').map(|part| whole(part, 0, 1 << 48)).collect::<Result<Vec<u64>, String>>()?;
        if blocks.len() > 64 {
            return Err("1 to 64 blocks".into());
        }
        let all = Access::Sequence { blocks, stride: false };
        return Ok([all.clone(), all.clone(), all]);
    }
    let kind = text.split([':', '=']).next().unwrap_or_default();
    by_direction(text, |part| match part.starts_with(|first: char| first.is_ascii_digit()) {
        true => one_access(&format!("{kind}:{part}"), base),
        false => one_access(part, base),
    })
}

fn one_access(text: &str, base: Base) -> Result<Access, String> {
    let (kind, rest) = text.split_once([':', '=']).unwrap_or((text, ""));
    let number = |default: f64| -> Result<f64, String> {
        if rest.is_empty() {
            return Ok(default);
        }
        if rest.contains(':') {
            return Err("one number behind the colon: where the centre lies isn't modelled".into());
        }
        rest.parse().map_err(|_| "a number behind the colon".to_owned())
    };
    match kind {
        "random" => Ok(Access::Random),
        "zipf" => number(1.1).map(Access::Zipf),
        "pareto" => number(0.2).map(Access::Pareto),
        "normal" => number(0.0).map(Access::Normal),
        "zoned" | "zoned_abs" => zones(rest, kind == "zoned", base).map(Access::Zoned),
        _ => Err(
            "random, zipf:theta, pareto:h, normal:deviation, zoned:access/space:…, zoned_abs:access/bytes:…, sequence:block,…"
                .into(),
        ),
    }
}

/// `access/space:access/space`; what is left out of a zone shares what the others leave.
fn zones(text: &str, in_percent: bool, base: Base) -> Result<Vec<Zone>, String> {
    let mut zones = Vec::new();
    for part in text.split(':') {
        let (access, space) = part.split_once('/').unwrap_or((part, ""));
        let given = |text: &str| Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned);
        let access = given(access).map(|text| percent(&text)).transpose()?;
        zones.push((access, given(space)));
    }
    let accesses: f64 = zones.iter().filter_map(|(access, _)| *access).sum();
    if accesses > 100.5 {
        return Err("zones with 100 percent of the requests together".into());
    }
    let percents = |space: &Option<String>| space.as_deref().map(percent).transpose();
    let mut spaces = 0.0;
    for (_, space) in zones.iter().filter(|_| in_percent) {
        spaces += percents(space)?.unwrap_or(0.0);
    }
    let left = |whole: f64, open: usize| if open > 0 { (100.0 - whole).max(0.0) / open as f64 } else { 0.0 };
    let open_access = left(accesses, zones.iter().filter(|(access, _)| access.is_none()).count());
    let without_space = zones.iter().filter(|(_, space)| space.is_none()).count();
    if !in_percent && without_space > 0 {
        return Err("zones of access/bytes".into());
    }
    let open_space = left(spaces, without_space);
    let zone = |(access, space): &(Option<f64>, Option<String>)| {
        let access = access.unwrap_or(open_access);
        match (in_percent, space) {
            (true, space) => {
                Ok(Zone { access, space: Some(percents(space)?.unwrap_or(open_space)), bytes: None })
            }
            (false, space) => {
                let bytes = base.bytes(space.as_deref().unwrap_or_default())?;
                Ok(Zone { access, space: None, bytes: Some(bytes) })
            }
        }
    };
    zones.iter().map(zone).collect()
}
