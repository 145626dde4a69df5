//! Leaves requests out by what they do, by device and by range.

use wordline_base::request::{HostOp, HostRequest, RequestSource, SourceError};

use super::Boxed;
use crate::config::OpName;

/// Conditions, all of which must fit.
#[derive(Clone, Debug, Default)]
pub(super) struct Conditions {
    /// Any when empty.
    pub ops: Vec<OpName>,
    /// Any when empty.
    pub devices: Vec<u16>,
    /// First byte of a range that a request must touch, and the first behind it.
    pub range: Option<(u64, u64)>,
}

impl Conditions {
    fn fit(&self, request: &HostRequest) -> bool {
        (self.ops.is_empty() || self.ops.iter().any(|op| op.is(request.op)))
            && (self.devices.is_empty() || self.devices.contains(&request.flow))
            && self.range.is_none_or(|(from, to)| {
                request.op != HostOp::Flush
                    && request.offset < to
                    && request.offset.saturating_add(request.length) > from
            })
    }
}

/// The requests of a source that fit.
pub(super) struct Filter {
    pub(super) source: Boxed,
    pub(super) conditions: Conditions,
}

impl RequestSource for Filter {
    fn next_batch(&mut self, batch: &mut Vec<HostRequest>) -> Result<(), SourceError> {
        let conditions = &self.conditions;
        super::next_kept(&mut self.source, batch, |request| conditions.fit(request))
    }
}

#[cfg(test)]
mod tests {
    use super::super::support::{Given, drain, request};
    use super::*;

    fn kept(conditions: Conditions) -> Vec<u64> {
        let requests = vec![
            request(0, HostOp::Read, 0, 4096, 0),
            request(1, HostOp::Write, 4096, 4096, 0),
            request(2, HostOp::WriteFua, 8192, 4096, 1),
            request(3, HostOp::Trim, 0, 1 << 20, 1),
            request(4, HostOp::Flush, 0, 0, 2),
        ];
        let source = Box::new(Filter { source: Box::new(Given(requests)), conditions });
        drain(source).unwrap().iter().map(|request| request.time.0).collect()
    }

    #[test]
    fn each_condition_and_all_together_select_requests() {
        assert_eq!(kept(Conditions::default()), [0, 1, 2, 3, 4]);
        let writes = Conditions { ops: vec![OpName::Write], ..Conditions::default() };
        assert_eq!(kept(writes.clone()), [1, 2]);
        assert_eq!(kept(Conditions { devices: vec![1, 2], ..Conditions::default() }), [2, 3, 4]);
        assert_eq!(kept(Conditions { range: Some((4096, 8192)), ..Conditions::default() }), [1, 3]);
        assert_eq!(kept(Conditions { devices: vec![0], ..writes }), [1]);
    }
}
