//! Values that are written in the same form as their trees, but without the trees where possible.
//!
//! A tree is only made for values that have to be seen as a whole first: maps, whose keys decide whether they are written as
//! lists of pairs; variants with several values; and the content of an option if it could be mistaken for none.

use serde_core::ser::{
    Error, Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct,
    SerializeStructVariant, SerializeTuple, SerializeTupleStruct, SerializeTupleVariant,
    Serializer,
};

use super::error::EncodeError;
use super::tree_writer::{TreeList, TreeMap, TreeWriter, check_depth};
use crate::Value;
use crate::value::{Special, widen_float};

/// Writes a value to a format in the same form as its tree.
pub(super) struct DirectSerializer<S> {
    inner: S,
    writer: TreeWriter,
}

impl<S: Serializer> DirectSerializer<S> {
    pub(super) fn new(inner: S) -> Self {
        let writer = TreeWriter::new();
        Self { inner, writer }
    }

    /// Begins the parts of a value, whose number has to be right.
    fn parts<P>(
        self,
        begin: impl FnOnce(S) -> Result<P, S::Error>,
    ) -> Result<DirectParts<P>, S::Error> {
        let writer = self.writer.part().map_err(S::Error::custom)?;
        let inner = begin(self.inner)?;
        Ok(DirectParts { inner, writer })
    }

    fn list(self, len: usize) -> Result<DirectParts<S::SerializeSeq>, S::Error> {
        self.parts(|inner| inner.serialize_seq(Some(len)))
    }

    fn later<T>(
        self,
        begin: impl FnOnce(TreeWriter) -> Result<T, EncodeError>,
    ) -> Result<Later<S, T>, S::Error> {
        let tree = Box::new(begin(self.writer).map_err(S::Error::custom)?);
        let Self { inner, writer } = self;
        Ok(Later {
            inner,
            writer,
            tree,
        })
    }
}

fn write<S: Serializer>(inner: S, writer: TreeWriter, tree: &Value) -> Result<S::Ok, S::Error> {
    check_depth(tree, writer.depth()).map_err(S::Error::custom)?;
    tree.serialize(inner)
}

macro_rules! as_is {
    ($($method:ident($type:ty) => $inner:ident;)*) => {$(
        #[inline]
        fn $method(self, value: $type) -> Result<S::Ok, S::Error> {
            self.inner.$inner(value.into())
        }
    )*};
}

impl<S: Serializer> Serializer for DirectSerializer<S> {
    type Ok = S::Ok;
    type Error = S::Error;
    type SerializeSeq = DirectElements<S>;
    type SerializeTuple = DirectParts<S::SerializeSeq>;
    type SerializeTupleStruct = DirectParts<S::SerializeSeq>;
    type SerializeTupleVariant = Later<S, TreeList>;
    type SerializeMap = Later<S, TreeMap>;
    type SerializeStruct = DirectParts<S::SerializeMap>;
    type SerializeStructVariant = Later<S, TreeMap>;

    as_is! {
        serialize_bool(bool) => serialize_bool;
        serialize_i8(i8) => serialize_i64;
        serialize_i16(i16) => serialize_i64;
        serialize_i32(i32) => serialize_i64;
        serialize_i64(i64) => serialize_i64;
        serialize_u8(u8) => serialize_i64;
        serialize_u16(u16) => serialize_i64;
        serialize_u32(u32) => serialize_i64;
        serialize_str(&str) => serialize_str;
        serialize_bytes(&[u8]) => serialize_bytes;
    }

    fn is_human_readable(&self) -> bool {
        true
    }

    fn serialize_u64(self, value: u64) -> Result<S::Ok, S::Error> {
        match i64::try_from(value) {
            Ok(value) => self.inner.serialize_i64(value),
            Err(_) => self.inner.serialize_u64(value),
        }
    }

    fn serialize_i128(self, value: i128) -> Result<S::Ok, S::Error> {
        Value::Int(value).serialize(self.inner)
    }

    fn serialize_u128(self, value: u128) -> Result<S::Ok, S::Error> {
        match i128::try_from(value) {
            Ok(value) => self.serialize_i128(value),
            Err(_) => self.inner.collect_str(&value),
        }
    }

    #[inline]
    fn serialize_f32(self, value: f32) -> Result<S::Ok, S::Error> {
        self.serialize_f64(widen_float(value))
    }

    #[inline]
    fn serialize_f64(self, value: f64) -> Result<S::Ok, S::Error> {
        if value.is_finite() {
            self.inner.serialize_f64(value)
        } else {
            self.inner.collect_str(&Special(value))
        }
    }

    fn serialize_char(self, value: char) -> Result<S::Ok, S::Error> {
        self.inner.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_none(self) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<S::Ok, S::Error> {
        let writer = self.writer.option().map_err(S::Error::custom)?;
        if value.serialize(DistinctFromNone).is_ok() {
            let inner = self.inner;
            return value.serialize(Self { inner, writer });
        }
        let tree = value.serialize(writer).map_err(S::Error::custom)?;
        write(self.inner, self.writer, &tree.some())
    }

    fn serialize_unit(self) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit()
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<S::Ok, S::Error> {
        self.inner.serialize_unit()
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
    ) -> Result<S::Ok, S::Error> {
        self.inner.serialize_str(name)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Result<S::Ok, S::Error> {
        let mut map = self.parts(|inner| inner.serialize_map(Some(1)))?;
        map.serialize_field(name, value)?;
        map.inner.end()
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<DirectElements<S>, S::Error> {
        match len {
            Some(len) => Ok(DirectElements::Direct(self.list(len)?)),
            None => {
                let later = self.later(|writer| writer.serialize_seq(None))?;
                Ok(DirectElements::Later(later))
            }
        }
    }

    fn serialize_tuple(self, len: usize) -> Result<DirectParts<S::SerializeSeq>, S::Error> {
        self.list(len)
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        len: usize,
    ) -> Result<DirectParts<S::SerializeSeq>, S::Error> {
        self.list(len)
    }

    fn serialize_tuple_variant(
        self,
        of: &'static str,
        index: u32,
        name: &'static str,
        len: usize,
    ) -> Result<Later<S, TreeList>, S::Error> {
        self.later(|writer| writer.serialize_tuple_variant(of, index, name, len))
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Later<S, TreeMap>, S::Error> {
        self.later(|writer| writer.serialize_map(len))
    }

    fn serialize_struct(
        self,
        _: &'static str,
        len: usize,
    ) -> Result<DirectParts<S::SerializeMap>, S::Error> {
        self.parts(|inner| inner.serialize_map(Some(len)))
    }

    fn serialize_struct_variant(
        self,
        of: &'static str,
        index: u32,
        name: &'static str,
        len: usize,
    ) -> Result<Later<S, TreeMap>, S::Error> {
        self.later(|writer| writer.serialize_struct_variant(of, index, name, len))
    }
}

/// Elements or fields that are written one by one.
pub(super) struct DirectParts<P> {
    inner: P,
    writer: TreeWriter,
}

/// A part, for the format to write.
struct DirectPart<'a, T: ?Sized> {
    value: &'a T,
    writer: TreeWriter,
}

impl<T: Serialize + ?Sized> Serialize for DirectPart<'_, T> {
    #[inline]
    fn serialize<S: Serializer>(&self, inner: S) -> Result<S::Ok, S::Error> {
        let writer = self.writer;
        self.value.serialize(DirectSerializer { inner, writer })
    }
}

impl<P: SerializeSeq> DirectParts<P> {
    #[inline]
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), P::Error> {
        let writer = self.writer;
        self.inner.serialize_element(&DirectPart { value, writer })
    }
}

impl<P: SerializeSeq> SerializeTuple for DirectParts<P> {
    type Ok = P::Ok;
    type Error = P::Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), P::Error> {
        self.element(value)
    }

    fn end(self) -> Result<P::Ok, P::Error> {
        self.inner.end()
    }
}

impl<P: SerializeSeq> SerializeTupleStruct for DirectParts<P> {
    type Ok = P::Ok;
    type Error = P::Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), P::Error> {
        self.element(value)
    }

    fn end(self) -> Result<P::Ok, P::Error> {
        self.inner.end()
    }
}

impl<P: SerializeMap> SerializeStruct for DirectParts<P> {
    type Ok = P::Ok;
    type Error = P::Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), P::Error> {
        let writer = self.writer;
        self.inner
            .serialize_entry(name, &DirectPart { value, writer })
    }

    fn end(self) -> Result<P::Ok, P::Error> {
        self.inner.end()
    }
}

/// The elements of a sequence, whose number may not be known.
pub(super) enum DirectElements<S: Serializer> {
    Direct(DirectParts<S::SerializeSeq>),
    Later(Later<S, TreeList>),
}

impl<S: Serializer> SerializeSeq for DirectElements<S> {
    type Ok = S::Ok;
    type Error = S::Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
        match self {
            Self::Direct(parts) => parts.element(value),
            Self::Later(later) => {
                SerializeSeq::serialize_element(&mut *later.tree, value).map_err(S::Error::custom)
            }
        }
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        match self {
            Self::Direct(parts) => parts.inner.end(),
            Self::Later(later) => later.write(SerializeSeq::end),
        }
    }
}

/// A tree that is made, and then written.
pub(super) struct Later<S, T> {
    inner: S,
    writer: TreeWriter,
    /// Boxed, because values of other kinds, which have none, are moved in the same memory.
    tree: Box<T>,
}

impl<S: Serializer, T> Later<S, T> {
    fn write(self, end: impl FnOnce(T) -> Result<Value, EncodeError>) -> Result<S::Ok, S::Error> {
        let tree = end(*self.tree).map_err(S::Error::custom)?;
        write(self.inner, self.writer, &tree)
    }
}

impl<S: Serializer> SerializeTupleVariant for Later<S, TreeList> {
    type Ok = S::Ok;
    type Error = S::Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
        SerializeTupleVariant::serialize_field(&mut *self.tree, value).map_err(S::Error::custom)
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        self.write(SerializeTupleVariant::end)
    }
}

impl<S: Serializer> SerializeStructVariant for Later<S, TreeMap> {
    type Ok = S::Ok;
    type Error = S::Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), S::Error> {
        SerializeStructVariant::serialize_field(&mut *self.tree, name, value)
            .map_err(S::Error::custom)
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        self.write(SerializeStructVariant::end)
    }
}

impl<S: Serializer> SerializeMap for Later<S, TreeMap> {
    type Ok = S::Ok;
    type Error = S::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), S::Error> {
        self.tree.serialize_key(key).map_err(S::Error::custom)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), S::Error> {
        self.tree.serialize_value(value).map_err(S::Error::custom)
    }

    fn end(self) -> Result<S::Ok, S::Error> {
        self.write(SerializeMap::end)
    }
}

/// Accepts values that cannot be mistaken for an option: those without parts, lists, and structs without a field `Some`;
/// and looks at no part.
struct DistinctFromNone;

/// The answer to `DistinctFromNone` is no, or not known.
#[derive(Debug)]
struct NotDistinct;

impl std::fmt::Display for NotDistinct {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("may be an option")
    }
}

impl std::error::Error for NotDistinct {}

impl Error for NotDistinct {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        Self
    }
}

macro_rules! distinct {
    ($($method:ident($type:ty);)*) => {$(
        #[inline]
        fn $method(self, _: $type) -> Result<(), NotDistinct> {
            Ok(())
        }
    )*};
}

impl Serializer for DistinctFromNone {
    type Ok = ();
    type Error = NotDistinct;
    type SerializeSeq = Passed;
    type SerializeTuple = Passed;
    type SerializeTupleStruct = Passed;
    type SerializeTupleVariant = Impossible<(), NotDistinct>;
    type SerializeMap = Impossible<(), NotDistinct>;
    type SerializeStruct = Passed;
    type SerializeStructVariant = Impossible<(), NotDistinct>;

    distinct! {
        serialize_bool(bool);
        serialize_i8(i8);
        serialize_i16(i16);
        serialize_i32(i32);
        serialize_i64(i64);
        serialize_i128(i128);
        serialize_u8(u8);
        serialize_u16(u16);
        serialize_u32(u32);
        serialize_u64(u64);
        serialize_u128(u128);
        serialize_f32(f32);
        serialize_f64(f64);
        serialize_char(char);
        serialize_str(&str);
        serialize_bytes(&[u8]);
    }

    fn is_human_readable(&self) -> bool {
        true
    }

    fn serialize_none(self) -> Result<(), NotDistinct> {
        Err(NotDistinct)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<(), NotDistinct> {
        Err(NotDistinct)
    }

    fn serialize_unit(self) -> Result<(), NotDistinct> {
        Err(NotDistinct)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), NotDistinct> {
        Err(NotDistinct)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
    ) -> Result<(), NotDistinct> {
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), NotDistinct> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: &T,
    ) -> Result<(), NotDistinct> {
        if name == "Some" {
            Err(NotDistinct)
        } else {
            Ok(())
        }
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Passed, NotDistinct> {
        Ok(Passed)
    }

    fn serialize_tuple(self, _: usize) -> Result<Passed, NotDistinct> {
        Ok(Passed)
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Passed, NotDistinct> {
        Ok(Passed)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, NotDistinct> {
        Err(NotDistinct)
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Self::SerializeMap, NotDistinct> {
        Err(NotDistinct)
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Passed, NotDistinct> {
        Ok(Passed)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, NotDistinct> {
        Err(NotDistinct)
    }
}

/// The parts of a value that are passed over.
struct Passed;

macro_rules! passed {
    ($($trait:ident::$method:ident;)*) => {$(
        impl $trait for Passed {
            type Ok = ();
            type Error = NotDistinct;

            fn $method<T: Serialize + ?Sized>(&mut self, _: &T) -> Result<(), NotDistinct> {
                Ok(())
            }

            fn end(self) -> Result<(), NotDistinct> {
                Ok(())
            }
        }
    )*};
}

passed! {
    SerializeSeq::serialize_element;
    SerializeTuple::serialize_element;
    SerializeTupleStruct::serialize_field;
}

impl SerializeStruct for Passed {
    type Ok = ();
    type Error = NotDistinct;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        _: &T,
    ) -> Result<(), NotDistinct> {
        if name == "Some" {
            Err(NotDistinct)
        } else {
            Ok(())
        }
    }

    fn end(self) -> Result<(), NotDistinct> {
        Ok(())
    }
}
