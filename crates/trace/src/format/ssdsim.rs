//! SSDsim ASCII: `time_ns device first_sector sectors operation`, operation 1 = read, 0 = write. The columns are
//! the same as MQSim's.

use super::{Expected, Row, Rules, mqsim};

pub(super) fn parse(line: &[u8], rules: &Rules) -> Result<Row, Expected> {
    mqsim::parse(line, rules)
}

#[cfg(test)]
mod tests {
    use super::super::Form;
    use super::super::plain::plain;
    use super::*;
    use wordline_base::request::HostOp;

    const RULES: Rules = Rules::of(Form::Ssdsim);

    #[test]
    fn operation_1_reads_and_0_writes() {
        let row = Row {
            time: 26_214_000,
            op: HostOp::Write,
            offset: 303_574 * 512,
            length: 7 * 512,
            device: 1,
            ..Row::EMPTY
        };
        assert_eq!(plain(&RULES, b"26214000 1 303574 7 0"), Ok(row));
        assert_eq!(plain(&RULES, b"26214000 1 303574 7 1"), Ok(Row { op: HostOp::Read, ..row }));
        assert!(plain(&RULES, b"26214000 1 303574 7 R").is_err());
    }
}
