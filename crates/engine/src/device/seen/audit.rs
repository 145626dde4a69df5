//! The final audit of checked mode: the whole map against the whole flash.

use crate::device::Device;
use crate::stats::report::CheckedReport;

impl Device {
    /// Audits a drive at rest ([`wordline_ftl::work::audit`]): nothing is under way, in the data cache either, and the tables agree.
    /// Returns what was verified, or the first fault.
    pub fn audit(&self) -> Result<CheckedReport, String> {
        if let Some(fault) = &self.observers.fault {
            return Err(fault.clone());
        }
        self.audit_rest()?;
        let audited = wordline_ftl::work::audit(self)?;
        self.flash.audit_planes()?;
        Ok(CheckedReport {
            reads_verified: self.observers.reads_verified,
            pages_audited: audited.pages,
            copies_audited: audited.copies,
        })
    }

    /// Nothing is under way. What is holds places that no count of pages knows, so this comes before those.
    fn audit_rest(&self) -> Result<(), String> {
        self.controller.cache.audit_rest()?;
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
    use crate::blocks::BlockState;
    use crate::device::Device;
    use crate::host::{HostOp, HostRequest, RequestSource};
    use crate::run::Setup;
    use crate::run::described::described;
    use wordline_base::ids::{Lpa, Ppa};
    use wordline_base::request::SourceError;
    use wordline_base::time::Ns;
    use wordline_config::run::{StartConfig, StartLayout};
    use wordline_ftl::work::{audit_by_formula, audit_pages, audit_single_copies};

    /// A drive of one die in checked mode, overwritten twice or as it was laid out.
    fn drive(overwrite: f64) -> Device {
        drive_of(32, overwrite)
    }

    fn drive_of(blocks: u32, overwrite: f64) -> Device {
        drive_with(blocks, StartConfig { overwrite, ..StartConfig::default() }).1
    }

    fn drive_with(blocks: u32, start: StartConfig) -> (Setup, Device) {
        let setup = described(&[
            ("device.geometry.channels", "1"),
            ("device.geometry.ways", "1"),
            ("device.geometry.dies", "1"),
            ("device.geometry.blocks", &blocks.to_string()),
            ("device.capacity.overprovisioning", "0.3"),
        ]);
        let setup = Setup { start, ..setup.unwrap() };
        let device = setup.prepare(&[]).unwrap();
        (setup, device)
    }

    #[test]
    fn the_first_wrong_page_is_told_whoever_audits_it() {
        let mut drive = drive_of(4096, 0.0);
        let pages = drive.ftl.logical_units();
        assert!(pages > 1 << 20, "{pages}");
        assert!(audit_single_copies(&drive) == audit_pages(&drive).ok());
        assert_eq!(drive.audit().unwrap().pages_audited, u64::from(pages));
        for lpa in [pages - 1, pages / 2, (1 << 18) + 5, 3].map(Lpa) {
            let ppa = drive.ftl.lookup(lpa);
            drive.ftl.forge_oob().set(ppa, Lpa(lpa.0 + 1));
            assert!(audit_single_copies(&drive).is_none());
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
            let pages = u64::from(drive.ftl.logical_units());
            assert!(pages > 10_000_000, "{pages}");
            assert_eq!(audit_by_formula(&drive).unwrap().asked, 0);
            let mut requests = Writes { left: 500, pages };
            crate::run::replay(&setup, &mut drive, &mut requests, &mut crate::run::Unobserved).unwrap();
            let programmed = drive.flash_operations();
            let counted = audit_by_formula(&drive).unwrap();
            assert!(
                counted.asked > 1_000 && counted.asked < 40 * programmed,
                "{} {programmed}",
                counted.asked
            );
            assert!(counted.asked < pages / 50, "{} of {pages}", counted.asked);
            assert!(Some((counted.mapped, counted.valid)) == audit_single_copies(&drive));
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
            drive.ftl.forge_map().set(first, there);
            drive.ftl.forge_map().set(second, here);
        },
        |drive, [first, second], [here, there]| {
            drive.ftl.forge_oob().set(here, second);
            drive.ftl.forge_oob().set(there, first);
        },
        |drive, [_, second], [here, _]| drive.ftl.forge_map().set(second, here),
        |drive, [_, second], _| drive.ftl.forge_map().clear(second),
        |drive, [first, second], [here, there]| {
            drive.ftl.forge_map().set(first, there);
            drive.ftl.forge_map().set(second, here);
            drive.ftl.forge_oob().set(here, second);
            drive.ftl.forge_oob().set(there, first);
        },
        |drive, [first, second], _| {
            if let Some(numbers) = drive.ftl.forge_versions() {
                numbers.versions.change(first);
                numbers.versions.change(second);
            }
        },
        |drive, [first, _], [here, _]| {
            if let Some(mut numbers) = drive.ftl.forge_versions() {
                numbers.first(first, here);
            }
        },
        |drive, [first, _], [here, _]| {
            if let Some(mut numbers) = drive.ftl.forge_versions() {
                numbers.write(first, here);
                numbers.programmed(here);
            }
        },
        |drive, _, [here, there]| {
            if let Some(mut numbers) = drive.ftl.forge_versions() {
                numbers.copy(here, there);
                numbers.programmed(there);
            }
        },
    ];

    #[test]
    fn tables_that_are_summed_are_found_right_as_page_by_page() {
        let fresh = [drive(0.0), drive(2.0)];
        let (mut right, mut wrong, mut formula) = (0, 0, 0);
        for seed in 0..400_u32 {
            let mut drive = fresh[seed as usize % 2].fork().unwrap();
            let pages = drive.ftl.logical_units();
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
            let by_formula = audit_by_formula(&drive).map(|counted| (counted.mapped, counted.valid));
            assert!(by_formula.is_none() || by_formula == audit_pages(&drive).ok(), "{seed}");
            formula += u32::from(by_formula.is_some());
            match audit_pages(&drive) {
                Ok(counted) => {
                    right += 1;
                    assert!(audit_single_copies(&drive) == Some(counted), "{seed}");
                }
                Err(fault) => {
                    wrong += 1;
                    assert!(audit_single_copies(&drive).is_none(), "{seed}: {fault}");
                }
            }
        }
        assert!(right > 50 && wrong > 100 && formula > 20, "{right} {wrong} {formula}");
    }

    #[test]
    fn mistakes_in_a_row_that_make_up_for_one_another_are_found() {
        let mut drive = drive(0.0);
        for (ppa, wrong_by) in (100..).map(Ppa).zip([1, u32::MAX - 1, 1]) {
            let lpa = drive.ftl.oob().lpa(ppa, drive.ftl.layout());
            assert_eq!(drive.ftl.lookup(lpa), ppa);
            drive.ftl.forge_oob().set(ppa, Lpa(lpa.0.wrapping_add(wrong_by)));
        }
        assert!(audit_single_copies(&drive).is_none());
        assert!(drive.audit().unwrap_err().contains("whose OOB says"));
    }

    #[test]
    fn whatever_is_wrong_with_one_page_is_found() {
        type Forgery = (&'static str, fn(&mut Device, Lpa, Ppa));
        let forgeries: [Forgery; 4] = [
            ("whose OOB says", |drive, lpa, ppa| drive.ftl.forge_oob().set(ppa, Lpa(lpa.0 + 1))),
            ("does not hold the version", |drive, lpa, _| {
                if let Some(numbers) = drive.ftl.forge_versions() {
                    numbers.versions.change(lpa);
                }
            }),
            ("in an erased block", |drive, _, ppa| {
                let superblock = drive.ftl.blocks().of(&drive.geometry, ppa);
                drive.ftl.forge_blocks().set_state(superblock, BlockState::Free);
            }),
            ("valid units, its count says", |drive, lpa, _| drive.ftl.forge_map().clear(lpa)),
        ];
        for overwrite in [0.0, 2.0] {
            for place in [0, 1, 32, 5000, drive(overwrite).ftl.logical_units() - 1] {
                for (text, forge) in &forgeries {
                    let mut drive = drive(overwrite);
                    drive.audit().unwrap();
                    let lpa = Lpa(place);
                    let ppa = drive.ftl.lookup(lpa);
                    forge(&mut drive, lpa, ppa);
                    *drive.ftl.forge_mapped_units() -= u64::from(!drive.ftl.lookup(lpa).is_some());
                    let fault = drive.audit().unwrap_err();
                    assert!(fault.contains(text), "{fault}");
                }
            }
        }
    }
}
