//! The methods that serde calls to write a value that is one token.

use std::fmt::{self, Display, Write as _};

use ecs_engine::entity::session::NEWTYPE;
use serde_core::ser::{Impossible, Serialize, Serializer};

use super::part::Halt;
use super::part_impls::impl_tokens;
use super::tape::{MOST_LEVELS, OneToken, TapeToken};

type OtherParts = Impossible<(), Halt>;

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
    fn one(self, token: TapeToken) -> Result<(), Halt> {
        match token {
            TapeToken::Bool(value) => self.to.bool(value),
            TapeToken::Int(value) => self.to.int(value),
            TapeToken::Unsigned(value) => self.to.unsigned(value),
            TapeToken::Float(value) => self.to.float(value),
            TapeToken::Name(name) => self.to.text(name),
            // Inside of an option it would be mistaken for none.
            TapeToken::Null if self.options_left == MOST_LEVELS => self.to.null(),
            _ => return Err(Halt::Failed),
        }
        Ok(())
    }

    fn wide_int(self, digits: &impl Display) -> Result<(), Halt> {
        self.collect_str(digits)
    }
}

impl Serializer for OneToken<'_> {
    type Ok = ();
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
        serialize_bytes(&[u8]) -> ();
        serialize_seq(Option<usize>) -> OtherParts;
        serialize_tuple(usize) -> OtherParts;
        serialize_tuple_struct(&'static str, usize) -> OtherParts;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> OtherParts;
        serialize_map(Option<usize>) -> OtherParts;
        serialize_struct(&'static str, usize) -> OtherParts;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> OtherParts;
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<(), Halt> {
        self.to.text(value);
        Ok(())
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<(), Halt> {
        let mut printed = ShortText::default();
        match write!(printed, "{value}") {
            Ok(()) => self.serialize_str(printed.text()),
            Err(_) => Err(Halt::Failed),
        }
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Halt> {
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
    ) -> Result<(), Halt> {
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
    ) -> Result<(), Halt> {
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
