//! The methods that serde calls to read a value.
#![expect(
    clippy::question_mark,
    reason = "it is compiled for each type, and so are the functions of `?`"
)]

use std::any::type_name;
use std::borrow::Cow;

use serde_core::de::{Deserializer, Visitor};

use super::access::{ElementAccess, Entries, FieldAccess, Pairs, Trees, Variant};
use super::error::Raised;
use super::mismatch::wrong;
use super::origin::{InputOrigin, OriginSource, Other, VariantContent};
use super::reader::{InputKind, RowReader, RowSource};
use super::shape::{Event, FoundType};
use super::trace::Identifier;
use crate::Value;

macro_rules! integers {
    ($($method:ident, $visit:ident: $type:ident,)*) => {$(
        #[inline]
        fn $method<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Raised> {
            #[cold]
            #[inline(never)]
            fn other<'a, V: Visitor<'a>>(origin: &mut InputOrigin<'a>, visitor: V) -> Result<V::Value, Raised> {
                let value = origin.int(stringify!($type), $type::MIN as i128, $type::MAX as i128);
                value.and_then(|value| visitor.$visit(value as $type))
            }

            match self.chunk() {
                Some(bytes) => visitor.$visit($type::from_le_bytes(bytes)),
                None if T::IN_WINDOWS => Err(Raised::CUT),
                None => other(self.origin, visitor),
            }
        }
    )*};
}

macro_rules! others {
    ($($method:ident, $visit:ident: $type:ident,)*) => {$(
        #[inline]
        fn $method<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Raised> {
            #[cold]
            #[inline(never)]
            fn other<'a, V: Visitor<'a>>(origin: &mut InputOrigin<'a>, visitor: V) -> Result<V::Value, Raised> {
                origin.$type().and_then(|value| visitor.$visit(value))
            }

            match self.chunk() {
                Some(bytes) => visitor.$visit($type::from_le_bytes(bytes)),
                None if T::IN_WINDOWS => Err(Raised::CUT),
                None => other(self.origin, visitor),
            }
        }
    )*};
}

impl<'a, T: RowSource> Deserializer<'a> for &mut RowReader<'_, 'a, T> {
    type Error = Raised;

    integers! {
        deserialize_i8, visit_i8: i8, deserialize_i16, visit_i16: i16, deserialize_i32, visit_i32: i32,
        deserialize_i64, visit_i64: i64, deserialize_i128, visit_i128: i128,
        deserialize_u8, visit_u8: u8, deserialize_u16, visit_u16: u16, deserialize_u32, visit_u32: u32,
        deserialize_u64, visit_u64: u64,
    }

    others! {
        deserialize_u128, visit_u128: u128, deserialize_f32, visit_f32: f32, deserialize_f64, visit_f64: f64,
    }

    /// Trees have the form of text formats, whatever they were read from.
    fn is_human_readable(&self) -> bool {
        self.kind() == InputKind::Tree
    }

    #[inline]
    fn deserialize_bool<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Raised> {
        let value = match self.chunk() {
            Some([0]) => false,
            Some([1]) => true,
            Some([byte]) => {
                return Err(Raised::new(format_args!(
                    "a bool is {byte} instead of 0 or 1"
                )));
            }
            None if T::IN_WINDOWS => return Err(Raised::CUT),
            None => self.origin.bool()?,
        };
        visitor.visit_bool(value)
    }

    #[inline]
    fn deserialize_char<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Raised> {
        let value = match self.chunk() {
            Some(bytes) => match char::from_u32(u32::from_le_bytes(bytes)) {
                Some(char) => char,
                None => return Err(Raised::new("a char is not a Unicode scalar value")),
            },
            None if T::IN_WINDOWS => return Err(Raised::CUT),
            None => self.origin.char()?,
        };
        visitor.visit_char(value)
    }

    fn deserialize_str<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Raised> {
        match self.text()? {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }

    fn deserialize_string<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Raised> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Raised> {
        match self.byte_string()? {
            Cow::Borrowed(bytes) => visitor.visit_borrowed_bytes(bytes),
            Cow::Owned(bytes) => visitor.visit_byte_buf(bytes),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Raised> {
        self.deserialize_bytes(visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Raised> {
        let is_some = match self.chunk() {
            Some([0]) => false,
            Some([1]) => true,
            Some([byte]) => {
                return Err(Raised::new(format_args!(
                    "an option is {byte} instead of 0 or 1"
                )));
            }
            None if T::IN_WINDOWS => return Err(Raised::CUT),
            None => match self.origin.option(self.made()) {
                Ok(is_some) => is_some,
                Err(error) => return Err(error),
            },
        };
        if !is_some {
            return visitor.visit_none();
        }
        if self.kind() == InputKind::Tree {
            return visitor.visit_some(self);
        }
        if let Err(error) = self.enter() {
            return Err(error);
        }
        let value = visitor.visit_some(&mut *self);
        self.leave();
        value
    }

    #[inline]
    fn deserialize_unit<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Raised> {
        if self.kind() != InputKind::Bytes {
            self.origin.unit()?;
        }
        visitor.visit_unit()
    }

    #[inline]
    fn deserialize_unit_struct<V: Visitor<'a>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Raised> {
        self.deserialize_unit(visitor)
    }

    #[inline(always)]
    fn deserialize_newtype_struct<V: Visitor<'a>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Raised> {
        if self.kind() == InputKind::Trace {
            self.origin.note(Event::Newtype(ty::<V>(name)));
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Raised> {
        let count = match self.kind() {
            InputKind::Tree => return self.copy().tree_list(visitor),
            InputKind::Trace => match self.origin.made_list(self.made(), Event::List) {
                Ok(made) => made,
                Err(error) => return Err(error),
            },
            InputKind::Bytes => match self.length() {
                Ok(length) => length,
                Err(error) => return Err(error),
            },
        };
        if let Err(error) = self.enter() {
            return Err(error);
        }
        let mut elements = ElementAccess::<_, true>::new(&mut *self, count);
        let value = match visitor.visit_seq(&mut elements) {
            Ok(value) => value,
            Err(error) => return Err(error),
        };
        if let Err(error) = elements.finish() {
            return Err(error);
        }
        self.leave();
        Ok(value)
    }

    #[inline(always)]
    fn deserialize_tuple<V: Visitor<'a>>(self, len: usize, visitor: V) -> Result<V::Value, Raised> {
        if self.kind() == InputKind::Tree {
            let mut read = None;
            let result = self.copy().tree_list_to(visitor, &mut read);
            return read_or(read, result);
        }
        let is_trace = self.kind() == InputKind::Trace;
        if is_trace {
            self.origin.note(Event::Tuple(len));
        }
        if let Err(error) = self.enter() {
            return Err(error);
        }
        let value = visitor.visit_seq(&mut ElementAccess::<_, false>::new(&mut *self, len));
        self.leave();
        if is_trace && value.is_ok() {
            self.origin.note(Event::End);
        }
        value
    }

    #[inline(always)]
    fn deserialize_tuple_struct<V: Visitor<'a>>(
        self,
        name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Raised> {
        if self.kind() == InputKind::Trace {
            self.origin.note(Event::TupleStruct(ty::<V>(name)));
        }
        self.deserialize_tuple(len, visitor)
    }

    fn deserialize_map<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Raised> {
        let pairs = match self.kind() {
            InputKind::Bytes => Pairs::Next(self.length()?),
            InputKind::Trace => Pairs::Next(self.origin.made_list(self.made(), Event::Map)?),
            InputKind::Tree => match self.origin.other()? {
                Other::Tree(Value::List(pairs)) => Pairs::List(pairs.iter()),
                Other::Tree(Value::Map(entries)) => Pairs::Map(entries.iter()),
                Other::Tree(value) => return Err(wrong(value, &visitor)),
                Other::Made(_) => Pairs::Next(0),
            },
        };
        let mut reader = self.copy();
        if reader.kind() != InputKind::Tree {
            reader.enter()?;
        }
        let mut entries = Entries::new(&mut reader, pairs);
        let value = match visitor.visit_map(&mut entries) {
            Ok(value) => value,
            Err(error) => return Err(error),
        };
        entries.finish()?;
        let rest = reader.into_rest();
        self.set_rest(rest);
        Ok(value)
    }

    #[inline(always)]
    fn deserialize_struct<V: Visitor<'a>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Raised> {
        if self.kind() == InputKind::Tree {
            return match self.origin.fields(&visitor) {
                Ok(entries) => {
                    let mut read = None;
                    let result = self.copy().tree_fields_to(entries, visitor, &mut read);
                    read_or(read, result)
                }
                Err(error) => Err(error),
            };
        }
        let is_trace = self.kind() == InputKind::Trace;
        if is_trace {
            let is_outermost = self.is_outermost();
            self.origin.note_fields(ty::<V>(name), fields, is_outermost);
        }
        if let Err(error) = self.enter() {
            return Err(error);
        }
        let value = visitor.visit_seq(&mut ElementAccess::<_, false>::new(
            &mut *self,
            fields.len(),
        ));
        self.leave();
        if is_trace && value.is_ok() {
            self.origin.note(Event::End);
        }
        value
    }

    #[inline]
    fn deserialize_enum<V: Visitor<'a>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Raised> {
        let content = match self.kind() {
            InputKind::Bytes => VariantContent::Next,
            _ => match self.origin.variant(ty::<V>(name), variants) {
                Ok(content) => content,
                Err(error) => return Err(error),
            },
        };
        let value = visitor.visit_enum(Variant {
            reader: &mut *self,
            content,
        });
        if self.kind() == InputKind::Trace && value.is_ok() {
            self.origin.leave_variant();
        }
        value
    }

    /// In bytes, only variants are identified, by their indices.
    #[inline]
    fn deserialize_identifier<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Raised> {
        let identifier = match self.chunk() {
            Some(index) => Identifier::Index(u32::from_le_bytes(index).into()),
            None if T::IN_WINDOWS => return Err(Raised::CUT),
            None => match self.origin.identifier(type_name::<V>()) {
                Ok(identifier) => identifier,
                Err(error) => return Err(error),
            },
        };
        match identifier {
            Identifier::Index(index) => visitor.visit_u64(index),
            Identifier::Name(name) => visitor.visit_str(&name),
        }
    }

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Raised> {
        // The same values as those of `any_value`.
        match self.origin.made_any()? {
            None => {}
            Some(1) => return visitor.visit_str("x"),
            Some(2) => return visitor.visit_unit(),
            Some(3) => return visitor.visit_bool(true),
            Some(4) => return visitor.visit_f64(0.5),
            Some(_) => return visitor.visit_u64(1),
        }
        match self.origin.any()? {
            Value::Null => self.deserialize_unit(visitor),
            Value::Bool(_) => self.deserialize_bool(visitor),
            Value::Int(int) if i64::try_from(*int).is_ok() => self.deserialize_i64(visitor),
            Value::Int(int) if u64::try_from(*int).is_ok() => self.deserialize_u64(visitor),
            Value::Int(_) => self.deserialize_i128(visitor),
            Value::Float(_) => self.deserialize_f64(visitor),
            Value::String(_) | Value::Entity(_) => self.deserialize_str(visitor),
            Value::Bytes(_) => self.deserialize_bytes(visitor),
            Value::List(_) => self.deserialize_seq(visitor),
            Value::Map(_) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, Raised> {
        self.origin.any()?;
        self.origin.source = OriginSource::Tree(None);
        visitor.visit_unit()
    }
}

/// Returns the value that was read, or the error.
#[inline]
fn read_or<T>(read: Option<T>, result: Result<(), Raised>) -> Result<T, Raised> {
    match (read, result) {
        (Some(value), _) => Ok(value),
        (None, Err(error)) => Err(error),
        (None, Ok(())) => Err(Raised::end()),
    }
}

/// Returns the type that a visitor reads.
fn ty<V>(name: &'static str) -> FoundType {
    FoundType {
        visitor: type_name::<V>(),
        name,
    }
}

impl<'a, T: RowSource> RowReader<'_, 'a, T> {
    /// Reads a list of trees. It is a separate function, and works on a copy of the reader, so that the reader of bytes is
    /// not passed on.
    #[cold]
    fn tree_list<V: Visitor<'a>>(mut self, visitor: V) -> Result<V::Value, Raised> {
        let values = match self.origin.list(&visitor) {
            Ok(values) => values,
            Err(error) => return Err(error),
        };
        let mut trees = Trees::new(&mut self, values);
        let value = match visitor.visit_seq(&mut trees) {
            Ok(value) => value,
            Err(error) => return Err(error),
        };
        match trees.finish() {
            Ok(()) => Ok(value),
            Err(error) => Err(error),
        }
    }

    /// Reads a list of trees into a place of its own. So the caller's result, which may also come from bytes, is not an argument
    /// of a call, and can be in registers.
    #[cold]
    #[inline(never)]
    fn tree_list_to<V: Visitor<'a>>(
        self,
        visitor: V,
        read: &mut Option<V::Value>,
    ) -> Result<(), Raised> {
        match self.tree_list(visitor) {
            Ok(value) => {
                *read = Some(value);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Reads the fields of a struct into a place of its own, for the same reason.
    #[cold]
    #[inline(never)]
    fn tree_fields_to<V: Visitor<'a>>(
        mut self,
        entries: &'a [(Value, Value)],
        visitor: V,
        read: &mut Option<V::Value>,
    ) -> Result<(), Raised> {
        let mut fields = FieldAccess::new(&mut self, entries);
        let value = match visitor.visit_map(&mut fields) {
            Ok(value) => value,
            Err(error) => return Err(error),
        };
        match fields.finish() {
            Ok(()) => {
                *read = Some(value);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    pub(super) fn text(&mut self) -> Result<Cow<'a, str>, Raised> {
        if self.kind() != InputKind::Bytes {
            return self.origin.str();
        }
        match str::from_utf8(self.slice()?) {
            Ok(text) => Ok(Cow::Borrowed(text)),
            Err(error) => Err(Raised::new(format_args!("a text is not UTF-8: {error}"))),
        }
    }

    pub(super) fn byte_string(&mut self) -> Result<Cow<'a, [u8]>, Raised> {
        if self.kind() != InputKind::Bytes {
            return self.origin.bytes();
        }
        self.slice().map(Cow::Borrowed)
    }
}
