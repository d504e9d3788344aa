//! The methods that serde calls to write a value that is one token.

use std::fmt::Display;

use ecs_engine::entity::session::NEWTYPE;
use serde_core::ser::{Impossible, Serialize, Serializer};

use super::part::Halt;
use super::part_impls::impl_tokens;
use super::tape::{OneToken, TapeToken};

type OtherParts = Impossible<TapeToken, Halt>;

/// Values with parts, or with a text.
macro_rules! others {
    ($($method:ident($($argument:ty),*) -> $result:ty;)*) => {$(
        #[inline]
        fn $method(self, $(_: $argument),*) -> Result<$result, Halt> {
            Err(Halt::Failed)
        }
    )*};
}

impl OneToken {
    #[inline]
    fn one(self, token: TapeToken) -> Result<TapeToken, Halt> {
        Ok(token)
    }
}

impl Serializer for OneToken {
    type Ok = TapeToken;
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
        serialize_i128(i128) -> TapeToken;
        serialize_u128(u128) -> TapeToken;
        serialize_char(char) -> TapeToken;
        serialize_str(&str) -> TapeToken;
        serialize_bytes(&[u8]) -> TapeToken;
        serialize_seq(Option<usize>) -> OtherParts;
        serialize_tuple(usize) -> OtherParts;
        serialize_tuple_struct(&'static str, usize) -> OtherParts;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> OtherParts;
        serialize_map(Option<usize>) -> OtherParts;
        serialize_struct(&'static str, usize) -> OtherParts;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> OtherParts;
    }

    fn collect_str<T: Display + ?Sized>(self, _: &T) -> Result<TapeToken, Halt> {
        Err(Halt::Failed)
    }

    /// The content of an option may have another form than the same value elsewhere.
    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<TapeToken, Halt> {
        Err(Halt::Failed)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<TapeToken, Halt> {
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
    ) -> Result<TapeToken, Halt> {
        Err(Halt::Failed)
    }
}
