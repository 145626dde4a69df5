//! Lines of bare numbers and words, cut and read in one pass over their bytes, eight at a time. A line that is anything
//! else (blanks around fields, quotes, numbers of more than 19 digits, all that is wrong) is left to the form's own
//! parser, which alone says what was expected: a row from here is the row that it gives.

use wordline_base::request::HostOp;

use super::digits::{ONES, POWERS, leading_digits, of_digits};
use super::{Latency, Row, Rules, fault};

/// Zero bytes that must stand behind the text, so that eight can be looked at from any byte of a line.
pub(crate) const PAD: usize = 8;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Time,
    Op,
    Offset,
    Length,
    Device,
    /// A measured response time.
    Latency,
    /// A number that doesn't matter.
    Number,
    /// Anything.
    Any,
}

/// What the lines of a form look like.
#[derive(Clone, Copy)]
pub(super) struct Layout<'a> {
    pub columns: &'a [Column],
    /// Columns that each line has; those behind may be left out.
    pub needed: usize,
    /// Whether still more may follow, which don't matter.
    pub more: bool,
    /// What is between two columns: a blank stands for any number of blanks and tabs.
    pub separator: u8,
    /// The form's own reading of its operations.
    pub op: fn(&[u8], &Rules) -> Option<HostOp>,
}

/// Operations as forms write them, the usual ones first. At most seven letters.
const WORDS: [&[u8]; 24] = [
    b"R", b"W", b"Read", b"Write", b"0", b"1", b"r", b"w", b"read", b"write", b"WF", b"T", b"F", b"READ",
    b"WRITE", b"t", b"f", b"trim", b"flush", b"discard", b"WS", b"RA", b"RS", b"D",
];

/// The reader of a layout.
pub(super) struct Quick {
    columns: Box<[Column]>,
    /// Columns at the end that may be left out.
    optional: usize,
    more: bool,
    /// Whether the first column may be any text, and so look like a remark.
    may_be_remark: bool,
    separator: u8,
    /// The words that the form knows, each in the lowest bytes of a number.
    words: Box<[(u64, HostOp)]>,
    /// Of times.
    decimals: Decimals,
    /// The same of response times; `None` where they don't matter.
    latency: Option<Decimals>,
    rules: Rules,
}

/// Of a time with decimals: ns of its unit, and of the last decimal.
struct Decimals {
    unit_ns: u64,
    /// By the number of decimals; 0 where that is no whole number.
    of: [u64; POWERS.len()],
}

impl Decimals {
    fn new(unit_ns: u64) -> Self {
        let whole = |scale: u64| if unit_ns.is_multiple_of(scale) { unit_ns / scale } else { 0 };
        Self { unit_ns, of: POWERS.map(whole) }
    }

    #[inline]
    fn read(&self, cursor: &mut Cursor<'_>) -> Option<u128> {
        let whole = u128::from(cursor.number()?) * u128::from(self.unit_ns);
        if cursor.rest.first() != Some(&b'.') {
            return Some(whole);
        }
        cursor.advance(1)?;
        let (fraction, count) = cursor.digits()?;
        match self.of.get(count) {
            None | Some(0) => None,
            Some(ns) => Some(whole + u128::from(fraction * ns)),
        }
    }
}

impl Quick {
    pub(super) fn new(layout: &Layout<'_>, rules: &Rules) -> Self {
        let known = |word: &&[u8]| (layout.op)(word, rules).map(|op| (word_of(word), op));
        Self {
            columns: layout.columns.into(),
            optional: layout.columns.len().saturating_sub(layout.needed),
            more: layout.more,
            may_be_remark: layout.columns.first() == Some(&Column::Any),
            separator: layout.separator,
            words: WORDS.iter().filter_map(known).collect(),
            decimals: Decimals::new(rules.unit_ns),
            latency: rules.latency_ns.map(Decimals::new),
            rules: *rules,
        }
    }

    /// Reads the request in the first line of `text` into `row`: moving it would take as long as reading it. Returns the
    /// line's length with its end; `None` when the line isn't plain, not whole, or wrong, and then `row` means nothing.
    #[inline]
    pub(super) fn read(&self, text: &[u8], row: &mut Row) -> Option<usize> {
        *row = Row::EMPTY;
        if self.may_be_remark && text.first() == Some(&b'#') {
            return None;
        }
        let mut cursor = Cursor { rest: text };
        let mut columns = self.columns.iter();
        loop {
            let Some(column) = columns.next() else {
                cursor = self.more.then_some(cursor)?.at_end()?;
                break;
            };
            match column {
                Column::Time => row.time = self.decimals.read(&mut cursor)?,
                Column::Op => row.op = self.op(&mut cursor)?,
                Column::Offset => row.offset = cursor.number()?.checked_mul(self.rules.offset_unit)?,
                Column::Length => row.length = cursor.number()?.checked_mul(self.rules.length_unit)?,
                Column::Device => row.device = u16::try_from(cursor.number()?).ok()?,
                Column::Latency => match &self.latency {
                    Some(latency) => row.latency = Latency::of(latency.read(&mut cursor)?),
                    None => cursor.pass_field(self.separator)?,
                },
                Column::Number => drop(cursor.number()?),
                Column::Any => cursor.pass_field(self.separator)?,
            }
            if !cursor.pass_separator(self.separator)? {
                if columns.len() > self.optional {
                    return None;
                }
                break;
            }
        }
        let ([b'\n', behind @ ..] | [b'\r', b'\n', behind @ ..]) = cursor.rest else { return None };
        if row.op == HostOp::Flush {
            (row.offset, row.length) = (0, 0);
        }
        fault(row).is_none().then_some(text.len() - behind.len())
    }

    #[inline]
    fn op(&self, cursor: &mut Cursor<'_>) -> Option<HostOp> {
        let text = cursor.eight()?;
        let length = field_length(text, self.separator);
        let word = text & !u64::MAX.checked_shl(8 * length as u32)?;
        cursor.advance(length)?;
        self.words.iter().find(|(known, _)| *known == word).map(|(_, op)| *op)
    }
}

/// What is left of the text.
struct Cursor<'a> {
    rest: &'a [u8],
}

impl Cursor<'_> {
    #[inline]
    fn eight(&self) -> Option<u64> {
        self.rest.first_chunk().map(|eight| u64::from_le_bytes(*eight))
    }

    #[inline]
    fn advance(&mut self, bytes: usize) -> Option<()> {
        self.rest = self.rest.get(bytes..)?;
        Some(())
    }

    /// A number of 1 to 19 digits.
    #[inline]
    fn number(&mut self) -> Option<u64> {
        self.digits().map(|(number, _)| number)
    }

    /// The same with the number of its digits.
    #[inline(always)]
    fn digits(&mut self) -> Option<(u64, usize)> {
        let text = self.eight()?;
        let found = match leading_digits(text) {
            0 => return None,
            8 => long_number(self.rest)?,
            count => (of_digits(text, count), count),
        };
        self.advance(found.1)?;
        Some(found)
    }

    #[inline]
    fn pass_field(&mut self, separator: u8) -> Option<()> {
        loop {
            let length = field_length(self.eight()?, separator);
            self.advance(length)?;
            if length < 8 {
                return Some(());
            }
        }
    }

    /// Whether there is a separator, which is passed over.
    #[inline]
    fn pass_separator(&mut self, separator: u8) -> Option<bool> {
        let next = *self.rest.first()?;
        if next != separator && !(separator == b' ' && next == b'\t') {
            return Some(false);
        }
        self.advance(1)?;
        if separator == b' ' {
            while let Some(b' ' | b'\t') = self.rest.first() {
                self.advance(1)?;
            }
        }
        Some(true)
    }

    /// The same at the line's end.
    fn at_end(self) -> Option<Self> {
        let end = memchr::memchr(b'\n', self.rest)?;
        self.rest.get(end..).map(|rest| Self { rest })
    }
}

/// A number of 8 to 19 digits, and how many they are. Takes the text as a value, so that where the cursor stands is never
/// put down in memory.
#[inline(never)]
fn long_number(text: &[u8]) -> Option<(u64, usize)> {
    let eight_from = |start: usize| Some(u64::from_le_bytes(*text.get(start..)?.first_chunk()?));
    let joined = |number: u64, text: u64, count: usize| {
        Some(number * POWERS.get(count)? + if count > 0 { of_digits(text, count) } else { 0 })
    };
    let (first, second) = (of_digits(eight_from(0)?, 8), eight_from(8)?);
    let count = leading_digits(second);
    let number = joined(first, second, count)?;
    if count < 8 {
        return Some((number, 8 + count));
    }
    let third = eight_from(16)?;
    match leading_digits(third) {
        count @ 0..=3 => Some((joined(number, third, count)?, 16 + count)),
        _ => None,
    }
}

/// A word of at most seven letters as a number, the first in the lowest byte.
fn word_of(word: &[u8]) -> u64 {
    word.iter().rev().fold(0, |number, letter| number << 8 | u64::from(*letter))
}

/// How many of eight bytes are before the first separator, quote, blank or control character.
#[inline]
fn field_length(text: u64, separator: u8) -> usize {
    let ends =
        zeros(text ^ (ONES * u64::from(separator))) | zeros(text ^ (ONES * u64::from(b'"'))) | below_33(text);
    (ends.trailing_zeros() / 8) as usize
}

/// The highest bit of each byte that is 0, up to the first such; those behind may be wrong.
#[inline]
fn zeros(text: u64) -> u64 {
    text.wrapping_sub(ONES) & !text & (ONES << 7)
}

/// The same for bytes below 33.
#[inline]
fn below_33(text: u64) -> u64 {
    text.wrapping_sub(ONES * 33) & !text & (ONES << 7)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::plain::{layout, plain};
    use super::super::{Form, Given, LineParser};
    use super::*;
    use crate::config::ColumnsConfig;

    /// A line of each form that has a layout.
    const LINES: [(Form, &str); 11] = [
        (Form::Msr, "128166385295514663,hm,3,Write,9056014336,2048,2833"),
        (Form::Spc, "1,303574,3584,w,0.026214"),
        (Form::Systor, "1455592511.559981000,0.000226,R,2,31457280,16384"),
        (Form::Alibaba, "64,W,8739680256,12288,1577808144360413"),
        (Form::Tencent, "1538323200,12910952,128,0,1063"),
        (Form::Wordline, "39061,WF,4096,8192,7"),
        (Form::Mqsim, "938513000 4  264719034\t16 0"),
        (Form::Ssdsim, "938513000 4 264719034 16 1"),
        (Form::Disksim, "5265.313 0 6357144 8 0"),
        (Form::Replayer, "223.412 0 3159347200 36864 0"),
        (Form::Diskmon, "0\t4.656875\t0.00003815\t0\tWrite\t6194591\t32"),
    ];

    /// What may stand in a field: what is usual, what is odd, and numbers at the edges of what fits.
    fn field() -> impl Strategy<Value = String> {
        prop_oneof![
            4 => "[0-9]{1,10}",
            2 => "[0-9]{1,20}[.][0-9]{0,12}",
            2 => "[0-9]{15,22}",
                3 => "R|W|r|w|Read|Write|READ|wRITE|WF|T|F|trim|flush|sync|discard|0|1|true|D|WS|RA|DiskRead|#",
            1 => "0{0,20}[0-9]{0,3}",
            1 => "[+-][0-9]{1,4}|[0-9]e[0-9]|1[.]5E[+]3|0x1f|[.]5|[0-9]{8}[/:][0-9]",
            1 => " ?[a-z\" \u{e9}]{0,12}\r?",
        ]
    }

    /// A line of `form` with some fields replaced, dropped or added.
    fn changed(line: &str, blanks: bool, changes: &[(usize, String, u8)]) -> String {
        let mut fields: Vec<&str> =
            if blanks { line.split_ascii_whitespace().collect() } else { line.split(',').collect() };
        for (place, field, kind) in changes {
            match (kind, fields.get_mut(place % (line.len().min(9) + 1))) {
                (0..5, Some(old)) => *old = field,
                (5, Some(_)) => drop(fields.remove(place % fields.len())),
                _ => fields.push(field),
            }
        }
        fields.join(if blanks { " " } else { "," })
    }

    fn row(quick: &Quick, text: &str) -> Option<(Row, usize)> {
        let mut row = Row::EMPTY;
        quick.read(text.as_bytes(), &mut row).map(|length| (row, length))
    }

    fn agree(quick: &Quick, line: &str, end: &str, careful: Option<Row>) -> Result<(), TestCaseError> {
        let text = format!("{line}{end}next,1\n\0\0\0\0\0\0\0\0");
        if let Some((row, length)) = row(quick, &text) {
            prop_assert_eq!(length, line.len() + end.len());
            prop_assert_eq!(Some(row), careful, "{}", line);
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn a_quick_row_is_what_the_form_s_own_parser_gives(
            which in 0..LINES.len(),
            changes in prop::collection::vec((0..9_usize, field(), 0..8_u8), 0..4),
            crlf: bool,
        ) {
            let (form, line) = LINES[which];
            let rules = Rules::of(form);
            let layout = layout(form).unwrap();
            let line = changed(line, layout.separator == b' ', &changes);
            let quick = Quick::new(&layout, &rules);
            agree(&quick, &line, if crlf { "\r\n" } else { "\n" }, plain(&rules, line.as_bytes()).ok())?;
        }

        #[test]
        fn so_is_a_row_of_named_columns(
            (header, first) in prop::sample::select(vec![
                ("time_ns,op,offset,length,disk,x", "1,R,0,512,0,x"),
                ("x,lba,sectors,rw,ts_ms", "x,0,1,R,1"),
                ("y;ts_us;size;offset;type", "y;1;512;0;R"),
                ("z time op lba n_sectors", "z 1 R 0 1"),
            ]),
            fields in prop::collection::vec(field(), 3..7),
            plain in prop::collection::vec("[0-9]{1,8}|R|W", 3..7),
            odd: bool,
        ) {
            let rules = Rules::of(Form::Columns);
            let given = Given { sector_bytes: 512, ..Given::default() };
            let mut parser = LineParser::new(rules, &ColumnsConfig::default(), given);
            prop_assert!(parser.parse(header.as_bytes()).is_ok());
            prop_assert!(parser.parse(first.as_bytes()).is_ok());
            let separator = [",", ";", " "].into_iter().find(|separator| header.contains(separator)).unwrap();
            let line = if odd { fields } else { plain }.join(separator);
            let careful = parser.parse(line.as_bytes()).ok().flatten();
            let quick = parser.quick.as_ref().unwrap();
            agree(quick, &line, "\n", careful)?;
        }
    }

    #[test]
    fn the_usual_lines_are_quick() {
        for (form, line) in LINES {
            let rules = Rules::of(form);
            let quick = Quick::new(&layout(form).unwrap(), &rules);
            for end in ["\n", "\r\n"] {
                let text = format!("{line}{end}\0\0\0\0\0\0\0\0");
                let expected = plain(&rules, line.as_bytes()).unwrap();
                assert_eq!(row(&quick, &text), Some((expected, line.len() + end.len())), "{line}");
            }
            // A line that isn't whole yet may be longer.
            let cut = format!("{line}\0\0\0\0\0\0\0\0");
            assert_eq!(row(&quick, &cut), None, "{line}");
        }
    }

    #[test]
    fn named_columns_are_quick_behind_the_first_request_but_not_with_quotes_or_events() {
        let mut parser =
            LineParser::new(Rules::of(Form::Columns), &ColumnsConfig::default(), Given::default());
        parser.parse(b"host,time_ns,rw,offset,length,more").unwrap();
        parser.parse(b"a,1,read,0,512,x").unwrap();
        let quick = |line: &str| row(parser.quick.as_ref().unwrap(), &format!("{line}\n\0\0\0\0\0\0\0\0"));
        let (row, length) = quick("a,5,write,512,1024,x y\"").unwrap();
        assert_eq!((row.time, row.op, row.offset, row.length, length), (5, HostOp::Write, 512, 1024, 24));
        assert_eq!(quick("\"a,5\",5,write,512,1024,x"), None);
        assert_eq!(quick("a,5,\"write\",512,1024,x"), None);
        assert_eq!(quick("#a,5,write,512,1024,x"), None);
    }
}
