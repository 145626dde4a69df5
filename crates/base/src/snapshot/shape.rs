//! The shape of what is saved: names of structs and variants, names of their fields and kinds of their values, taken down
//! while a snapshot is written. For the test that no shape changes without [`FORMAT`](super::FORMAT).

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display};

use serde::ser::{self, Serialize};

/// Structs and variants by name and fields, and what was seen in each field.
pub type Shapes = BTreeMap<String, Vec<(&'static str, Shape)>>;

/// What was seen, and the name that was saved last.
#[derive(Default)]
struct Seen {
    shapes: Shapes,
    name: String,
}

thread_local! {
    static SEEN: RefCell<Option<Seen>> = const { RefCell::new(None) };
}

/// Takes the shapes down of all that is saved in `run`.
pub fn taken_down(run: impl FnOnce()) -> Shapes {
    SEEN.set(Some(Seen::default()));
    run();
    SEEN.take().unwrap_or_default().shapes
}

/// A record is saved: the name of a field of the drive or of a policy, or what belongs to the name before it.
pub fn note<T: Serialize + ?Sized>(record: &T) {
    SEEN.with_borrow_mut(|seen| {
        let Some(Seen { shapes, name }) = seen else { return };
        let Ok(shape) = record.serialize(&mut Taking(shapes)) else { return };
        if shape == Shape::named("str") {
            let bytes = postcard::to_allocvec(record).unwrap_or_default();
            *name = postcard::from_bytes(&bytes).unwrap_or_default();
            return;
        }
        let known =
            shapes.entry(format!("record {name}{{0}}")).or_insert_with(|| vec![("0", Shape::Unknown)]);
        for (_, before) in known {
            *before = std::mem::replace(before, Shape::Unknown).with(shape.clone());
        }
    });
}

/// In the place of a field that was not written, and without which the rest can't be read back.
pub const LEFT_OUT: &str = "left out";

/// Kind of a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shape {
    /// Nothing was seen yet: an empty list, or no value.
    Unknown,
    /// A number, a text, or something that has a line of its own.
    Named(String),
    /// A value that may be missing.
    Maybe(Box<Self>),
    /// Many of the same.
    List(Box<Self>),
    /// Keys and what belongs to each.
    Map(Box<Self>, Box<Self>),
    /// Several side by side.
    Tuple(Vec<Self>),
    /// One or another.
    Either(BTreeSet<Self>),
}

impl Shape {
    fn named(name: &str) -> Self {
        Self::Named(name.to_owned())
    }

    /// What both are.
    fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown, shape) | (shape, Self::Unknown) => shape,
            (left, right) if left == right => left,
            (Self::Maybe(left), Self::Maybe(right)) => Self::Maybe(Box::new(left.with(*right))),
            (Self::List(left), Self::List(right)) => Self::List(Box::new(left.with(*right))),
            (Self::Map(key, value), Self::Map(other_key, other)) => {
                Self::Map(Box::new(key.with(*other_key)), Box::new(value.with(*other)))
            }
            (Self::Tuple(left), Self::Tuple(right)) if left.len() == right.len() => {
                Self::Tuple(left.into_iter().zip(right).map(|(left, right)| left.with(right)).collect())
            }
            (Self::Either(mut all), Self::Either(more)) => {
                all.extend(more);
                Self::Either(all)
            }
            (Self::Either(mut all), one) | (one, Self::Either(mut all)) => {
                all.insert(one);
                Self::Either(all)
            }
            (left, right) => Self::Either([left, right].into()),
        }
    }
}

impl Display for Shape {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |shapes: &mut dyn Iterator<Item = &Self>, between: &str| {
            shapes.map(Self::to_string).collect::<Vec<_>>().join(between)
        };
        match self {
            Self::Unknown => write!(text, "?"),
            Self::Named(name) => write!(text, "{name}"),
            Self::Maybe(of) => write!(text, "Option<{of}>"),
            Self::List(of) => write!(text, "[{of}]"),
            Self::Map(key, value) => write!(text, "{{{key}: {value}}}"),
            Self::Tuple(of) => write!(text, "({})", list(&mut of.iter(), ", ")),
            Self::Either(of) => write!(text, "{}", list(&mut of.iter(), " | ")),
        }
    }
}

/// One line for each struct and variant.
pub fn lines(shapes: &Shapes) -> Vec<String> {
    let fields = |fields: &[(&str, Shape)]| {
        fields.iter().map(|(name, shape)| format!("{name}: {shape}")).collect::<Vec<_>>().join(", ")
    };
    let line = |(key, found): (&String, &Vec<(&str, Shape)>)| {
        let name = key.split('{').next().unwrap_or_default();
        format!("{name} {{ {} }}", fields(found))
    };
    shapes.iter().map(line).collect()
}

struct Taking<'a>(&'a mut Shapes);

/// Parts of a value that has several.
struct Parts<'a> {
    shapes: &'a mut Shapes,
    name: Option<String>,
    fields: Vec<(&'static str, Shape)>,
    key: Shape,
    all: Vec<Shape>,
}

#[derive(Debug)]
struct NoShape;

impl Display for NoShape {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(text, "no shape")
    }
}

impl std::error::Error for NoShape {}

impl ser::Error for NoShape {
    fn custom<T: Display>(_: T) -> Self {
        Self
    }
}

impl<'a> Taking<'a> {
    fn variant(self, name: &str, index: u32, variant: &str) -> Parts<'a> {
        self.parts(Some(format!("{name}::{index} {variant}")))
    }

    fn parts(self, name: Option<String>) -> Parts<'a> {
        Parts { shapes: self.0, name, fields: Vec::new(), key: Shape::Unknown, all: Vec::new() }
    }
}

impl Parts<'_> {
    fn of<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<Shape, NoShape> {
        value.serialize(&mut Taking(self.shapes))
    }

    /// Under the name and the fields' names, so that two structs of one name are two lines.
    fn entered(self) -> Shape {
        let name = self.name.unwrap_or_default();
        let names: Vec<&str> = self.fields.iter().map(|(name, _)| *name).collect();
        let known = self.shapes.entry(format!("{name}{{{}}}", names.join(","))).or_default();
        if known.is_empty() {
            *known = self.fields;
        } else {
            for ((_, shape), (_, more)) in known.iter_mut().zip(self.fields) {
                *shape = std::mem::replace(shape, Shape::Unknown).with(more);
            }
        }
        Shape::Named(name)
    }

    fn place(&self) -> &'static str {
        ["0", "1", "2", "3", "4", "5", "6", "7"].get(self.fields.len()).copied().unwrap_or("more")
    }
}

macro_rules! plain {
    ($($method:ident: $kind:ty),*) => {$(
        fn $method(self, _: $kind) -> Result<Shape, NoShape> {
            Ok(Shape::named(stringify!($kind).trim_start_matches('&')))
        }
    )*};
}

impl<'a> ser::Serializer for &'a mut Taking<'_> {
    type Ok = Shape;
    type Error = NoShape;
    type SerializeSeq = Parts<'a>;
    type SerializeTuple = Parts<'a>;
    type SerializeTupleStruct = Parts<'a>;
    type SerializeTupleVariant = Parts<'a>;
    type SerializeMap = Parts<'a>;
    type SerializeStruct = Parts<'a>;
    type SerializeStructVariant = Parts<'a>;

    plain! {
        serialize_bool: bool, serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_i128: i128, serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_u128: u128, serialize_f32: f32, serialize_f64: f64, serialize_char: char, serialize_str: &str,
        serialize_bytes: &[u8]
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_none(self) -> Result<Shape, NoShape> {
        Ok(Shape::Maybe(Box::new(Shape::Unknown)))
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Shape, NoShape> {
        Ok(Shape::Maybe(Box::new(value.serialize(self)?)))
    }

    fn serialize_unit(self) -> Result<Shape, NoShape> {
        Ok(Shape::named("()"))
    }

    fn serialize_unit_struct(self, name: &'static str) -> Result<Shape, NoShape> {
        Ok(Shape::named(name))
    }

    fn serialize_unit_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
    ) -> Result<Shape, NoShape> {
        self.0.entry(format!("{name}::{index} {variant}{{}}")).or_default();
        Ok(Shape::named(name))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<Shape, NoShape> {
        let mut parts = Taking(self.0).parts(Some(name.to_owned()));
        let shape = parts.of(value)?;
        parts.fields.push(("0", shape));
        Ok(parts.entered())
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<Shape, NoShape> {
        let mut parts = Taking(self.0).variant(name, index, variant);
        let shape = parts.of(value)?;
        parts.fields.push(("0", shape));
        parts.entered();
        Ok(Shape::named(name))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Parts<'a>, NoShape> {
        Ok(Taking(self.0).parts(None))
    }

    fn serialize_tuple(self, _: usize) -> Result<Parts<'a>, NoShape> {
        Ok(Taking(self.0).parts(None))
    }

    fn serialize_tuple_struct(self, name: &'static str, _: usize) -> Result<Parts<'a>, NoShape> {
        Ok(Taking(self.0).parts(Some(name.to_owned())))
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts<'a>, NoShape> {
        Ok(Taking(self.0).variant(name, index, variant))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Parts<'a>, NoShape> {
        Ok(Taking(self.0).parts(None))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Parts<'a>, NoShape> {
        Ok(Taking(self.0).parts(Some(name.to_owned())))
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        index: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Parts<'a>, NoShape> {
        Ok(Taking(self.0).variant(name, index, variant))
    }
}

impl ser::SerializeSeq for Parts<'_> {
    type Ok = Shape;
    type Error = NoShape;
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NoShape> {
        let shape = self.of(value)?;
        self.key = std::mem::replace(&mut self.key, Shape::Unknown).with(shape);
        Ok(())
    }
    fn end(self) -> Result<Shape, NoShape> {
        Ok(Shape::List(Box::new(self.key)))
    }
}

impl ser::SerializeTuple for Parts<'_> {
    type Ok = Shape;
    type Error = NoShape;
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NoShape> {
        let shape = self.of(value)?;
        self.all.push(shape);
        Ok(())
    }
    fn end(self) -> Result<Shape, NoShape> {
        Ok(Shape::Tuple(self.all))
    }
}

/// Fields with names, or by their places.
macro_rules! fields {
    ($($kind:ident: $method:ident($($key:ident)?) $($skip:ident)?;)*) => {$(
        impl ser::$kind for Parts<'_> {
            type Ok = Shape;
            type Error = NoShape;
            fn $method<T: Serialize + ?Sized>(&mut self, $($key: &'static str,)? value: &T) -> Result<(), NoShape> {
                let shape = self.of(value)?;
                let name = self.place();
                $(let name = { let _ = name; $key };)?
                self.fields.push((name, shape));
                Ok(())
            }
            $(fn $skip(&mut self, key: &'static str) -> Result<(), NoShape> {
                self.fields.push((key, Shape::named(LEFT_OUT)));
                Ok(())
            })?
            fn end(self) -> Result<Shape, NoShape> {
                let name = self.name.clone().unwrap_or_default();
                self.entered();
                Ok(Shape::named(name.split("::").next().unwrap_or_default()))
            }
        }
    )*};
}

fields! {
    SerializeTupleStruct: serialize_field();
    SerializeTupleVariant: serialize_field();
    SerializeStruct: serialize_field(key) skip_field;
    SerializeStructVariant: serialize_field(key) skip_field;
}

impl ser::SerializeMap for Parts<'_> {
    type Ok = Shape;
    type Error = NoShape;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), NoShape> {
        let shape = self.of(key)?;
        self.key = std::mem::replace(&mut self.key, Shape::Unknown).with(shape);
        Ok(())
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), NoShape> {
        let shape = self.of(value)?;
        let before = self.all.pop().unwrap_or(Shape::Unknown);
        self.all.push(before.with(shape));
        Ok(())
    }
    fn end(mut self) -> Result<Shape, NoShape> {
        let value = self.all.pop().unwrap_or(Shape::Unknown);
        Ok(Shape::Map(Box::new(self.key), Box::new(value)))
    }
}
