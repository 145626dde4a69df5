//! Requests of several sources, mixed in given proportions.

use wordline_base::request::{HostRequest, RequestSource, SourceError};

use crate::one_by_one::OneByOne;

/// Requests that are given at once.
const BATCH: usize = 1024;

/// One of the sources.
struct Strand {
    source: OneByOne,
    share: f64,
    /// Of all its requests.
    stream: u16,
    given: u64,
}

impl Strand {
    /// When its next request is due: with a share of a half each second one is its own.
    fn due(&self) -> f64 {
        (self.given as f64 + 0.5) / self.share
    }

    fn next(&mut self) -> Result<Option<HostRequest>, SourceError> {
        let request = self.source.next()?.map(|request| HostRequest { stream: self.stream, ..request });
        self.given += 1;
        Ok(request)
    }
}

/// Sources whose requests come by turns, each as often as its share says, as long as it has any.
pub(crate) struct Interleaved {
    strands: Vec<Strand>,
}

impl Interleaved {
    /// Sources with their shares and streams; one without a share gives nothing.
    pub(crate) fn new(sources: impl Iterator<Item = (Box<dyn RequestSource + Send>, f64, u16)>) -> Self {
        let strand =
            |(source, share, stream)| Strand { source: OneByOne::new(source), share, stream, given: 0 };
        Self { strands: sources.filter(|(_, share, _)| *share > 0.0).map(strand).collect() }
    }
}

impl RequestSource for Interleaved {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        let enough = batch.len() + BATCH;
        while batch.len() < enough {
            let due = self.strands.iter_mut().enumerate();
            let Some((number, first)) = due.min_by(|(_, one), (_, other)| one.due().total_cmp(&other.due()))
            else {
                break;
            };
            match first.next()? {
                Some(request) => batch.push(request),
                None => drop(self.strands.remove(number)),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests {
    use super::*;
    use wordline_base::request::HostOp;
    use wordline_base::time::Ns;

    struct Numbered(u64, u64);

    impl RequestSource for Numbered {
        fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
            let offset = self.0;
            let (op, length, flow, stream) = (HostOp::Write, 1, 0, 0);
            batch.extend((0..self.1.min(3)).map(|_| HostRequest {
                time: Ns::ZERO,
                op,
                offset,
                length,
                flow,
                stream,
            }));
            self.1 -= self.1.min(3);
            Ok(())
        }
    }

    #[test]
    fn each_comes_as_often_as_its_share_and_the_others_go_on_alone() {
        let sources: [(Box<dyn RequestSource + Send>, f64, u16); 3] = [
            (Box::new(Numbered(0, 300)), 0.6, 5),
            (Box::new(Numbered(1, 300)), 0.3, 0),
            (Box::new(Numbered(2, 10)), 0.1, 0),
        ];
        let mut mixed = Interleaved::new(sources.into_iter());
        let mut all = Vec::new();
        mixed.next_batch(&mut all).unwrap();
        assert_eq!(all.len(), 610);
        assert!(all.iter().all(|one| (one.stream == 5) == (one.offset == 0)), "each has its stream");
        let count =
            |from: usize, to: usize, which| all[from..to].iter().filter(|one| one.offset == which).count();
        assert_eq!([0, 1, 2].map(|which| count(0, 100, which)), [60, 30, 10]);
        assert_eq!(count(200, 290, 0), 60, "two of three, without the third");
    }
}
