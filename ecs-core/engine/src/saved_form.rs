//! Structs of the engine and of the app in saves, without the derives of serde.

/// Implements the traits of serde for a struct, like the derives: fields by name, or in this order. `checked` is called with
/// each value that was read, and returns the error of a wrong one as text.
#[doc(hidden)]
#[macro_export]
macro_rules! __saved_form {
    ($ty:ident { $($field:ident),+ $(,)? }, $checked:expr) => {
        const _: () = {
            use $crate::__private::serde_core as serde;
            const FIELDS: &[&str] = &[$(stringify!($field)),+];

            impl serde::Serialize for $ty {
                fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                    use serde::ser::SerializeStruct as _;
                    let mut fields = to.serialize_struct(stringify!($ty), FIELDS.len())?;
                    $(fields.serialize_field(stringify!($field), &self.$field)?;)+
                    fields.end()
                }
            }

            impl<'de> serde::Deserialize<'de> for $ty {
                fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                    from.deserialize_struct(stringify!($ty), FIELDS, Fields)
                }
            }

            struct Fields;

            impl<'de> serde::de::Visitor<'de> for Fields {
                type Value = $ty;

                fn expecting(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                    f.write_str(concat!("struct ", stringify!($ty)))
                }

                fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<$ty, A::Error> {
                    use serde::de::Error as _;
                    let missing = || A::Error::invalid_length(FIELDS.len(), &self);
                    $(let $field = seq.next_element()?.ok_or_else(missing)?;)+
                    let check: fn($ty) -> Result<$ty, &'static str> = $checked;
                    check($ty { $($field),+ }).map_err(A::Error::custom)
                }

                fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<$ty, A::Error> {
                    use serde::de::Error as _;
                    $(let mut $field = None;)+
                    while let Some(key) = map.next_key::<$crate::__private::String>()? {
                        match &*key {
                            $(stringify!($field) => $field = Some(map.next_value()?),)+
                            _ => _ = map.next_value::<serde::de::IgnoredAny>()?,
                        }
                    }
                    $(let $field = $field
                        .ok_or_else(|| A::Error::missing_field(stringify!($field)))?;)+
                    let check: fn($ty) -> Result<$ty, &'static str> = $checked;
                    check($ty { $($field),+ }).map_err(A::Error::custom)
                }
            }
        };
    };
}
