//! The final audit of checked mode: the whole map against the whole flash.

mod formula;
mod single_copy;

use super::Device;
use super::ftl::Ftl;
use crate::blocks::BlockState;
use crate::blocks::table::NOT_A_CANDIDATE;
use crate::stats::report::CheckedReport;
use wordline_base::ids::{DomainId, Lpa, Ppa, SuperblockId};

/// Pages between the one that is audited and the one whose tables are fetched.
const FETCHED_AHEAD: u32 = 32;

impl Ftl {
    /// Looks up a page whose audit comes soon, and brings what that needs towards the caches.
    #[inline]
    fn fetch_audited(&self, lpa: u32) -> Ppa {
        let ppa = if lpa < self.all_units() { self.lookup(Lpa(lpa)) } else { Ppa::NONE };
        if ppa.is_some() {
            self.oob.prefetch(ppa);
            if let Some(versions) = &self.versions {
                versions.prefetch_stored(ppa);
            }
        }
        ppa
    }

    fn audit_blocks(&self, valid: &[u32]) -> Result<(), String> {
        for (number, &counted) in valid.iter().enumerate() {
            let superblock = SuperblockId(number as u32);
            let kept = self.blocks.valid(superblock);
            if kept != counted {
                return Err(format!("{superblock:?} holds {counted} valid units, its count says {kept}"));
            }
            let state = self.blocks.state(superblock);
            if matches!(state, BlockState::Closing | BlockState::Erasing)
                || !self.blocks.has_no_program_under_way(superblock)
            {
                return Err(format!("{superblock:?} is {state:?} although the drive is at rest"));
            }
        }
        for domain in (0..self.domain.len() as u32).map(DomainId) {
            let state = &self.domain[domain.index()];
            let view = self.blocks.view(domain);
            let live: u32 = view.valid.iter().map(|valid| valid & !NOT_A_CANDIDATE).sum();
            let free = view.state.iter().filter(|&&state| state == BlockState::Free).count();
            if live != state.live || free != state.free.len() as usize {
                return Err(format!(
                    "{domain:?} holds {live} live units and {free} free blocks, its counts say {} and {}",
                    state.live,
                    state.free.len()
                ));
            }
            let idle =
                state.collector.in_flight == 0 && state.collector.reading == 0 && state.stalled.is_empty();
            // Paced collection pauses in the middle of a victim.
            let pauses = self.pace.is_some() && state.collector.victim.is_some();
            if !idle || state.collector.victims.len() > usize::from(pauses) {
                return Err(format!(
                    "{domain:?} still collects although the drive is at rest: {:?}",
                    state.collector
                ));
            }
        }
        Ok(())
    }
}

impl Device {
    /// Audits a drive at rest: each logical page's primary copy names it in its OOB, holds its newest version and lies
    /// in a programmed superblock; every count agrees; nothing is lost. Returns what was verified, or the first fault.
    pub fn audit(&self) -> Result<CheckedReport, String> {
        if let Some(fault) = &self.observers.fault {
            return Err(fault.clone());
        }
        self.audit_rest()?;
        let by_formula = self.audit_by_formula().map(|counted| (counted.mapped, counted.valid));
        let (mapped, mut valid) = match by_formula.or_else(|| self.audit_single_copies()) {
            Some(counted) => counted,
            None => self.audit_pages()?,
        };
        let copies_audited = self.audit_copies(&mut valid)?;
        if mapped != self.ftl.mapped_units {
            return Err(format!("{mapped} pages are mapped, {} should be", self.ftl.mapped_units));
        }
        self.ftl.audit_blocks(&valid)?;
        self.ftl.audit_bad_blocks()?;
        self.flash.audit_planes()?;
        self.audit_parity_pages()?;
        self.ftl.audit_parity(
            (0..self.ftl.all_units()).map(|lpa| self.ftl.lookup(Lpa(lpa))).filter(|ppa| ppa.is_some()),
        )?;
        self.ftl.audit_translation()?;
        Ok(CheckedReport {
            reads_verified: self.observers.reads_verified,
            pages_audited: u64::from(self.ftl.all_units()),
            copies_audited,
        })
    }

    /// Audits every logical page: counts how many of the host hold data, and what is valid in each superblock.
    fn audit_pages(&self) -> Result<(u64, Vec<u32>), String> {
        let mut coming = [Ppa::NONE; FETCHED_AHEAD as usize];
        for (slot, lpa) in coming.iter_mut().zip(0..) {
            *slot = self.ftl.fetch_audited(lpa);
        }
        let (mut mapped, mut valid) = (0, vec![0u32; self.ftl.blocks.len()]);
        for lpa in 0..self.ftl.all_units() {
            let slot = &mut coming[(lpa % FETCHED_AHEAD) as usize];
            let ppa = std::mem::replace(slot, self.ftl.fetch_audited(lpa.saturating_add(FETCHED_AHEAD)));
            if !ppa.is_some() {
                continue;
            }
            let (lpa, superblock) = (Lpa(lpa), self.ftl.blocks.of(&self.geometry, ppa));
            mapped += u64::from(lpa.0 < self.ftl.logical_units);
            self.audit_page(lpa, ppa, superblock)?;
            valid[superblock.index()] += 1;
        }
        Ok((mapped, valid))
    }

    /// What may be wrong with a page that holds data, one thing after the other.
    #[inline(never)]
    fn audit_page(&self, lpa: Lpa, ppa: Ppa, superblock: SuperblockId) -> Result<(), String> {
        let found = self.ftl.oob.lpa(ppa, &self.ftl.layout);
        if found != lpa {
            return Err(format!("{lpa:?} is mapped to {ppa:?}, whose OOB says {found:?}"));
        }
        if matches!(self.ftl.blocks.state(superblock), BlockState::Free | BlockState::Erasing) {
            return Err(format!("{lpa:?} is mapped to {ppa:?} in an erased block"));
        }
        if !self.holds_newest(lpa, ppa) {
            return Err(format!("{lpa:?} is mapped to {ppa:?}, which does not hold the version it should"));
        }
        if self.ftl.oob.is_copy(ppa) && !self.ftl.copies.is_promoted(lpa) {
            return Err(format!("{lpa:?} is mapped to {ppa:?}, whose OOB says that it is a further copy"));
        }
        Ok(())
    }

    /// Nothing is under way. What is holds places that no count of pages knows, so this comes before those.
    fn audit_rest(&self) -> Result<(), String> {
        if !self.ftl.plans.is_at_rest() {
            return Err("a plan is still under way although the drive is at rest".into());
        }
        let cache = &self.controller.cache.state;
        if !cache.is_at_rest() {
            return Err(format!(
                "the data cache is at work although the drive is at rest: {:?}",
                cache.promises
            ));
        }
        if self.flash.pool.is_empty() {
            Ok(())
        } else {
            Err(format!("{} operations are still in flight", self.flash.pool.len()))
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests {
    use super::*;
    use crate::host::{HostOp, HostRequest, RequestSource};
    use crate::run::Setup;
    use wordline_base::request::SourceError;
    use wordline_base::time::Ns;
    use wordline_config::run::{StartConfig, StartLayout};
    use wordline_config::{HostConfig, Layer, MeasureConfig, WindowConfig, resolve_run};

    /// A drive of one die in checked mode, overwritten twice or as it was laid out.
    fn drive(overwrite: f64) -> Device {
        drive_of(32, overwrite)
    }

    fn drive_of(blocks: u32, overwrite: f64) -> Device {
        drive_with(blocks, StartConfig { overwrite, ..StartConfig::default() }).1
    }

    fn drive_with(blocks: u32, start: StartConfig) -> (Setup, Device) {
        let text = include_str!("../../../../presets/devices/mqsim.toml");
        let keys = [
            ("device.geometry.channels", "1"),
            ("device.geometry.ways", "1"),
            ("device.geometry.dies", "1"),
            ("device.geometry.blocks", &blocks.to_string()),
            ("device.capacity.overprovisioning", "0.3"),
        ];
        let keys = keys.map(|(key, value)| (key.to_owned(), value.to_owned()));
        let layer = |text| Layer::from_toml("test", text).unwrap();
        let (device, scheme) = resolve_run(&layer(text), &layer(""), &keys).unwrap();
        let setup = Setup {
            device,
            scheme,
            host: HostConfig::default(),
            start,
            window: WindowConfig::default(),
            measure: MeasureConfig::default(),
            seed: 1,
            checked: true,
            pattern: None,
        };
        let device = setup.prepare(&[]).unwrap();
        (setup, device)
    }

    #[test]
    fn the_first_wrong_page_is_told_whoever_audits_it() {
        let mut drive = drive_of(4096, 0.0);
        let pages = drive.ftl.logical_units;
        assert!(pages > 1 << 20, "{pages}");
        assert!(drive.audit_single_copies() == drive.audit_pages().ok());
        assert_eq!(drive.audit().unwrap().pages_audited, u64::from(pages));
        for lpa in [pages - 1, pages / 2, (1 << 18) + 5, 3].map(Lpa) {
            drive.ftl.oob.set(drive.ftl.lookup(lpa), Lpa(lpa.0 + 1));
            assert!(drive.audit_single_copies().is_none());
            let fault = drive.audit().unwrap_err();
            assert!(fault.starts_with(&format!("{lpa:?} is mapped to")), "{fault}");
        }
    }

    /// What was never written is counted as a formula: of a drive of some million pages as few entries are asked one by one as
    /// were written, and the pages of memory that they lie in.
    #[test]
    fn what_was_never_written_is_not_asked_one_by_one() {
        for layout in [StartLayout::InOrder, StartLayout::Steady] {
            let (setup, mut drive) = drive_with(32_768, StartConfig { layout, ..StartConfig::default() });
            let pages = u64::from(drive.ftl.logical_units);
            assert!(pages > 10_000_000, "{pages}");
            assert_eq!(drive.audit_by_formula().unwrap().asked, 0);
            let mut requests = Writes { left: 500, pages };
            crate::run::replay(&setup, &mut drive, &mut requests, &mut crate::run::Unobserved).unwrap();
            let programmed = drive.flash_operations();
            let counted = drive.audit_by_formula().unwrap();
            assert!(
                counted.asked > 1_000 && counted.asked < 40 * programmed,
                "{} {programmed}",
                counted.asked
            );
            assert!(counted.asked < pages / 50, "{} of {pages}", counted.asked);
            assert!(Some((counted.mapped, counted.valid)) == drive.audit_single_copies());
            assert_eq!(drive.audit().unwrap().pages_audited, pages);
        }
    }

    /// Writes of one page each, anywhere.
    struct Writes {
        left: u64,
        pages: u64,
    }

    impl RequestSource for Writes {
        fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
            let bytes = 8192;
            for number in 0..std::mem::take(&mut self.left) {
                let offset = number * 7_919_777 % self.pages * bytes;
                batch.push(HostRequest {
                    time: Ns::ZERO,
                    op: HostOp::Write,
                    offset,
                    length: bytes,
                    flow: 0,
                    stream: 0,
                });
            }
            Ok(())
        }
    }

    type Change = fn(&mut Device, [Lpa; 2], [Ppa; 2]);

    /// What may happen to two pages, at these places; two thirds of it are wrong.
    const CHANGES: [Change; 9] = [
        |drive, [first, second], [here, there]| {
            drive.ftl.map.set(first, there);
            drive.ftl.map.set(second, here);
        },
        |drive, [first, second], [here, there]| {
            drive.ftl.oob.set(here, second);
            drive.ftl.oob.set(there, first);
        },
        |drive, [_, second], [here, _]| drive.ftl.map.set(second, here),
        |drive, [_, second], _| drive.ftl.map.clear(second),
        |drive, [first, second], [here, there]| {
            drive.ftl.map.set(first, there);
            drive.ftl.map.set(second, here);
            drive.ftl.oob.set(here, second);
            drive.ftl.oob.set(there, first);
        },
        |drive, [first, second], _| {
            if let Some(versions) = &mut drive.ftl.versions {
                versions.trim(first);
                versions.trim(second);
            }
        },
        |drive, [first, _], [here, _]| {
            if let Some(versions) = &mut drive.ftl.versions {
                versions.first(first, here);
            }
        },
        |drive, [first, _], [here, _]| {
            if let Some(versions) = &mut drive.ftl.versions {
                versions.write(first, here);
                versions.programmed(here);
            }
        },
        |drive, _, [here, there]| {
            if let Some(versions) = &mut drive.ftl.versions {
                versions.copy(here, there);
                versions.programmed(there);
            }
        },
    ];

    #[test]
    fn tables_that_are_summed_are_found_right_as_page_by_page() {
        let fresh = [drive(0.0), drive(2.0)];
        let (mut right, mut wrong, mut formula) = (0, 0, 0);
        for seed in 0..400_u32 {
            let mut drive = fresh[seed as usize % 2].fork().unwrap();
            let pages = drive.ftl.logical_units;
            let mut state = u64::from(seed) + 1;
            let mut below = |end: u32| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as u32 % end
            };
            // Near one another as well as anywhere.
            let (base, width) = if below(2) == 0 { (below(pages - 9), 9) } else { (0, pages) };
            for _ in 0..=below(4) {
                let lpas = [(); 2].map(|()| Lpa(base + below(width)));
                let ppas = lpas.map(|lpa| drive.ftl.lookup(lpa));
                if lpas[0] != lpas[1] && ppas.iter().all(|ppa| ppa.is_some()) {
                    CHANGES[below(CHANGES.len() as u32) as usize](&mut drive, lpas, ppas);
                }
            }
            let by_formula = drive.audit_by_formula().map(|counted| (counted.mapped, counted.valid));
            assert!(by_formula.is_none() || by_formula == drive.audit_pages().ok(), "{seed}");
            formula += u32::from(by_formula.is_some());
            match drive.audit_pages() {
                Ok(counted) => {
                    right += 1;
                    assert!(drive.audit_single_copies() == Some(counted), "{seed}");
                }
                Err(fault) => {
                    wrong += 1;
                    assert!(drive.audit_single_copies().is_none(), "{seed}: {fault}");
                }
            }
        }
        assert!(right > 50 && wrong > 100 && formula > 20, "{right} {wrong} {formula}");
    }

    #[test]
    fn mistakes_in_a_row_that_make_up_for_one_another_are_found() {
        let mut drive = drive(0.0);
        for (ppa, wrong_by) in (100..).map(Ppa).zip([1, u32::MAX - 1, 1]) {
            let lpa = drive.ftl.oob.lpa(ppa, &drive.ftl.layout);
            assert_eq!(drive.ftl.lookup(lpa), ppa);
            drive.ftl.oob.set(ppa, Lpa(lpa.0.wrapping_add(wrong_by)));
        }
        assert!(drive.audit_single_copies().is_none());
        assert!(drive.audit().unwrap_err().contains("whose OOB says"));
    }

    #[test]
    fn whatever_is_wrong_with_one_page_is_found() {
        type Forgery = (&'static str, fn(&mut Device, Lpa, Ppa));
        let forgeries: [Forgery; 4] = [
            ("whose OOB says", |drive, lpa, ppa| drive.ftl.oob.set(ppa, Lpa(lpa.0 + 1))),
            ("does not hold the version", |drive, lpa, _| {
                if let Some(versions) = &mut drive.ftl.versions {
                    versions.trim(lpa);
                }
            }),
            ("in an erased block", |drive, _, ppa| {
                let superblock = drive.ftl.blocks.of(&drive.geometry, ppa);
                drive.ftl.blocks.set_state(superblock, BlockState::Free);
            }),
            ("valid units, its count says", |drive, lpa, _| drive.ftl.map.clear(lpa)),
        ];
        for overwrite in [0.0, 2.0] {
            for place in [0, 1, FETCHED_AHEAD, 5000, drive(overwrite).ftl.logical_units - 1] {
                for (text, forge) in &forgeries {
                    let mut drive = drive(overwrite);
                    drive.audit().unwrap();
                    let lpa = Lpa(place);
                    let ppa = drive.ftl.lookup(lpa);
                    forge(&mut drive, lpa, ppa);
                    drive.ftl.mapped_units -= u64::from(!drive.ftl.lookup(lpa).is_some());
                    let fault = drive.audit().unwrap_err();
                    assert!(fault.contains(text), "{fault}");
                }
            }
        }
    }
}
