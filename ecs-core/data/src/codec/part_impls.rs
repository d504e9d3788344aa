//! The traits of serde for the parts of a value: a writer does the same for all lists, and for all structs.

/// Implements the traits for the elements of lists and for the fields of structs, or for one of both, by the methods `element`,
/// `field` and `result` of a type. Maps, whose keys are values too, are its own affair.
macro_rules! impl_parts {
    ($parts:ty: $ok:ty, $error:ty) => {
        impl_parts! { elements of $parts: $ok, $error }
        impl_parts! { fields of $parts: $ok, $error }
    };
    (elements of $parts:ty: $ok:ty, $error:ty) => {
        impl_parts! { $parts: $ok, $error;
            SerializeSeq { serialize_element => element() }
            SerializeTuple { serialize_element => element() }
            SerializeTupleStruct { serialize_field => element() }
            SerializeTupleVariant { serialize_field => element() }
        }
    };
    (fields of $parts:ty: $ok:ty, $error:ty) => {
        impl_parts! { $parts: $ok, $error;
            SerializeStruct { serialize_field => field(name: &'static str) }
            SerializeStructVariant { serialize_field => field(name: &'static str) }
        }
    };
    ($parts:ty: $ok:ty, $error:ty; $($trait:ident { $method:ident => $write:ident($($name:ident: $name_type:ty)?) })*) => {$(
        impl serde_core::ser::$trait for $parts {
            type Ok = $ok;
            type Error = $error;

            #[inline]
            fn $method<T: Serialize + ?Sized>(&mut self, $($name: $name_type,)? value: &T) -> Result<(), $error> {
                self.$write($($name,)? value)
            }

            #[inline]
            fn end(self) -> Result<$ok, $error> {
                self.result()
            }
        }
    )*};
}

/// The methods of a `Serializer` for values that are one token of a tape: they pass it to the method `one` of the type, and integers of
/// more than 64 bits to its method `wide_int`.
macro_rules! impl_tokens {
    () => {
        impl_tokens! {
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

        fn is_human_readable(&self) -> bool {
            true
        }

        #[inline]
        fn serialize_u64(self, value: u64) -> Result<Self::Ok, Self::Error> {
            self.one(match i64::try_from(value) {
                Ok(value) => TapeToken::Int(value),
                Err(_) => TapeToken::Unsigned(value),
            })
        }

        fn serialize_i128(self, value: i128) -> Result<Self::Ok, Self::Error> {
            match (i64::try_from(value), u64::try_from(value)) {
                (Ok(value), _) => self.one(TapeToken::Int(value)),
                (_, Ok(value)) => self.one(TapeToken::Unsigned(value)),
                _ => self.wide_int(&value),
            }
        }

        fn serialize_u128(self, value: u128) -> Result<Self::Ok, Self::Error> {
            match i128::try_from(value) {
                Ok(value) => self.serialize_i128(value),
                Err(_) => self.collect_str(&value),
            }
        }

        #[inline]
        fn serialize_char(self, value: char) -> Result<Self::Ok, Self::Error> {
            self.serialize_str(value.encode_utf8(&mut [0; 4]))
        }

        #[inline]
        fn serialize_f32(self, value: f32) -> Result<Self::Ok, Self::Error> {
            self.serialize_f64($crate::value::widen_float(value))
        }

        #[inline]
        fn serialize_none(self) -> Result<Self::Ok, Self::Error> {
            self.serialize_unit()
        }

        #[inline]
        fn serialize_unit(self) -> Result<Self::Ok, Self::Error> {
            self.one(TapeToken::Null)
        }

        #[inline]
        fn serialize_unit_struct(self, _: &'static str) -> Result<Self::Ok, Self::Error> {
            self.serialize_unit()
        }

        #[inline]
        fn serialize_unit_variant(
            self,
            _: &'static str,
            _: u32,
            name: &'static str,
        ) -> Result<Self::Ok, Self::Error> {
            self.one(TapeToken::Name(name))
        }
    };
    ($($method:ident($type:ty) => $token:ident;)*) => {$(
        #[inline]
        fn $method(self, value: $type) -> Result<Self::Ok, Self::Error> {
            self.one(TapeToken::$token(value.into()))
        }
    )*};
}

pub(super) use {impl_parts, impl_tokens};
