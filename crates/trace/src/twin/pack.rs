//! How a profile writes its pieces: columns of numbers, compressed, as text.
//!
//! Numbers are written as bytes of seven bits, the lowest first, where the highest bit says that more follow (LEB128); signed ones are
//! folded (0, -1, 1, -2 …). The columns come one after the other:
//!
//! | column | entries |
//! |---|---|
//! | number of pieces, of entries of the order, of requests, of shapes | 4 |
//! | length of each shape, bytes | one a shape |
//! | offset of each shape modulo 16 KiB, bytes | one a shape |
//! | requests of each piece | one a piece |
//! | which piece comes next, less the highest that came so far, less 1, folded | one an entry of the order |
//! | gap before it, one byte | one an entry |
//! | operation (0 read, 1 write, 2 write with FUA, 3 trim, 4 flush) and 8 times the kind of place (12 for a flush) | one a request |
//! | gap, one byte | one a request |
//! | which shape | one a request but flushes |
//! | for each kind of place in turn, and each of its numbers: this number | one a request of this kind |
//!
//! They are compressed as LZMA (the format of `.lzma` files) and written in base 64 (RFC 4648, section 4, without padding).

use std::io::{Read, Write};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use liblzma::read::XzDecoder;
use liblzma::stream::{LzmaOptions, Stream};
use liblzma::write::XzEncoder;
use wordline_base::request::HostOp;

use super::codes::{Place, SLOTS, Token};
use super::shapes::{ALIGNMENT, LONGEST, Shape};

/// Most bytes that are unpacked: far more than a profile that was fitted takes.
const MOST_BYTES: u64 = 8 << 20;

/// Memory that unpacking may take, bytes.
const MEMORY: u64 = 32 << 20;

/// Preset of the compression.
const LEVEL: u32 = 9;

/// Stands for the kind where there is no place.
const FLUSH: u8 = 12;

/// Kinds of places, and the numbers that each takes.
const KINDS: usize = 12;
const NUMBERS: [usize; KINDS] = [1, 1, 1, 1, 2, 2, 2, 2, 1, 1, 1, 2];

/// Pieces of a trace, and how they follow one another.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Pieces {
    /// Length and offset modulo 16 KiB of requests, bytes.
    pub shapes: Vec<Shape>,
    pub pieces: Vec<Vec<Token>>,
    /// Which piece, and the code of the gap before it.
    pub order: Vec<(u16, u8)>,
}

/// The text of pieces.
pub(super) fn packed(pieces: &Pieces) -> Result<String, String> {
    let mut options = LzmaOptions::new_preset(LEVEL).map_err(|error| error.to_string())?;
    options.dict_size(1 << 20).literal_context_bits(3).literal_position_bits(0).position_bits(0);
    let stream = Stream::new_lzma_encoder(&options).map_err(|error| error.to_string())?;
    let mut encoder = XzEncoder::new_stream(Vec::new(), stream);
    encoder.write_all(&columns(pieces)).map_err(|error| error.to_string())?;
    Ok(STANDARD_NO_PAD.encode(encoder.finish().map_err(|error| error.to_string())?))
}

/// The pieces of a text; what is wrong, in words.
pub(super) fn unpacked(text: &str) -> Result<Pieces, String> {
    let bytes = STANDARD_NO_PAD.decode(text).map_err(|error| format!("not base 64: {error}"))?;
    let stream = Stream::new_lzma_decoder(MEMORY).map_err(|error| error.to_string())?;
    let mut columns = Vec::new();
    XzDecoder::new_stream(bytes.as_slice(), stream)
        .take(MOST_BYTES + 1)
        .read_to_end(&mut columns)
        .map_err(|error| format!("not compressed as LZMA: {error}"))?;
    if columns.len() as u64 > MOST_BYTES {
        return Err(format!("more than {MOST_BYTES} bytes unpacked"));
    }
    Input { bytes: &columns, at: 0 }.pieces()
}

fn columns(pieces: &Pieces) -> Vec<u8> {
    let mut out = Output(Vec::new());
    let tokens = || pieces.pieces.iter().flatten();
    out.number(pieces.pieces.len() as u64);
    out.number(pieces.order.len() as u64);
    out.number(tokens().count() as u64);
    out.number(pieces.shapes.len() as u64);
    pieces.shapes.iter().for_each(|shape| out.number(shape.0));
    pieces.shapes.iter().for_each(|shape| out.number(shape.1));
    pieces.pieces.iter().for_each(|piece| out.number(piece.len() as u64));
    let mut next = 0_i64;
    for (piece, _) in &pieces.order {
        let piece = i64::from(*piece);
        out.folded(piece - next);
        next = next.max(piece + 1);
    }
    out.0.extend(pieces.order.iter().map(|entry| entry.1));
    out.0.extend(tokens().map(|token| op_code(token.op) + 8 * described(token).0));
    out.0.extend(tokens().map(|token| token.gap));
    let data = || tokens().filter(|token| token.op != HostOp::Flush);
    data().for_each(|token| out.number(u64::from(token.shape)));
    for (kind, numbers) in (0_u8..).zip(NUMBERS) {
        let of_kind = || tokens().map(described).filter(|place| place.0 == kind);
        for number in 0..numbers {
            of_kind().for_each(|place| out.number(place.1.get(number).copied().unwrap_or_default()));
        }
    }
    out.0
}

fn op_code(op: HostOp) -> u8 {
    match op {
        HostOp::Read => 0,
        HostOp::Write => 1,
        HostOp::WriteFua => 2,
        HostOp::Trim => 3,
        HostOp::Flush => 4,
    }
}

/// Kind and numbers of a place; of a flush there are none.
fn described(token: &Token) -> (u8, [u64; 2]) {
    if token.op == HostOp::Flush {
        return (FLUSH, [0, 0]);
    }
    let either = |kind: u8, second: bool| kind + u8::from(second);
    match token.place {
        Place::Fresh(slot) => (0, [u64::from(slot), 0]),
        Place::Same(back) => (1, [u64::from(back), 0]),
        Place::Sequential { rank, touched } => (either(2, touched), [u64::from(rank), 0]),
        Place::Near { rank, sectors, touched } => {
            (either(4, touched), [u64::from(rank), folded(i64::from(sectors))])
        }
        Place::Again { back, written, slot } => (either(6, written), [u64::from(back), u64::from(slot)]),
        Place::Far { sectors, touched } => (either(8, touched), [folded(i64::from(sectors)), 0]),
        Place::Follow(ahead) => (10, [u64::from(ahead), 0]),
        Place::Inside { back, sectors } => (11, [u64::from(back), folded(i64::from(sectors))]),
    }
}

/// The place of a kind and its numbers, where there is such a one.
fn place_of(kind: u8, [first, second]: [u64; 2]) -> Option<Place> {
    let odd = kind % 2 == 1;
    let slot = |value: u64| u16::try_from(value).ok().filter(|_| value < SLOTS);
    let back = |value: u64| u32::try_from(value).ok().filter(|back| *back > 0);
    Some(match kind {
        FLUSH => Place::Fresh(0),
        0 => Place::Fresh(slot(first)?),
        1 => Place::Same(u8::try_from(first).ok()?),
        2 | 3 => Place::Sequential { rank: u16::try_from(first).ok()?, touched: odd },
        4 | 5 => Place::Near {
            rank: u8::try_from(first).ok()?,
            sectors: i16::try_from(unfolded(second)).ok()?,
            touched: odd,
        },
        6 | 7 => Place::Again { back: back(first)?, written: odd, slot: slot(second)? },
        8 | 9 => Place::Far { sectors: i32::try_from(unfolded(first)).ok()?, touched: odd },
        10 => Place::Follow(u8::try_from(first).ok()?),
        11 => Place::Inside { back: back(first)?, sectors: i32::try_from(unfolded(second)).ok()? },
        _ => return None,
    })
}

fn folded(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

fn unfolded(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

struct Output(Vec<u8>);

impl Output {
    fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn folded(&mut self, value: i64) {
        self.number(folded(value));
    }
}

struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Input<'_> {
    fn byte(&mut self) -> Result<u8, String> {
        let byte = self.bytes.get(self.at).copied().ok_or("the pieces end early")?;
        self.at += 1;
        Ok(byte)
    }

    fn number(&mut self) -> Result<u64, String> {
        let mut value = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(format!("byte {} of the pieces: a number too large", self.at))
    }

    /// How many of something are to come: each takes a byte at least.
    fn count(&mut self, of: &str) -> Result<usize, String> {
        let count = self.number()?;
        let most = self.bytes.len() as u64;
        if count > most {
            Err(format!("{count} {of}: more than the bytes there are"))
        } else {
            Ok(count as usize)
        }
    }

    fn pieces(mut self) -> Result<Pieces, String> {
        let (pieces, entries, tokens) =
            (self.count("pieces")?, self.count("entries")?, self.count("requests")?);
        let shapes = self.shapes()?;
        let lengths = (0..pieces).map(|_| self.number()).collect::<Result<Vec<_>, _>>()?;
        let all = lengths.iter().try_fold(0_u64, |sum, length| sum.checked_add(*length));
        if all != Some(tokens as u64) || lengths.contains(&0) {
            return Err(format!("pieces whose lengths aren't {tokens} requests together"));
        }
        let order = self.order(pieces, entries)?;
        let tokens = self.tokens(tokens)?;
        if let Some(token) = tokens.iter().find(|token| usize::from(token.shape) >= shapes.len().max(1)) {
            return Err(format!("shape {}: allowed: below {}", token.shape, shapes.len()));
        }
        let mut tokens = tokens.into_iter();
        if self.at != self.bytes.len() {
            return Err(format!("{} bytes too many", self.bytes.len() - self.at));
        }
        let pieces = lengths.iter().map(|length| tokens.by_ref().take(*length as usize).collect()).collect();
        Ok(Pieces { shapes, pieces, order })
    }

    fn shapes(&mut self) -> Result<Vec<Shape>, String> {
        let count = self.count("shapes")?;
        let mut shapes =
            (0..count).map(|_| Ok((self.number()?, 0))).collect::<Result<Vec<Shape>, String>>()?;
        for shape in &mut shapes {
            shape.1 = self.number()?;
            if shape.0 > LONGEST || shape.1 >= ALIGNMENT {
                return Err(format!(
                    "shape {shape:?}: allowed: {LONGEST} bytes at an offset below {ALIGNMENT}"
                ));
            }
        }
        Ok(shapes)
    }

    fn order(&mut self, pieces: usize, entries: usize) -> Result<Vec<(u16, u8)>, String> {
        let (mut next, mut order) = (0_i64, Vec::new());
        for _ in 0..entries {
            let piece = next.checked_add(unfolded(self.number()?));
            let piece = piece.filter(|piece| (0..pieces as i64).contains(piece));
            let piece =
                piece.ok_or_else(|| format!("the order names a piece beyond the {pieces} there are"))?;
            next = next.max(piece + 1);
            order.push((u16::try_from(piece).map_err(|_| "too many pieces")?, 0));
        }
        for entry in &mut order {
            entry.1 = self.byte()?;
        }
        Ok(order)
    }

    fn tokens(&mut self, count: usize) -> Result<Vec<Token>, String> {
        let mut kinds = Vec::new();
        let mut tokens = Vec::new();
        for _ in 0..count {
            let code = self.byte()?;
            let op = match code % 8 {
                0 => HostOp::Read,
                1 => HostOp::Write,
                2 => HostOp::WriteFua,
                3 => HostOp::Trim,
                4 => HostOp::Flush,
                other => return Err(format!("operation {other}: allowed: 0 to 4")),
            };
            kinds.push((code / 8, [0_u64; 2]));
            tokens.push(Token { op, shape: 0, gap: 0, place: Place::Fresh(0) });
        }
        for token in &mut tokens {
            token.gap = self.byte()?;
        }
        for token in tokens.iter_mut().filter(|token| token.op != HostOp::Flush) {
            token.shape = u16::try_from(self.number()?).map_err(|_| "a shape too large")?;
        }
        for (kind, numbers) in (0_u8..).zip(NUMBERS) {
            for number in 0..numbers {
                for place in kinds.iter_mut().filter(|place| place.0 == kind) {
                    let value = self.number()?;
                    place.1.iter_mut().skip(number).take(1).for_each(|slot| *slot = value);
                }
            }
        }
        for (token, (kind, numbers)) in tokens.iter_mut().zip(kinds) {
            if (kind == FLUSH) != (token.op == HostOp::Flush) {
                return Err("a flush with a place, or another without".into());
            }
            token.place =
                place_of(kind, numbers).ok_or_else(|| format!("no place of kind {kind} with {numbers:?}"))?;
        }
        Ok(tokens)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces() -> Pieces {
        let places = [
            Place::Fresh(0),
            Place::Fresh(1023),
            Place::Sequential { rank: 511, touched: false },
            Place::Sequential { rank: 0, touched: true },
            Place::Same(63),
            Place::Follow(2),
            Place::Near { rank: 15, sectors: -2047, touched: false },
            Place::Near { rank: 0, sectors: 2047, touched: true },
            Place::Far { sectors: -131_071, touched: true },
            Place::Far { sectors: 131_071, touched: false },
            Place::Again { back: 1, written: false, slot: 1023 },
            Place::Again { back: u32::MAX, written: true, slot: 5 },
            Place::Inside { back: 700, sectors: -3 },
        ];
        let ops = [HostOp::Read, HostOp::Write, HostOp::WriteFua, HostOp::Trim];
        let token = |(place, op): (&Place, &HostOp)| Token { op: *op, shape: 200, gap: 255, place: *place };
        let mut first: Vec<Token> = places.iter().zip(ops.iter().cycle()).map(token).collect();
        first.push(Token { op: HostOp::Flush, shape: 0, gap: 7, place: Place::Fresh(0) });
        let second = first.get(2..4).map_or_else(Vec::new, <[Token]>::to_vec);
        let shapes = (0..201).map(|i| (i << 12, 16_383 - i)).collect();
        Pieces {
            shapes,
            pieces: vec![first, second],
            order: vec![(0, 0), (1, 200), (0, 3), (0, 3), (1, 255)],
        }
    }

    #[test]
    fn pieces_are_read_as_they_were_written() {
        let pieces = pieces();
        assert_eq!(unpacked(&packed(&pieces).unwrap()).unwrap(), pieces);
        assert_eq!(unpacked(&packed(&Pieces::default()).unwrap()).unwrap(), Pieces::default());
    }

    #[test]
    fn broken_columns_are_refused() {
        let good = columns(&pieces());
        let read = |bytes: &[u8]| Input { bytes, at: 0 }.pieces();
        assert!(read(&good).is_ok());
        for length in 0..good.len() {
            assert!(read(&good[..length]).is_err(), "{length}");
        }
        let mut long = good.clone();
        long.push(0);
        assert!(read(&long).unwrap_err().contains("too many"));
        for byte in 0..good.len() {
            let mut bad = good.clone();
            bad[byte] = 0xff;
            let _ = read(&bad);
        }
    }

    #[test]
    fn what_unpacks_to_too_much_is_refused() {
        let options = LzmaOptions::new_preset(LEVEL).unwrap();
        let mut encoder = XzEncoder::new_stream(Vec::new(), Stream::new_lzma_encoder(&options).unwrap());
        encoder.write_all(&vec![0; MOST_BYTES as usize + 1]).unwrap();
        let text = STANDARD_NO_PAD.encode(encoder.finish().unwrap());
        assert!(text.len() < 8192, "{}", text.len());
        // A dictionary of 64 MiB, or too many bytes: either is too much.
        assert!(unpacked(&text).is_err());
    }
}
