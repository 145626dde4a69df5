//! How a profile writes requests: a few characters each.
//!
//! A request is `<op><shape><gap><place>`; a number is one or two digits of base 64.
//!
//! | part | characters | meaning |
//! |---|---|---|
//! | op | `R` `W` `U` `T` `F` | read, write, write with FUA, trim, flush (a flush has only a gap) |
//! | shape | 1 or 2 | which entry of `shapes` |
//! | gap | 1 | which entry of `gaps_ns`: time since the request before |
//! | place | 1 to 4 | where, see [`Place`] |

use wordline_engine::host::request::HostOp;

/// Digits of base 64.
const DIGITS: &[u8; 64] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

/// Number of different gaps, and of shapes that one digit can tell apart.
pub(super) const RADIX: usize = 64;

/// Largest distance of [`Place::Near`], sectors.
pub(super) const NEAR: i64 = 2047;

/// Largest distance of [`Place::Far`], sectors.
pub(super) const FAR: i64 = 131_071;

/// Where a request goes, relative to what was requested before. Of two letters the first says that its last page was not touched yet,
/// the second that it was (`true`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    /// `n` and a digit: somewhere that was not touched yet. The digit says how it lies to the request before: so many steps of 16 KiB
    /// behind its start, modulo 1 MiB; 63 for no relation. Drives that stripe pages over up to 64 dies keep collisions by it.
    Fresh(u8),
    /// `s` or `t` and a digit: it continues the stream of this rank (0: the one continued or begun last).
    Sequential(u8, bool),
    /// `c` or `k` and a digit: it continues a stream of rank 2^digit to 2^(digit+1).
    Continue(u8, bool),
    /// `e` and a digit: where the request so many before began (1 to 63).
    Same(u8),
    /// `f` and a digit: where the request began that came so many (1 to 63) after the one that was last referred to.
    Follow(u8),
    /// `d` or `b` and three digits: near the end of the stream of this rank, and so many sectors behind it (or before it).
    Near(u8, i16, bool),
    /// `D` or `B` and three digits: so many sectors from where the request before began.
    Far(i32, bool),
    /// `r` and two digits: where a read of this length began, 2^digit to 2^(digit+1) requests before; the second digit as for `n`.
    Reread(u8, u8),
    /// `w` and two digits: where a write of this length began.
    Rewritten(u8, u8),
    /// `i` and a digit: in a place that an older request touched, with another length.
    Inside(u8),
}

/// One request of a piece, in codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Token {
    pub op: HostOp,
    pub shape: u16,
    pub gap: u8,
    pub place: Place,
}

fn digit(value: usize) -> char {
    char::from(DIGITS.get(value % RADIX).copied().unwrap_or(b'0'))
}

fn push_number(out: &mut String, value: usize, digits: u32) {
    for place in (0..digits).rev() {
        out.push(digit(value >> (6 * place)));
    }
}

impl Token {
    /// Appends the token; `shape_digits` is 1 or 2.
    pub(super) fn write(&self, out: &mut String, shape_digits: u32) {
        out.push(match self.op {
            HostOp::Read => 'R',
            HostOp::Write => 'W',
            HostOp::WriteFua => 'U',
            HostOp::Trim => 'T',
            HostOp::Flush => 'F',
        });
        if self.op != HostOp::Flush {
            push_number(out, usize::from(self.shape), shape_digits);
        }
        push_number(out, usize::from(self.gap), 1);
        if self.op != HostOp::Flush {
            self.place.write(out);
        }
    }
}

impl Place {
    fn write(self, out: &mut String) {
        let (letter, value, digits) = match self {
            Self::Fresh(turn) => ('n', usize::from(turn), 1),
            Self::Sequential(rank, touched) => (if touched { 't' } else { 's' }, usize::from(rank), 1),
            Self::Continue(log, touched) => (if touched { 'k' } else { 'c' }, usize::from(log), 1),
            Self::Same(back) => ('e', usize::from(back), 1),
            Self::Follow(ahead) => ('f', usize::from(ahead), 1),
            Self::Near(rank, sectors, touched) => {
                let value = usize::from(rank) * RADIX * RADIX + (i64::from(sectors) + NEAR) as usize;
                (if touched { 'b' } else { 'd' }, value, 3)
            }
            Self::Far(sectors, touched) => {
                (if touched { 'B' } else { 'D' }, (i64::from(sectors) + FAR) as usize, 3)
            }
            Self::Reread(log, turn) => ('r', usize::from(log) * RADIX + usize::from(turn), 2),
            Self::Rewritten(log, turn) => ('w', usize::from(log) * RADIX + usize::from(turn), 2),
            Self::Inside(log) => ('i', usize::from(log), 1),
        };
        out.push(letter);
        push_number(out, value, digits);
    }
}

/// Reads the tokens of a piece; what is wrong, in words.
pub(super) fn read_tokens(text: &str, shape_digits: u32) -> Result<Vec<Token>, String> {
    let mut input = Input { bytes: text.as_bytes(), at: 0 };
    let mut tokens = Vec::new();
    while input.at < input.bytes.len() {
        tokens.push(input.token(shape_digits)?);
    }
    Ok(tokens)
}

struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Input<'_> {
    fn take(&mut self) -> Result<u8, String> {
        let byte = self.bytes.get(self.at).copied();
        self.at += 1;
        byte.ok_or_else(|| "a piece ends within a request".into())
    }

    fn number(&mut self, digits: u32) -> Result<usize, String> {
        let mut value = 0;
        for _ in 0..digits {
            let byte = self.take()?;
            let found = DIGITS.iter().position(|digit| *digit == byte);
            value = value * RADIX
                + found.ok_or_else(|| format!("character {} of a piece is no digit", self.at))?;
        }
        Ok(value)
    }

    fn token(&mut self, shape_digits: u32) -> Result<Token, String> {
        let op = match self.take()? {
            b'R' => HostOp::Read,
            b'W' => HostOp::Write,
            b'U' => HostOp::WriteFua,
            b'T' => HostOp::Trim,
            b'F' => HostOp::Flush,
            _ => return Err(format!("character {} of a piece: allowed: R, W, U, T, F", self.at)),
        };
        let flush = op == HostOp::Flush;
        let shape = if flush { 0 } else { self.number(shape_digits)? as u16 };
        let gap = self.number(1)? as u8;
        let place = if flush { Place::Fresh(0) } else { self.place()? };
        Ok(Token { op, shape, gap, place })
    }

    fn place(&mut self) -> Result<Place, String> {
        let letter = self.take()?;
        let digits = match letter {
            b'r' | b'w' => 2,
            b'd' | b'b' | b'D' | b'B' => 3,
            _ => 1,
        };
        let value = self.number(digits)?;
        let small = value as u8;
        let high = (value / RADIX) as u8;
        Ok(match letter {
            b'n' => Place::Fresh(small),
            b's' | b't' => Place::Sequential(small, letter == b't'),
            b'c' | b'k' => Place::Continue(small, letter == b'k'),
            b'e' => Place::Same(small),
            b'f' => Place::Follow(small),
            b'd' | b'b' => {
                let sectors = (value % (RADIX * RADIX)) as i64 - NEAR;
                Place::Near((value / (RADIX * RADIX)) as u8, sectors as i16, letter == b'b')
            }
            b'D' | b'B' => Place::Far((value as i64 - FAR) as i32, letter == b'B'),
            b'r' => Place::Reread(high, small % 64),
            b'w' => Place::Rewritten(high, small % 64),
            b'i' => Place::Inside(small),
            _ => return Err(format!("character {} of a piece: no such place", self.at)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_is_read_as_it_was_written() {
        let places = [
            Place::Fresh(9),
            Place::Sequential(1, false),
            Place::Sequential(2, true),
            Place::Continue(8, false),
            Place::Continue(6, true),
            Place::Same(63),
            Place::Follow(2),
            Place::Near(0, -2047, false),
            Place::Near(63, 2047, true),
            Place::Far(-131_071, true),
            Place::Far(131_071, false),
            Place::Reread(6, 63),
            Place::Rewritten(17, 1),
            Place::Inside(0),
        ];
        for digits in [1, 2] {
            let mut tokens: Vec<Token> = places
                .iter()
                .zip([HostOp::Read, HostOp::Write, HostOp::WriteFua, HostOp::Trim].iter().cycle())
                .map(|(place, op)| Token { op: *op, shape: 63, gap: 5, place: *place })
                .collect();
            tokens.push(Token { op: HostOp::Flush, shape: 0, gap: 63, place: Place::Fresh(0) });
            let mut text = String::new();
            tokens.iter().for_each(|token| token.write(&mut text, digits));
            assert_eq!(read_tokens(&text, digits).unwrap(), tokens);
        }
    }

    #[test]
    fn broken_pieces_are_refused() {
        for text in ["R", "R1", "R11", "R11s", "X11n0", "R11q1", "R!1n0", "R11d1", "R11n", "R11r1"] {
            assert!(read_tokens(text, 1).is_err(), "{text}");
        }
    }
}
