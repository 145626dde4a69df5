//! Values as fio writes them.

use wordline_base::request::LATEST_ARRIVAL_NS;

pub(super) const SECOND: u64 = 1_000_000_000;

/// Bases of the unit prefixes: `kb_base`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Base {
    /// 1000 or 1024.
    pub kilo: u64,
    /// Bytes of a zone, where there are any.
    pub zone: Option<u64>,
}

impl Base {
    /// Bytes. With `kb_base=1024` fio's prefixes are the other way round than the standards': `k` is 1024, `ki` 1000.
    pub(super) fn bytes(self, text: &str) -> Result<u64, String> {
        let lower = text.trim().to_ascii_lowercase();
        if let Some(hexadecimal) = lower.strip_prefix("0x") {
            return u64::from_str_radix(hexadecimal, 16).map_err(|_| "a number".into());
        }
        let end = lower.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(lower.len());
        let (number, unit) = lower.split_at_checked(end).unwrap_or((&lower, ""));
        let unit = unit.trim_end_matches('b');
        let (prefix, is_iec) = unit.strip_suffix('i').map_or((unit, false), |prefix| (prefix, true));
        let base = if (self.kilo == 1024) == is_iec { 1000_u64 } else { 1024 };
        let power = match prefix {
            "" => 0,
            "k" => 1,
            "m" => 2,
            "g" => 3,
            "t" => 4,
            "p" => 5,
            "z" => return of_zones(number, self.zone),
            _ => return Err("bytes, with k, m, g, t or p".into()),
        };
        let number: f64 = number.parse().map_err(|_| "a number of bytes, with k, m, g, t or p".to_owned())?;
        let bytes = number * (base.pow(power) as f64);
        if bytes < 0.0 || bytes > (1_u64 << 60) as f64 {
            return Err("0 to 2^60 bytes".into());
        }
        Ok(bytes.round() as u64)
    }
}

/// Bytes of so many zones.
fn of_zones(number: &str, zone: Option<u64>) -> Result<u64, String> {
    let zone = zone.ok_or("bytes: z counts zones, and the job has no zonesize")?;
    let zones: u64 = number.parse().map_err(|_| "a whole number of zones".to_owned())?;
    zones.checked_mul(zone).filter(|bytes| *bytes <= 1 << 60).ok_or_else(|| "0 to 2^60 bytes".into())
}

/// A share, from 0 to 1.
pub(super) fn share(text: &str) -> Result<f64, String> {
    let share = text.trim().parse().ok().filter(|share| (0.0..=1.0).contains(share));
    share.ok_or_else(|| "0 to 1".to_owned())
}

/// A time, ns; without a unit it counts `default_ns`.
pub(super) fn time_ns(text: &str, default_ns: u64) -> Result<u64, String> {
    let lower = text.trim().to_ascii_lowercase();
    let end = lower.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(lower.len());
    let (number, unit) = lower.split_at_checked(end).unwrap_or((&lower, ""));
    let unit_ns = match unit {
        "" => default_ns,
        "us" | "usec" => 1_000,
        "ms" | "msec" => 1_000_000,
        "s" | "sec" => 1_000_000_000,
        "m" | "min" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000,
        _ => return Err("a time, with us, ms, s, m, h or d".into()),
    };
    let number: f64 = number.parse().map_err(|_| "a time, with us, ms, s, m, h or d".to_owned())?;
    let time = (number * unit_ns as f64).round();
    if time > LATEST_ARRIVAL_NS as f64 / 2.0 {
        return Err("at most 146 years".into());
    }
    Ok(time as u64)
}

/// Up to three values, for reads, writes and trims; what is left out is as the last one given.
pub(super) fn by_direction<T: Clone>(
    text: &str,
    one: impl Fn(&str) -> Result<T, String>,
) -> Result<[T; 3], String> {
    by_direction_or(text, None, one)
}

/// The same, where an empty value (`bs=,8k`) means the default.
pub(super) fn by_direction_or<T: Clone>(
    text: &str,
    default: Option<T>,
    one: impl Fn(&str) -> Result<T, String>,
) -> Result<[T; 3], String> {
    let value = |part: &str| match (part.trim(), &default) {
        ("", Some(default)) => Ok(default.clone()),
        (part, _) => one(part),
    };
    let values = text.split(',').map(value).collect::<Result<Vec<T>, String>>()?;
    match values.as_slice() {
        [all] => Ok([all.clone(), all.clone(), all.clone()]),
        [read, write] => Ok([read.clone(), write.clone(), write.clone()]),
        [read, write, trim] => Ok([read.clone(), write.clone(), trim.clone()]),
        _ => Err("one to three values: reads, writes, trims".into()),
    }
}

/// A share in percent, with or without `%`.
pub(super) fn percent(text: &str) -> Result<f64, String> {
    let number: f64 =
        text.trim().trim_end_matches('%').parse().map_err(|_| "a percentage from 0 to 100".to_owned())?;
    if (0.0..=100.0).contains(&number) { Ok(number) } else { Err("a percentage from 0 to 100".into()) }
}

/// A whole number.
pub(super) fn whole(text: &str, low: u64, high: u64) -> Result<u64, String> {
    let number = text.trim().parse().ok().filter(|number| (low..=high).contains(number));
    number.ok_or_else(|| format!("a whole number from {low} to {high}"))
}

/// A switch: alone or 1 is on, 0 is off.
pub(super) fn switch(text: Option<&str>) -> Result<bool, String> {
    match text {
        None | Some("1" | "true") => Ok(true),
        Some("0" | "false") => Ok(false),
        Some(_) => Err("0 or 1".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_fios_units() {
        let base = Base { kilo: 1024, zone: None };
        let cases = [
            ("4k", 4096),
            ("4KB", 4096),
            ("4ki", 4000),
            ("1.5m", 3 << 19),
            ("2g", 2 << 30),
            ("512", 512),
            ("0x200", 512),
        ];
        for (text, expected) in cases {
            assert_eq!(base.bytes(text), Ok(expected), "{text}");
        }
        let si = Base { kilo: 1000, zone: None };
        assert_eq!((si.bytes("4k"), si.bytes("4ki")), (Ok(4000), Ok(4096)));
        for text in ["", "k", "4x", "-1", "1e3"] {
            assert!(base.bytes(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_have_units() {
        assert_eq!(time_ns("10", 1_000_000_000), Ok(10_000_000_000));
        assert_eq!((time_ns("2m", 1), time_ns("1.5ms", 1)), (Ok(120_000_000_000), Ok(1_500_000)));
        assert!(time_ns("1y", 1).is_err() && time_ns("900000d", 1).is_err());
    }

    #[test]
    fn values_left_out_are_as_the_last() {
        let read = |text: &str| by_direction(text, |part| whole(part, 0, 9));
        assert_eq!((read("1"), read("1,2"), read("1,2,3")), (Ok([1; 3]), Ok([1, 2, 2]), Ok([1, 2, 3])));
        assert!(read("1,2,3,4").is_err() && read("1,,3").is_err());
        let with_default = |text: &str| by_direction_or(text, Some(7), |part| whole(part, 0, 9));
        assert_eq!(
            (with_default(",2"), with_default("1,"), with_default(",2,")),
            (Ok([7, 2, 2]), Ok([1, 7, 7]), Ok([7, 2, 7]))
        );
    }
}
