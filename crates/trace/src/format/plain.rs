//! Forms whose lines stand for themselves: one place that knows them all.

use super::quick::Layout;
use super::{Expected, Form, Row, Rules, plausible};
use super::{
    alibaba, biosnoop, biotracer, diskmon, disksim, libcachesim, mqsim, msr, replayed, replayer, spc, ssdsim,
    systor, tencent, wordline,
};

/// Another form than `form` of which this is a line.
pub(crate) fn other_form(line: &[u8], form: Form) -> Option<Form> {
    let fits = |other: &Form| *other != form && plain(&Rules::of(*other), line).is_ok();
    Form::PLAIN.into_iter().find(fits)
}

/// Reads one line of a form whose lines stand for themselves. No number in it is too large for the caller's sums.
#[inline]
pub(super) fn plain(rules: &Rules, line: &[u8]) -> Result<Row, Expected> {
    let row = match rules.form {
        Form::Msr => msr::parse(line, rules),
        Form::Mqsim => mqsim::parse(line, rules),
        Form::Ssdsim => ssdsim::parse(line, rules),
        Form::Disksim => disksim::parse(line, rules),
        Form::Replayer => replayer::parse(line, rules),
        Form::Wordline => wordline::parse(line, rules),
        Form::Spc => spc::parse(line, rules),
        Form::Systor => systor::parse(line, rules),
        Form::Alibaba => alibaba::parse(line, rules),
        Form::Tencent => tencent::parse(line, rules),
        Form::Diskmon => diskmon::parse(line, rules),
        Form::Biotracer => biotracer::parse(line, rules),
        Form::Libcachesim => libcachesim::parse(line, rules),
        Form::Replayed => replayed::parse(line, rules),
        _ => Err("a line of another form"),
    }?;
    plausible(row)
}

/// How the lines of a form look, where they are columns and stand for themselves.
pub(super) fn layout(form: Form) -> Option<Layout<'static>> {
    Some(match form {
        Form::Msr => msr::LAYOUT,
        Form::Mqsim | Form::Ssdsim => mqsim::LAYOUT,
        Form::Disksim => disksim::LAYOUT,
        Form::Replayer => replayer::LAYOUT,
        Form::Wordline => wordline::LAYOUT,
        Form::Spc => spc::LAYOUT,
        Form::Systor => systor::LAYOUT,
        Form::Alibaba => alibaba::LAYOUT,
        Form::Tencent => tencent::LAYOUT,
        Form::Diskmon => diskmon::LAYOUT,
        Form::Libcachesim => libcachesim::LAYOUT,
        _ => return None,
    })
}

/// Whether this first line is the form's header.
pub(super) fn is_header(form: Form, line: &[u8]) -> bool {
    match form {
        Form::Msr => msr::is_header(line),
        Form::Wordline => wordline::is_header(line),
        Form::Systor => systor::is_header(line),
        Form::Alibaba => alibaba::is_header(line),
        Form::Tencent => tencent::is_header(line),
        Form::Libcachesim => libcachesim::is_header(line),
        Form::Biosnoop => biosnoop::is_header(line),
        _ => false,
    }
}

/// Whether a line is whole, but of neither a read nor a write.
pub(super) fn is_untyped(form: Form, line: &[u8]) -> bool {
    form == Form::Systor && systor::is_untyped(line)
}
