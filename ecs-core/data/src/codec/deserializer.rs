//! What serde calls to read a value.

use std::any::type_name;
use std::borrow::Cow;

use serde_core::de::{Deserializer, Expected, Visitor};

use super::access::{Content, Elements, Entries, Items, Pairs, Variant};
use super::decoder::{Decoder, Mark, Source};
use super::error::DecodeError;
use super::tree::{Other, wrong};
use crate::Value;

macro_rules! integers {
    ($($method:ident, $visit:ident: $type:ident,)*) => {$(
        #[inline]
        fn $method<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
            let value = match self.chunk() {
                Some(bytes) => $type::from_le_bytes(bytes),
                None => self.other_int(stringify!($type), $type::MIN as i128, $type::MAX as i128)? as $type,
            };
            visitor.$visit(value)
        }
    )*};
}

macro_rules! others {
    ($($method:ident, $visit:ident: $type:ident, $other:ident,)*) => {$(
        #[inline]
        fn $method<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
            let value = match self.chunk() {
                Some(bytes) => $type::from_le_bytes(bytes),
                None => self.$other()?,
            };
            visitor.$visit(value)
        }
    )*};
}

impl<'a> Deserializer<'a> for &mut Decoder<'a> {
    type Error = DecodeError;

    integers! {
        deserialize_i8, visit_i8: i8, deserialize_i16, visit_i16: i16, deserialize_i32, visit_i32: i32,
        deserialize_i64, visit_i64: i64, deserialize_i128, visit_i128: i128,
        deserialize_u8, visit_u8: u8, deserialize_u16, visit_u16: u16, deserialize_u32, visit_u32: u32,
        deserialize_u64, visit_u64: u64,
    }

    others! {
        deserialize_u128, visit_u128: u128, other_u128,
        deserialize_f32, visit_f32: f32, other_f32,
        deserialize_f64, visit_f64: f64, other_f64,
    }

    /// Trees have the form of text formats, whatever they were read from.
    fn is_human_readable(&self) -> bool {
        matches!(self.source, Source::Tree(_))
    }

    #[inline]
    fn deserialize_bool<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let value = match self.chunk() {
            Some([0]) => false,
            Some([1]) => true,
            Some([byte]) => {
                return Err(DecodeError::new(format_args!(
                    "a bool is {byte} instead of 0 or 1"
                )));
            }
            None => self.other_bool()?,
        };
        visitor.visit_bool(value)
    }

    #[inline]
    fn deserialize_char<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let value = match self.chunk() {
            Some(bytes) => match char::from_u32(u32::from_le_bytes(bytes)) {
                Some(char) => char,
                None => return Err(DecodeError::new("a char is not a Unicode scalar value")),
            },
            None => self.other_char()?,
        };
        visitor.visit_char(value)
    }

    fn deserialize_str<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.text()? {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }

    fn deserialize_string<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_bytes<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.byte_string()? {
            Cow::Borrowed(bytes) => visitor.visit_borrowed_bytes(bytes),
            Cow::Owned(bytes) => visitor.visit_byte_buf(bytes),
        }
    }

    fn deserialize_byte_buf<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        self.deserialize_bytes(visitor)
    }

    #[inline]
    fn deserialize_option<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let mark = self.mark();
        let is_some = match self.chunk() {
            Some([0]) => false,
            Some([1]) => {
                self.enter()?;
                true
            }
            Some([byte]) => {
                return Err(DecodeError::new(format_args!(
                    "an option is {byte} instead of 0 or 1"
                )));
            }
            None => self.other_option()?,
        };
        let value = if is_some {
            visitor.visit_some(&mut *self)?
        } else {
            visitor.visit_none()?
        };
        self.back_to(mark);
        Ok(value)
    }

    #[inline]
    fn deserialize_unit<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        if !matches!(self.source, Source::Bytes) {
            self.other_unit()?;
        }
        visitor.visit_unit()
    }

    #[inline]
    fn deserialize_unit_struct<V: Visitor<'a>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.deserialize_unit(visitor)
    }

    #[inline]
    fn deserialize_newtype_struct<V: Visitor<'a>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let mark = self.mark();
        let items = if matches!(self.source, Source::Bytes) {
            self.enter()?;
            Items::Next(self.length()?)
        } else {
            self.other_list(&visitor)?
        };
        self.elements::<true, V>(items, mark, visitor)
    }

    #[inline]
    fn deserialize_tuple<V: Visitor<'a>>(
        self,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let mark = self.mark();
        let items = match self.source {
            Source::Bytes | Source::Trace(_) => {
                self.enter()?;
                Items::Next(len)
            }
            Source::Tree(_) => self.other_list(&visitor)?,
        };
        self.elements::<false, V>(items, mark, visitor)
    }

    #[inline]
    fn deserialize_tuple_struct<V: Visitor<'a>>(
        self,
        _: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        self.deserialize_tuple(len, visitor)
    }

    fn deserialize_map<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let mark = self.mark();
        let items = if matches!(self.source, Source::Bytes) {
            self.enter()?;
            Pairs::Bytes(self.length()?)
        } else {
            match self.other()? {
                Other::Tree(Value::Map(entries)) => Pairs::Map(entries.iter()),
                Other::Tree(Value::List(pairs)) => Pairs::List(pairs.iter()),
                Other::Tree(value) => return Err(wrong(value, &visitor)),
                Other::Made => {
                    self.enter()?;
                    Pairs::Made(usize::from(!self.is_deep()))
                }
            }
        };
        self.entries(items, mark, visitor)
    }

    #[inline]
    fn deserialize_struct<V: Visitor<'a>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let mark = self.mark();
        let items = match self.source {
            Source::Bytes | Source::Trace(_) => {
                self.enter()?;
                Items::Next(fields.len())
            }
            Source::Tree(Some(Value::Map(entries))) => {
                self.source = Source::Tree(None);
                return self.entries(Pairs::Map(entries.iter()), mark, visitor);
            }
            Source::Tree(_) => self.other_list(&visitor)?,
        };
        self.elements::<false, V>(items, mark, visitor)
    }

    fn deserialize_enum<V: Visitor<'a>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let mark = self.mark();
        let content = match self.source {
            Source::Bytes => Content::Next,
            _ => self.other_enum(type_name::<V>(), variants)?,
        };
        let value = visitor.visit_enum(Variant {
            decoder: &mut *self,
            content,
        })?;
        self.leave_variant(mark);
        Ok(value)
    }

    /// In bytes, only variants are identified, by their indices.
    fn deserialize_identifier<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match self.identifier(type_name::<V>()) {
            Ok(Identifier::Index(index)) => visitor.visit_u64(index),
            Ok(Identifier::Name(name)) => visitor.visit_str(&name),
            Err(error) => Err(error),
        }
    }

    fn deserialize_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        let value = match &mut self.source {
            Source::Tree(value) => *value,
            Source::Trace(trace) => return Err(trace.names()),
            Source::Bytes => return Err(DecodeError::names()),
        };
        match value {
            None | Some(Value::Null) => {
                self.other_unit()?;
                visitor.visit_unit()
            }
            Some(Value::Bool(_)) => self.deserialize_bool(visitor),
            Some(Value::Int(int)) if i64::try_from(*int).is_ok() => self.deserialize_i64(visitor),
            Some(Value::Int(int)) if u64::try_from(*int).is_ok() => self.deserialize_u64(visitor),
            Some(Value::Int(_)) => self.deserialize_i128(visitor),
            Some(Value::Float(_)) => self.deserialize_f64(visitor),
            Some(Value::String(_)) => self.deserialize_str(visitor),
            Some(Value::Bytes(_)) => self.deserialize_bytes(visitor),
            Some(Value::List(_)) => self.deserialize_seq(visitor),
            Some(Value::Map(_)) => self.deserialize_map(visitor),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'a>>(self, visitor: V) -> Result<V::Value, DecodeError> {
        match &mut self.source {
            Source::Tree(value) => {
                *value = None;
                visitor.visit_unit()
            }
            Source::Trace(trace) => Err(trace.names()),
            Source::Bytes => Err(DecodeError::names()),
        }
    }
}

/// The index of a variant, or the name of a variant or a field.
enum Identifier<'a> {
    Index(u64),
    Name(Cow<'a, str>),
}

#[expect(
    clippy::question_mark,
    reason = "they are compiled for each type, and so are the functions of `?`"
)]
impl<'a> Decoder<'a> {
    #[inline]
    fn elements<const LIST: bool, V: Visitor<'a>>(
        &mut self,
        items: Items<'a>,
        mark: Mark,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let mut elements = Elements::<LIST>::new(self, items);
        let value = match visitor.visit_seq(&mut elements) {
            Ok(value) => value,
            Err(error) => return Err(error),
        };
        if let Err(error) = elements.finish() {
            return Err(error);
        }
        self.back_to(mark);
        Ok(value)
    }

    #[inline]
    fn entries<V: Visitor<'a>>(
        &mut self,
        items: Pairs<'a>,
        mark: Mark,
        visitor: V,
    ) -> Result<V::Value, DecodeError> {
        let mut entries = Entries::new(self, items);
        let value = match visitor.visit_map(&mut entries) {
            Ok(value) => value,
            Err(error) => return Err(error),
        };
        if let Err(error) = entries.finish() {
            return Err(error);
        }
        self.back_to(mark);
        Ok(value)
    }

    fn identifier(&mut self, visitor: &'static str) -> Result<Identifier<'a>, DecodeError> {
        if let Some(index) = self.chunk() {
            return Ok(Identifier::Index(u32::from_le_bytes(index).into()));
        }
        if let Source::Trace(trace) = &mut self.source {
            return Ok(Identifier::Index(
                trace.identify(visitor, self.in_key)?.into(),
            ));
        }
        self.text().map(Identifier::Name)
    }

    pub(super) fn text(&mut self) -> Result<Cow<'a, str>, DecodeError> {
        if !matches!(self.source, Source::Bytes) {
            return self.other_str();
        }
        let length = self.length()?;
        match str::from_utf8(self.take(length)?) {
            Ok(text) => Ok(Cow::Borrowed(text)),
            Err(error) => Err(DecodeError::new(format_args!(
                "a text is not UTF-8: {error}"
            ))),
        }
    }

    pub(super) fn byte_string(&mut self) -> Result<Cow<'a, [u8]>, DecodeError> {
        if !matches!(self.source, Source::Bytes) {
            return self.other_bytes();
        }
        let length = self.length()?;
        self.take(length).map(Cow::Borrowed)
    }

    #[cold]
    fn other_list(&mut self, expected: &dyn Expected) -> Result<Items<'a>, DecodeError> {
        match self.other()? {
            Other::Tree(Value::List(values)) => Ok(Items::Trees(values)),
            Other::Tree(value) => Err(wrong(value, expected)),
            Other::Made => {
                self.enter()?;
                Ok(Items::Next(usize::from(!self.is_deep())))
            }
        }
    }

    #[cold]
    fn other_enum(
        &mut self,
        visitor: &'static str,
        variants: &'static [&'static str],
    ) -> Result<Content<'a>, DecodeError> {
        if let Source::Trace(trace) = &mut self.source {
            trace.choose(visitor, variants.len())?;
            return Ok(Content::Next);
        }
        let value = match self.other()? {
            Other::Tree(value) => value,
            Other::Made => return Ok(Content::Next),
        };
        match value {
            Value::String(_) => Ok(Content::Tree(value, None)),
            Value::Map(entries) if entries.len() == 1 => {
                Ok(Content::Tree(&entries[0].0, Some(&entries[0].1)))
            }
            _ => {
                let name = variants.first().copied().unwrap_or("Name");
                Err(DecodeError::new(format_args!(
                    "{}\nhelp: write a variant as `\"{name}\"`, with values as `{{\"{name}\": ..}}`",
                    wrong(value, &"a variant").message()
                )))
            }
        }
    }

    #[inline]
    fn leave_variant(&mut self, mark: Mark) {
        if let Source::Trace(trace) = &mut self.source {
            trace.complete();
        }
        self.back_to(mark);
    }
}
