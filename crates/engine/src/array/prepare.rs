//! The drives of an array, prepared.

use super::Array;
use super::layout::{Part, striped};
use super::own_requests::OwnRequests;
use crate::host::RequestSource;
use crate::run::{Before, Observer, RunError, Setup};
use rand::Rng as _;
use wordline_base::ids::Lpa;
use wordline_base::rng::stream;
use wordline_config::array::{ArrayConfig, ArrayLayout};
use wordline_config::{ConfigError, SchemeConfig};

impl Setup {
    /// The array of this setup, each drive prepared from the same description with a seed of its own. `footprint` lists
    /// the logical pages of the array that the workload touches, as for a drive alone.
    pub fn prepare_array(
        &self,
        config: &ArrayConfig,
        footprint: &[Lpa],
        observer: &mut dyn Observer,
    ) -> Result<Array, RunError> {
        self.prepare_array_after(config, footprint, Vec::new(), observer)
    }

    /// The same, where each drive has got its part of what came before. `before` has the requests of the whole array, once for
    /// each drive from the first on; those without any are overwritten evenly where they are to be steady. Caches of the map begin
    /// empty.
    pub fn prepare_array_after(
        &self,
        config: &ArrayConfig,
        footprint: &[Lpa],
        before: Vec<Before<'_>>,
        observer: &mut dyn Observer,
    ) -> Result<Array, RunError> {
        self.validate()?;
        let pages = self.footprints(config, footprint);
        let mut before = before.into_iter();
        let mut members = Vec::new();
        for (number, pages) in pages.iter().enumerate() {
            let Before { pattern, never_trims, never_rests, in_sequence, .. } =
                before.next().unwrap_or_default();
            let mut own = pattern.map(|source| OwnRequests::new(source, config, number));
            let pattern = own.as_mut().map(|own| own as &mut dyn RequestSource);
            let before = Before { pattern, never_trims, never_rests, in_sequence, last: None };
            let setup = self.member(config, number as u32)?;
            let prepared = setup.prepare_after(Vec::new(), pages, before, observer);
            members.push(prepared.map_err(|error| match error {
                RunError::Config(error) => RunError::Config(config.of_member(error)),
                other => other,
            })?);
        }
        Ok(Array::new(config, members))
    }

    /// An array of drives that hold nothing: what a snapshot is loaded into.
    pub fn empty_array(&self, config: &ArrayConfig) -> Result<Array, RunError> {
        self.validate()?;
        let members = (0..config.members).map(|number| self.member(config, number)?.empty_drive());
        Ok(Array::new(config, members.collect::<Result<_, _>>()?))
    }

    /// The setup of one drive of an array. Its seed is drawn, so that no drive is one of another seed's array.
    fn member(&self, config: &ArrayConfig, number: u32) -> Result<Self, ConfigError> {
        let device = config.member(&self.device, &self.scheme.firmware, number)?;
        let scheme = SchemeConfig { array: None, ..self.scheme.clone() };
        let seed = stream(self.seed, &format!("member.{number}")).next_u64();
        Ok(Self { device, scheme, seed, ..self.clone() })
    }

    /// What each drive holds of these pages, in their order.
    fn footprints(&self, config: &ArrayConfig, pages: &[Lpa]) -> Vec<Vec<Lpa>> {
        let members = config.members as usize;
        if config.layout == ArrayLayout::Mirrored {
            return vec![pages.to_vec(); members];
        }
        let unit = u64::from(self.device.geometry.mapping_unit_bytes);
        let mut of_member = vec![Vec::new(); members];
        let mut known = vec![Vec::new(); members];
        let mut parts: Vec<Part> = Vec::new();
        for page in pages {
            striped(config, u64::from(page.0) * unit, unit, &mut parts);
            for part in &parts {
                for lpa in part.offset / unit..=(part.offset + part.length - 1) / unit {
                    let seen: &mut Vec<bool> = &mut known[part.member];
                    if seen.len() <= lpa as usize {
                        seen.resize(lpa as usize + 1, false);
                    }
                    if !std::mem::replace(&mut seen[lpa as usize], true) {
                        of_member[part.member].push(Lpa(lpa as u32));
                    }
                }
            }
        }
        of_member
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a panic is the failure")]

    use super::*;
    use crate::run::described::described;
    use std::collections::BTreeSet;

    #[test]
    fn no_drive_of_an_array_is_one_of_another_seeds_array() {
        let config: ArrayConfig = serde_json::from_str(r#"{"members": 4, "layout": "striped"}"#).unwrap();
        let seeds = (1..=100).flat_map(|seed| {
            let setup = Setup { seed, ..described::<&str>(&[]).unwrap() };
            (0..4).map(|number| setup.member(&config, number).unwrap().seed).collect::<Vec<_>>()
        });
        assert_eq!(seeds.collect::<BTreeSet<_>>().len(), 400);
    }
}
