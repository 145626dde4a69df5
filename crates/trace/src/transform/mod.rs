//! Steps between a trace and the drive, one file each. Every step is a source of requests around the one before it, in
//! constant memory (but for the map of [`Addresses`], which grows with the regions that are touched).

mod addresses;
mod join;
mod left;
mod merge;
mod plan;
mod repeat;
mod slice;
mod split;
mod subtract;
mod time;

pub(crate) use plan::open_transformed;
pub(crate) use repeat::Repeat;

use wordline_base::request::{HostRequest, RequestSource, SourceError};

/// A source in a chain of steps.
pub(crate) type Boxed = Box<dyn RequestSource + Send>;

/// Takes batches of `source` until `keep` has left some requests of one; then those are at the end of `batch`.
fn next_kept(
    source: &mut Boxed,
    batch: &mut Vec<HostRequest>,
    mut keep: impl FnMut(&mut HostRequest) -> bool,
) -> Result<(), SourceError> {
    let start = batch.len();
    loop {
        let before = batch.len();
        source.next_batch(batch)?;
        if batch.len() == before {
            return Ok(());
        }
        let mut kept = before;
        for index in before..batch.len() {
            if let Some(request) = batch.get_mut(index)
                && keep(request)
            {
                batch.swap(kept, index);
                kept += 1;
            }
        }
        batch.truncate(kept);
        if batch.len() > start {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod support {
    use super::*;
    use wordline_base::request::HostOp;
    use wordline_base::time::Ns;

    /// Requests of `(time, op, offset, length, flow)`, given out two at a time.
    pub struct Given(pub Vec<HostRequest>);

    pub fn request(time: u64, op: HostOp, offset: u64, length: u64, flow: u16) -> HostRequest {
        HostRequest { time: Ns(time), op, offset, length, flow, stream: flow }
    }

    /// Reads of 512 bytes at these times, at offsets 0, 512 and so on.
    pub fn reads(times: &[u64]) -> Boxed {
        let requests =
            (0..).zip(times).map(|(index, time)| request(*time, HostOp::Read, index * 512, 512, 0));
        Box::new(Given(requests.collect()))
    }

    impl RequestSource for Given {
        fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
            let count = self.0.len().min(2);
            batch.extend(self.0.drain(..count));
            Ok(())
        }
    }

    pub fn drain(mut source: Boxed) -> Result<Vec<HostRequest>, SourceError> {
        let mut all = Vec::new();
        loop {
            let before = all.len();
            source.next_batch(&mut all)?;
            if all.len() == before {
                return Ok(all);
            }
        }
    }

    pub fn times(source: Boxed) -> Vec<u64> {
        drain(source).unwrap().iter().map(|request| request.time.0).collect()
    }
}
