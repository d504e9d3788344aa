//! The methods that serde calls to write a value that is one token.

use std::fmt::{self, Display};

use ecs_engine::entity::session::NEWTYPE;
use serde_core::ser::{Error, Impossible, Serialize, Serializer};

use super::tape::{NeedsTape, OneToken, TapeToken};
use crate::value::widen_float;

impl Display for NeedsTape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the value is more than a token")
    }
}

impl std::error::Error for NeedsTape {}

impl Error for NeedsTape {
    fn custom<T: Display>(_: T) -> Self {
        Self
    }
}

type OtherParts = Impossible<TapeToken, NeedsTape>;

macro_rules! tokens {
    ($($method:ident($type:ty) => $token:ident;)*) => {$(
        #[inline]
        fn $method(self, value: $type) -> Result<TapeToken, NeedsTape> {
            Ok(TapeToken::$token(value.into()))
        }
    )*};
}

/// Values with parts, or with a text.
macro_rules! others {
    ($($method:ident($($argument:ty),*) -> $result:ty;)*) => {$(
        #[inline]
        fn $method(self, $(_: $argument),*) -> Result<$result, NeedsTape> {
            Err(NeedsTape)
        }
    )*};
}

impl Serializer for OneToken {
    type Ok = TapeToken;
    type Error = NeedsTape;
    type SerializeSeq = OtherParts;
    type SerializeTuple = OtherParts;
    type SerializeTupleStruct = OtherParts;
    type SerializeTupleVariant = OtherParts;
    type SerializeMap = OtherParts;
    type SerializeStruct = OtherParts;
    type SerializeStructVariant = OtherParts;

    tokens! {
        serialize_bool(bool) => Bool;
        serialize_i8(i8) => Int;
        serialize_i16(i16) => Int;
        serialize_i32(i32) => Int;
        serialize_i64(i64) => Int;
        serialize_u8(u8) => Int;
        serialize_u16(u16) => Int;
        serialize_u32(u32) => Int;
        serialize_f64(f64) => Float;
    }

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

    fn is_human_readable(&self) -> bool {
        true
    }

    #[inline]
    fn serialize_u64(self, value: u64) -> Result<TapeToken, NeedsTape> {
        Ok(match i64::try_from(value) {
            Ok(value) => TapeToken::Int(value),
            Err(_) => TapeToken::Unsigned(value),
        })
    }

    #[inline]
    fn serialize_f32(self, value: f32) -> Result<TapeToken, NeedsTape> {
        Ok(TapeToken::Float(widen_float(value)))
    }

    fn collect_str<T: Display + ?Sized>(self, _: &T) -> Result<TapeToken, NeedsTape> {
        Err(NeedsTape)
    }

    #[inline]
    fn serialize_none(self) -> Result<TapeToken, NeedsTape> {
        Ok(TapeToken::Null)
    }

    /// The content of an option may have another form than the same value elsewhere.
    fn serialize_some<T: Serialize + ?Sized>(self, _: &T) -> Result<TapeToken, NeedsTape> {
        Err(NeedsTape)
    }

    #[inline]
    fn serialize_unit(self) -> Result<TapeToken, NeedsTape> {
        Ok(TapeToken::Null)
    }

    #[inline]
    fn serialize_unit_struct(self, _: &'static str) -> Result<TapeToken, NeedsTape> {
        Ok(TapeToken::Null)
    }

    #[inline]
    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
    ) -> Result<TapeToken, NeedsTape> {
        Ok(TapeToken::Name(name))
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<TapeToken, NeedsTape> {
        match name == NEWTYPE {
            true => Err(NeedsTape),
            false => value.serialize(self),
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<TapeToken, NeedsTape> {
        Err(NeedsTape)
    }
}
