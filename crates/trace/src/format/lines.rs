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
use super::plain::{is_header, is_untyped, layout, plain};
use super::quick::Quick;
use super::stateful::Stateful;
use super::{Form, Phrase, Row, Rules, plausible};

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

    /// Whether the time in a line is written with a point in it, where names or a description say which column it is.
    pub(super) fn time_has_point(&self, line: &[u8]) -> bool {
        match &self.state {
            State::Csv(csv) => csv.time_has_point(line),
            _ => false,
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
