//! The methods that serde calls to write a value that is one token.

use std::fmt::{self, Display, Write as _};

use ecs_engine::entity::session::NEWTYPE;
use serde_core::ser::{Impossible, Serialize, Serializer};

use super::part::Halt;
use super::part_impls::impl_tokens;
use super::tape::{MOST_LEVELS, OneKind, OneToken, OneValue, TapeToken};

type OtherParts = Impossible<OneValue, Halt>;

/// Values with parts.
macro_rules! others {
    ($($method:ident($($argument:ty),*) -> $result:ty;)*) => {$(
        #[inline]
        fn $method(self, $(_: $argument),*) -> Result<$result, Halt> {
            Err(Halt::Failed)
        }
    )*};
}

impl OneToken<'_> {
    #[inline(always)]
    fn one(self, token: TapeToken) -> Result<OneValue, Halt> {
        Ok(match token {
            TapeToken::Bool(value) => OneValue::new(OneKind::Bool, value.into()),
            TapeToken::Int(value) => OneValue::new(OneKind::Int, value.cast_unsigned()),
            TapeToken::Unsigned(value) => OneValue::new(OneKind::Unsigned, value),
            TapeToken::Float(value) => OneValue::new(OneKind::Float, value.to_bits()),
            TapeToken::Name(name) => return self.serialize_str(name),
            // Inside of an option it would be mistaken for none.
            TapeToken::Null if self.options_left == MOST_LEVELS => OneValue::new(OneKind::Null, 0),
            _ => return Err(Halt::Failed),
        })
    }

    fn wide_int(self, digits: &impl Display) -> Result<OneValue, Halt> {
        self.collect_str(digits)
    }
}

impl Serializer for OneToken<'_> {
    type Ok = OneValue;
    type Error = Halt;
    type SerializeSeq = OtherParts;
    type SerializeTuple = OtherParts;
    type SerializeTupleStruct = OtherParts;
    type SerializeTupleVariant = OtherParts;
    type SerializeMap = OtherParts;
    type SerializeStruct = OtherParts;
    type SerializeStructVariant = OtherParts;

    impl_tokens!();

    others! {
        serialize_bytes(&[u8]) -> OneValue;
        serialize_seq(Option<usize>) -> OtherParts;
        serialize_tuple(usize) -> OtherParts;
        serialize_tuple_struct(&'static str, usize) -> OtherParts;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> OtherParts;
        serialize_map(Option<usize>) -> OtherParts;
        serialize_struct(&'static str, usize) -> OtherParts;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> OtherParts;
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<OneValue, Halt> {
        self.text.write(value);
        Ok(OneValue::new(OneKind::Text, 0))
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<OneValue, Halt> {
        let mut printed = ShortText::default();
        match write!(printed, "{value}") {
            Ok(()) => self.serialize_str(printed.text()),
            Err(_) => Err(Halt::Failed),
        }
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<OneValue, Halt> {
        let options_left = self.options_left.checked_sub(1).ok_or(Halt::Failed)?;
        value.serialize(Self {
            options_left,
            ..self
        })
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<OneValue, Halt> {
        match name == NEWTYPE {
            true => Err(Halt::Failed),
            false => value.serialize(self),
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<OneValue, Halt> {
        Err(Halt::Failed)
    }
}

/// A printed text that is not longer than ids and numbers are.
struct ShortText {
    bytes: [u8; 64],
    len: usize,
}

impl Default for ShortText {
    fn default() -> Self {
        Self {
            bytes: [0; 64],
            len: 0,
        }
    }
}

impl ShortText {
    fn text(&self) -> &str {
        str::from_utf8(&self.bytes[..self.len]).unwrap_or_default()
    }
}

impl fmt::Write for ShortText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let free = &mut self.bytes[self.len..];
        let place = free.get_mut(..text.len()).ok_or(fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.len += text.len();
        Ok(())
    }
}
