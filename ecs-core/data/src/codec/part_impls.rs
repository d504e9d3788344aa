//! The traits of serde for the parts of a value: a writer does the same for all lists, and for all structs.

/// Implements the traits for the elements of lists and for the fields of structs by the methods `element`, `field` and `result` of
/// a type. Maps, whose keys are values too, are its own affair.
macro_rules! impl_parts {
    ($parts:ty: $ok:ty, $error:ty) => {
        impl_parts! { $parts: $ok, $error;
            SerializeSeq { serialize_element => element() }
            SerializeTuple { serialize_element => element() }
            SerializeTupleStruct { serialize_field => element() }
            SerializeTupleVariant { serialize_field => element() }
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

pub(super) use impl_parts;
