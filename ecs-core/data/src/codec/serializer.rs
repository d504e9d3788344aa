//! The methods that serde calls to write a value to a sink.

use std::fmt::Display;

use serde_core::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::error::EncodeError;
use super::sink::{MapRecord, Sink, Slot};

/// Not inlined: only the cursor has to stay in registers.
#[inline(never)]
fn printed<T: Display + ?Sized>(value: &T) -> String {
    value.to_string()
}

macro_rules! numbers {
    ($($method:ident: $type:ty,)*) => {$(
        #[inline]
        fn $method(self, value: $type) -> Result<(), EncodeError> {
            self.put(value.to_le_bytes())
        }
    )*};
}

impl<'s, 'a, R> Serializer for &'s mut Sink<'a, R> {
    type Ok = ();
    type Error = EncodeError;
    type SerializeSeq = ListSerializer<'s, 'a, R>;
    type SerializeTuple = FieldSerializer<'s, 'a, R>;
    type SerializeTupleStruct = FieldSerializer<'s, 'a, R>;
    type SerializeTupleVariant = FieldSerializer<'s, 'a, R>;
    type SerializeMap = MapSerializer<'s, 'a, R>;
    type SerializeStruct = FieldSerializer<'s, 'a, R>;
    type SerializeStructVariant = FieldSerializer<'s, 'a, R>;

    numbers! {
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64, serialize_u128: u128,
        serialize_f32: f32, serialize_f64: f64,
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    #[inline]
    fn serialize_bool(self, value: bool) -> Result<(), EncodeError> {
        self.put([u8::from(value)])
    }

    #[inline]
    fn serialize_char(self, value: char) -> Result<(), EncodeError> {
        self.put(u32::from(value).to_le_bytes())
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<(), EncodeError> {
        self.serialize_bytes(value.as_bytes())
    }

    /// Inlined, because a function that got the cursor would keep it in memory, for all fields of a type with such a value.
    #[inline(always)]
    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<(), EncodeError> {
        self.serialize_str(&printed(value))
    }

    #[inline]
    fn serialize_bytes(self, value: &[u8]) -> Result<(), EncodeError> {
        self.length(value.len())?;
        self.put_slice(value)
    }

    #[inline]
    fn serialize_none(self) -> Result<(), EncodeError> {
        self.put([0])
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), EncodeError> {
        self.put([1])?;
        let outside = self.enter()?;
        value.serialize(&mut *self)?;
        self.leave(outside);
        Ok(())
    }

    #[inline]
    fn serialize_unit(self) -> Result<(), EncodeError> {
        Ok(())
    }

    #[inline]
    fn serialize_unit_struct(self, _: &'static str) -> Result<(), EncodeError> {
        Ok(())
    }

    #[inline]
    fn serialize_unit_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
    ) -> Result<(), EncodeError> {
        self.put(index.to_le_bytes())
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), EncodeError> {
        value.serialize(self)
    }

    #[inline]
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), EncodeError> {
        self.put(index.to_le_bytes())?;
        let outside = self.enter()?;
        value.serialize(&mut *self)?;
        self.leave(outside);
        Ok(())
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<ListSerializer<'s, 'a, R>, EncodeError> {
        let outside = self.enter()?;
        let length = self.slot()?;
        Ok(ListSerializer {
            sink: self,
            outside,
            length,
            count: 0,
        })
    }

    #[inline]
    fn serialize_tuple(self, _: usize) -> Result<FieldSerializer<'s, 'a, R>, EncodeError> {
        FieldSerializer::new(self)
    }

    #[inline]
    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<FieldSerializer<'s, 'a, R>, EncodeError> {
        FieldSerializer::new(self)
    }

    #[inline]
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<FieldSerializer<'s, 'a, R>, EncodeError> {
        self.put(index.to_le_bytes())?;
        FieldSerializer::new(self)
    }

    #[inline]
    fn serialize_map(self, length: Option<usize>) -> Result<MapSerializer<'s, 'a, R>, EncodeError> {
        if length.is_none() {
            // A struct with flattened fields. Its reader needs a format that writes the names of fields.
            return Err(EncodeError::NEEDS_NAMES);
        }
        let outside = self.enter()?;
        let ends = self.ends()?;
        let length = self.slot()?;
        let start = self.left();
        let list = ListSerializer {
            sink: self,
            outside,
            length,
            count: 0,
        };
        Ok(MapSerializer {
            list,
            start,
            left: start,
            ends,
        })
    }

    #[inline]
    fn serialize_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<FieldSerializer<'s, 'a, R>, EncodeError> {
        FieldSerializer::new(self)
    }

    #[inline]
    fn serialize_struct_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<FieldSerializer<'s, 'a, R>, EncodeError> {
        self.put(index.to_le_bytes())?;
        FieldSerializer::new(self)
    }
}

/// The fields of a struct, or the values of a tuple.
pub struct FieldSerializer<'s, 'a, R> {
    sink: &'s mut Sink<'a, R>,
    /// The depth outside of it.
    outside: u32,
}

impl<'s, 'a, R> FieldSerializer<'s, 'a, R> {
    #[inline]
    fn new(sink: &'s mut Sink<'a, R>) -> Result<Self, EncodeError> {
        let outside = sink.enter()?;
        Ok(Self { sink, outside })
    }
}

macro_rules! fields {
    ($($trait:ident { $method:ident($($name:ident: $type:ty)?) $($skip:item)? })*) => {$(
        impl<R> $trait for FieldSerializer<'_, '_, R> {
            type Ok = ();
            type Error = EncodeError;

            #[inline]
            fn $method<T: Serialize + ?Sized>(&mut self, $($name: $type,)? value: &T) -> Result<(), EncodeError> {
                value.serialize(&mut *self.sink)
            }

            $($skip)?

            #[inline]
            fn end(self) -> Result<(), EncodeError> {
                self.sink.leave(self.outside);
                Ok(())
            }
        }
    )*};
}

fields! {
    SerializeTuple { serialize_element() }
    SerializeTupleStruct { serialize_field() }
    SerializeTupleVariant { serialize_field() }
    SerializeStruct {
        serialize_field(_name: &'static str)
        /// Refused: the reader could not know which fields were skipped.
        fn skip_field(&mut self, _: &'static str) -> Result<(), EncodeError> {
            Err(EncodeError::NEEDS_NAMES)
        }
    }
    SerializeStructVariant {
        serialize_field(_name: &'static str)
        fn skip_field(&mut self, _: &'static str) -> Result<(), EncodeError> {
            Err(EncodeError::NEEDS_NAMES)
        }
    }
}

/// The elements of a sequence. They are counted, because the length that a `Serialize` passes is only a hint.
pub struct ListSerializer<'s, 'a, R> {
    sink: &'s mut Sink<'a, R>,
    /// The depth outside of the list.
    outside: u32,
    length: Slot<'a>,
    count: usize,
}

impl<R> SerializeSeq for ListSerializer<'_, '_, R> {
    type Ok = ();
    type Error = EncodeError;

    #[inline]
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
        let left = self.sink.left();
        value.serialize(&mut *self.sink)?;
        self.count += 1;
        self.sink.pad(left)
    }

    #[inline]
    fn end(self) -> Result<(), EncodeError> {
        match u32::try_from(self.count) {
            Ok(count) => *self.length = count.to_le_bytes(),
            Err(_) => return Err(EncodeError::too_long()),
        }
        self.sink.leave(self.outside);
        Ok(())
    }
}

/// The entries of a map.
pub struct MapSerializer<'s, 'a, R> {
    list: ListSerializer<'s, 'a, R>,
    /// The bytes of the sink that were unused before the first entry.
    start: usize,
    /// The same before the current entry.
    left: usize,
    /// The same after each entry, if the entries are sorted later.
    ends: Option<Vec<usize>>,
}

impl<R> SerializeMap for MapSerializer<'_, '_, R> {
    type Ok = ();
    type Error = EncodeError;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), EncodeError> {
        self.left = self.list.sink.left();
        key.serialize(&mut *self.list.sink)
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
        value.serialize(&mut *self.list.sink)?;
        self.list.count += 1;
        self.list.sink.pad(self.left)?;
        if let Some(ends) = &mut self.ends {
            ends.push(self.list.sink.left());
        }
        Ok(())
    }

    #[inline]
    fn end(self) -> Result<(), EncodeError> {
        if let Some(ends) = self.ends {
            self.list.sink.push_map(MapRecord {
                start: self.start,
                ends,
            });
        }
        self.list.end()
    }
}
