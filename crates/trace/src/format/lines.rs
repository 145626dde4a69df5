//! Lines as requests, for every form that is text.

use crate::config::ColumnsConfig;

use super::biosnoop::Biosnoop;
use super::blkparse::Blkparse;
use super::columns::Places;
use super::csv::Csv;
use super::etw::Etw;
use super::fio_iolog::FioIolog;
use super::fiu::Fiu;
use super::ftrace::Ftrace;
use super::given::Given;
use super::header::{has_no_number, is_comment};
use super::left_out::LeftOut;
use super::quick::{Layout, Quick};
use super::stateful::Stateful;
use super::{Expected, Form, Phrase, Row, Rules, plausible};
use super::{
    alibaba, biosnoop, biotracer, diskmon, disksim, libcachesim, mqsim, msr, replayed, replayer, spc, ssdsim,
    systor, tencent, wordline,
};

/// Reads the lines of one file, from the first to the last.
pub(crate) struct LineParser {
    rules: Rules,
    /// For most lines, where the form has them plain.
    pub(super) quick: Option<Quick>,
    state: State,
    /// Whether a line was read.
    begun: bool,
    /// Whether the first line may hold names that the form doesn't know.
    headed: bool,
    /// Lines without a type.
    untyped: u64,
}

/// What is remembered from line to line.
enum State {
    Nothing,
    Stateful(Box<dyn Stateful>),
    Csv(Box<Csv>),
}

impl LineParser {
    pub(crate) fn new(rules: Rules, columns: &ColumnsConfig, given: Given) -> Self {
        let state = match rules.form {
            Form::Columns => State::Csv(Box::new(Csv::new(columns.clone(), given))),
            form => stateful(form).map_or(State::Nothing, State::Stateful),
        };
        let quick = layout(rules.form).map(|layout| Quick::new(&layout, &rules));
        Self { rules, quick, state, begun: false, headed: false, untyped: 0 }
    }

    /// The same for a file whose first line holds names, none of which says anything else than the form does.
    pub(crate) fn headed(self, headed: bool) -> Self {
        Self { headed, ..self }
    }

    /// The same once it has looked at the first lines.
    pub(crate) fn looked_ahead(mut self, head: &[u8]) -> Self {
        if let State::Stateful(form) = &mut self.state {
            form.look_ahead(head);
        }
        self
    }

    /// The form that is read.
    pub(crate) fn form(&self) -> Form {
        self.rules.form
    }

    /// What was assumed since it was asked last.
    pub(crate) fn take_assumption(&mut self) -> Option<String> {
        match &mut self.state {
            State::Csv(csv) => csv.take_assumption(),
            _ => None,
        }
    }

    /// What was passed over since it was asked last.
    pub(crate) fn take_left_out(&mut self) -> LeftOut {
        match &mut self.state {
            State::Stateful(form) => form.take_left_out(),
            State::Csv(csv) => csv.take_left_out(),
            State::Nothing => LeftOut { untyped: std::mem::take(&mut self.untyped), ..LeftOut::default() },
        }
    }

    /// Names of devices that were numbered since it was asked last, the first few.
    pub(crate) fn take_devices(&mut self) -> Vec<String> {
        match &mut self.state {
            State::Stateful(form) => form.take_devices(),
            State::Csv(csv) => csv.take_devices(),
            State::Nothing => Vec::new(),
        }
    }

    /// What the names of columns told.
    pub(super) fn told(&self) -> Option<&Places> {
        match &self.state {
            State::Csv(csv) => csv.told(),
            _ => None,
        }
    }

    /// Reads the request in the first line of `text` into `row`. Returns the line's length with its end; `None` when it
    /// takes a closer look, by [`Self::parse`].
    #[inline]
    pub(crate) fn read_quickly(&mut self, text: &[u8], row: &mut Row) -> Option<usize> {
        let length = self.quick.as_ref()?.read(text, row)?;
        self.begun = true;
        Some(length)
    }

    /// The request that a line holds; `None` where it holds none: a header, an event that isn't wanted, a remark.
    pub(crate) fn parse(&mut self, line: &[u8]) -> Result<Option<Row>, Phrase> {
        if is_comment(line) {
            if let State::Csv(csv) = &mut self.state {
                csv.remark(line);
            }
            return Ok(None);
        }
        let first = !std::mem::replace(&mut self.begun, true);
        let rules = &self.rules;
        let row = match &mut self.state {
            State::Nothing => {
                return match plain(rules, line) {
                    Ok(row) => Ok(Some(row)),
                    Err(_)
                        if first && (is_header(rules.form, line) || self.headed && has_no_number(line)) =>
                    {
                        Ok(None)
                    }
                    Err(_) if is_untyped(rules.form, line) => {
                        self.untyped += 1;
                        Ok(None)
                    }
                    Err(expected) => Err(expected.into()),
                };
            }
            State::Stateful(form) => form.parse(line, rules)?,
            State::Csv(csv) => {
                let row = csv.parse(line, rules)?;
                self.quick = csv.take_quick().or(self.quick.take());
                row
            }
        };
        Ok(row.map(plausible).transpose()?)
    }
}

/// The reader of a form that is remembered from line to line.
pub(super) fn stateful(form: Form) -> Option<Box<dyn Stateful>> {
    Some(match form {
        Form::Blkparse => Box::<Blkparse>::default(),
        Form::FioIolog => Box::<FioIolog>::default(),
        Form::Ftrace => Box::<Ftrace>::default(),
        Form::Biosnoop => Box::<Biosnoop>::default(),
        Form::Etw => Box::<Etw>::default(),
        Form::Fiu => Box::<Fiu>::default(),
        _ => return None,
    })
}

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
fn is_untyped(form: Form, line: &[u8]) -> bool {
    form == Form::Systor && systor::is_untyped(line)
}
