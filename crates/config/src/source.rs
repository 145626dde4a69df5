//! Values as serde takes them, with the path to the one that it refuses. One source for all descriptions, so that what reads a kind of
//! description is compiled for it alone.

use std::collections::btree_map::Iter as Pairs;
use std::fmt::{self, Display};
use std::iter::Enumerate;
use std::slice::Iter as Items;

use serde::de::value::StrDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::tree::{Content, Item};

/// Why a value can't be read, in serde's words, and where it stands.
#[derive(Debug)]
pub(super) struct Refused {
    /// What is wrong with it.
    pub message: String,
    /// The way to it: `gc.trigger`, `tiers[0][1]`.
    pub path: String,
}

impl Refused {
    /// The same, seen from the table in which this key leads to it.
    fn below_key(mut self, key: &str) -> Self {
        let joint = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path = format!("{key}{joint}{}", self.path);
        self
    }

    /// The same, seen from the array in which it stands at this place.
    fn at_place(self, place: usize) -> Self {
        self.below_key(&format!("[{place}]"))
    }
}

impl Error for Refused {
    fn custom<T: Display>(message: T) -> Self {
        Self { message: message.to_string(), path: String::new() }
    }
}

impl Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refused {}

/// A value.
#[derive(Clone, Copy)]
pub(super) struct Source<'a>(pub &'a Item);

impl Source<'_> {
    /// How serde names it where it expected something else.
    fn unexpected(&self) -> Unexpected<'_> {
        match &self.0.content {
            Content::Table(_) => Unexpected::Map,
            Content::Array(_) => Unexpected::Seq,
            Content::Leaf(toml::Value::String(text)) => Unexpected::Str(text),
            Content::Leaf(toml::Value::Integer(number)) => Unexpected::Signed(*number),
            Content::Leaf(toml::Value::Float(number)) => Unexpected::Float(*number),
            Content::Leaf(toml::Value::Boolean(truth)) => Unexpected::Bool(*truth),
            Content::Leaf(_) => Unexpected::Other(DATE),
        }
    }
}

/// How errors name dates, which nothing takes.
pub(super) const DATE: &str = "a date";

impl<'de> Deserializer<'de> for Source<'_> {
    type Error = Refused;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match &self.0.content {
            Content::Table(entries) => visitor.visit_map(Table { left: entries.iter(), value: None }),
            Content::Array(items) => visitor.visit_seq(Array(items.iter().enumerate())),
            Content::Leaf(toml::Value::String(text)) => visitor.visit_str(text),
            Content::Leaf(toml::Value::Integer(number)) => visitor.visit_i64(*number),
            Content::Leaf(toml::Value::Float(number)) => visitor.visit_f64(*number),
            Content::Leaf(toml::Value::Boolean(truth)) => visitor.visit_bool(*truth),
            Content::Leaf(_) => Err(Refused::invalid_type(self.unexpected(), &visitor)),
        }
    }

    /// There is no null: what is there is something.
    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Refused> {
        visitor.visit_newtype_struct(self)
    }

    /// A word, or a table of one key that is the word.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        match &self.0.content {
            Content::Leaf(toml::Value::String(text)) => {
                let word: StrDeserializer<'_, Refused> = text.as_str().into_deserializer();
                visitor.visit_enum(word)
            }
            Content::Table(entries) => match (entries.len(), entries.first_key_value()) {
                (1, Some((word, item))) => visitor.visit_enum(Word { word, content: Self(item) }),
                (count, _) => Err(Refused::custom(format!("allowed: a table of 1 key, not of {count}"))),
            },
            _ => Err(Refused::invalid_type(self.unexpected(), &"string only")),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct
        map struct identifier ignored_any
    }
}

/// The keys of a table, one after another.
struct Table<'a> {
    left: Pairs<'a, String, Item>,
    /// The key that was given out last, and its value.
    value: Option<(&'a String, &'a Item)>,
}

impl<'de> MapAccess<'de> for Table<'_> {
    type Error = Refused;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Refused> {
        self.value = self.left.next();
        let Some((key, _)) = self.value else { return Ok(None) };
        let word: StrDeserializer<'_, Refused> = key.as_str().into_deserializer();
        seed.deserialize(word).map(Some).map_err(|refused| refused.below_key(key))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Refused> {
        let (key, item) = self.value.take().ok_or_else(|| Refused::custom("a value without a key"))?;
        seed.deserialize(Source(item)).map_err(|refused| refused.below_key(key))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left.len())
    }
}

/// The values of an array, one after another.
struct Array<'a>(Enumerate<Items<'a, Item>>);

impl<'de> SeqAccess<'de> for Array<'_> {
    type Error = Refused;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Refused> {
        let Some((place, item)) = self.0.next() else { return Ok(None) };
        seed.deserialize(Source(item)).map(Some).map_err(|refused| refused.at_place(place))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

/// A word that has a value of its own.
struct Word<'a> {
    word: &'a str,
    content: Source<'a>,
}

impl<'de, 'a> EnumAccess<'de> for Word<'a> {
    type Error = Refused;
    type Variant = Source<'a>;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Source<'a>), Refused> {
        let word: StrDeserializer<'_, Refused> = self.word.into_deserializer();
        Ok((seed.deserialize(word)?, self.content))
    }
}

impl<'de> VariantAccess<'de> for Source<'_> {
    type Error = Refused;

    fn unit_variant(self) -> Result<(), Refused> {
        match &self.0.content {
            Content::Table(entries) if entries.is_empty() => Ok(()),
            _ => Err(Refused::invalid_type(self.unexpected(), &"an empty table")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Refused> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _count: usize, visitor: V) -> Result<V::Value, Refused> {
        self.deserialize_seq(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        self.deserialize_map(visitor)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a panic is the failure")]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::parse;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Shape {
        Point,
        Disc(u32),
        Pair(u8, u8),
        Sheet { width: u8 },
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct All {
        number: Option<u16>,
        share: f64,
        word: String,
        rows: Vec<Vec<u8>>,
        shape: Option<Shape>,
        below: Below,
    }

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct Below {
        on: bool,
    }

    fn read(text: &str) -> Result<All, (String, String)> {
        let content = Content::Table(parse::document("test", text).unwrap());
        let item = Item { content, ..Item::of(false.into()) };
        All::deserialize(Source(&item)).map_err(|refused| (refused.path, refused.message))
    }

    #[test]
    fn values_are_read_as_serde_wants_them() {
        let found =
            read("number = 3\nshare = 1\nword = \"x\"\nrows = [[1, 2], []]\n[below]\non = true").unwrap();
        let below = Below { on: true };
        let rows = vec![vec![1, 2], Vec::new()];
        let all = All { number: Some(3), share: 1.0, word: "x".to_owned(), rows, below, ..All::default() };
        assert_eq!(found, all);
        assert_eq!(read("").unwrap(), All::default());
    }

    #[test]
    fn a_word_may_have_a_value_of_its_own() {
        let shape = |text: &str| read(&format!("shape = {text}")).map(|all| all.shape.unwrap());
        assert_eq!(shape("\"point\""), Ok(Shape::Point));
        assert_eq!(shape("{ point = {} }"), Ok(Shape::Point));
        assert_eq!(shape("{ disc = 7 }"), Ok(Shape::Disc(7)));
        assert_eq!(shape("{ pair = [1, 2] }"), Ok(Shape::Pair(1, 2)));
        assert_eq!(shape("{ sheet = { width = 4 } }"), Ok(Shape::Sheet { width: 4 }));
        for (text, message) in [
            ("{ disc = 7, point = {} }", "allowed: a table of 1 key, not of 2"),
            ("{ point = 1 }", "invalid type: integer `1`, expected an empty table"),
            ("[1]", "invalid type: sequence, expected string only"),
            ("\"ball\"", "unknown variant `ball`, expected one of `point`, `disc`, `pair`, `sheet`"),
        ] {
            assert_eq!(shape(text), Err(("shape".to_owned(), message.to_owned())), "{text}");
        }
    }

    #[test]
    fn what_is_refused_is_named_by_its_path() {
        for (text, path, message) in [
            ("number = 70000", "number", "invalid value: integer `70000`, expected u16"),
            ("number = -1", "number", "invalid value: integer `-1`, expected u16"),
            ("rows = [[1], [2, 300]]", "rows[1][1]", "invalid value: integer `300`, expected u8"),
            ("below.on = 1", "below.on", "invalid type: integer `1`, expected a boolean"),
            ("below.off = 1", "below.off", "unknown field `off`, expected `on`"),
            ("word = 2026-01-02", "word", "invalid type: a date, expected a string"),
            ("shape = { disc = -7 }", "shape", "invalid value: integer `-7`, expected u32"),
        ] {
            assert_eq!(read(text), Err((path.to_owned(), message.to_owned())), "{text}");
        }
    }
}
