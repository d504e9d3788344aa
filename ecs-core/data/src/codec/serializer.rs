//! What serde calls to write a value to a sink.

use serde_core::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::encoder::Encoder;
use super::error::EncodeError;
use super::sink::{Sink, Slot};

macro_rules! numbers {
    ($($method:ident: $type:ty,)*) => {$(
        #[inline]
        fn $method(self, value: $type) -> Result<(), EncodeError> {
            self.put(value.to_le_bytes())
        }
    )*};
}

impl<'s, 'a> Serializer for &'s mut Sink<'a> {
    type Ok = ();
    type Error = EncodeError;
    type SerializeSeq = List<'s, 'a>;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Variant<'s, 'a>;
    type SerializeMap = Map<'s, 'a>;
    type SerializeStruct = Self;
    type SerializeStructVariant = Variant<'s, 'a>;

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
        self.enter()?;
        value.serialize(&mut *self)?;
        self.leave();
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
        self.enter()?;
        value.serialize(&mut *self)?;
        self.leave();
        Ok(())
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<List<'s, 'a>, EncodeError> {
        self.enter()?;
        let length = self.slot()?;
        Ok(List {
            sink: self,
            length,
            count: 0,
        })
    }

    #[inline]
    fn serialize_tuple(self, _: usize) -> Result<Self, EncodeError> {
        Ok(self)
    }

    #[inline]
    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Self, EncodeError> {
        Ok(self)
    }

    #[inline]
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Variant<'s, 'a>, EncodeError> {
        self.put(index.to_le_bytes())?;
        self.enter()?;
        Ok(Variant { sink: self })
    }

    #[inline]
    fn serialize_map(self, length: Option<usize>) -> Result<Map<'s, 'a>, EncodeError> {
        if length.is_none() {
            // A struct with flattened fields, which is read as if it described itself.
            return Err(EncodeError::NEEDS_NAMES);
        }
        self.enter()?;
        let sorted = self.is_canonical().then(|| {
            Box::new(Sorted {
                entries: Vec::new(),
                encoder: Encoder::of_entries(self),
            })
        });
        let length = self.slot()?;
        Ok(Map {
            list: List {
                sink: self,
                length,
                count: 0,
            },
            left: 0,
            sorted,
        })
    }

    #[inline]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Self, EncodeError> {
        Ok(self)
    }

    #[inline]
    fn serialize_struct_variant(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Variant<'s, 'a>, EncodeError> {
        self.put(index.to_le_bytes())?;
        self.enter()?;
        Ok(Variant { sink: self })
    }
}

impl SerializeTuple for &mut Sink<'_> {
    type Ok = ();
    type Error = EncodeError;

    #[inline]
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
        value.serialize(&mut **self)
    }

    #[inline]
    fn end(self) -> Result<(), EncodeError> {
        Ok(())
    }
}

impl SerializeTupleStruct for &mut Sink<'_> {
    type Ok = ();
    type Error = EncodeError;

    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
        value.serialize(&mut **self)
    }

    #[inline]
    fn end(self) -> Result<(), EncodeError> {
        Ok(())
    }
}

impl SerializeStruct for &mut Sink<'_> {
    type Ok = ();
    type Error = EncodeError;

    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        _: &'static str,
        value: &T,
    ) -> Result<(), EncodeError> {
        value.serialize(&mut **self)
    }

    /// A field that is written or not: the reader could not know.
    fn skip_field(&mut self, _: &'static str) -> Result<(), EncodeError> {
        Err(EncodeError::NEEDS_NAMES)
    }

    #[inline]
    fn end(self) -> Result<(), EncodeError> {
        Ok(())
    }
}

/// The fields of a variant, which are a level.
pub struct Variant<'s, 'a> {
    sink: &'s mut Sink<'a>,
}

impl SerializeTupleVariant for Variant<'_, '_> {
    type Ok = ();
    type Error = EncodeError;

    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
        value.serialize(&mut *self.sink)
    }

    #[inline]
    fn end(self) -> Result<(), EncodeError> {
        self.sink.leave();
        Ok(())
    }
}

impl SerializeStructVariant for Variant<'_, '_> {
    type Ok = ();
    type Error = EncodeError;

    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        _: &'static str,
        value: &T,
    ) -> Result<(), EncodeError> {
        value.serialize(&mut *self.sink)
    }

    fn skip_field(&mut self, _: &'static str) -> Result<(), EncodeError> {
        Err(EncodeError::NEEDS_NAMES)
    }

    #[inline]
    fn end(self) -> Result<(), EncodeError> {
        self.sink.leave();
        Ok(())
    }
}

/// The elements of a sequence. They are counted: the length that a `Serialize` tells is a hint.
pub struct List<'s, 'a> {
    sink: &'s mut Sink<'a>,
    length: Slot<'a>,
    count: usize,
}

impl SerializeSeq for List<'_, '_> {
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
        self.sink.leave();
        Ok(())
    }
}

/// The entries of a map.
pub struct Map<'s, 'a> {
    list: List<'s, 'a>,
    /// The room before the current entry.
    left: usize,
    sorted: Option<Box<Sorted>>,
}

/// Entries that are sorted when all are known.
pub(super) struct Sorted {
    encoder: Encoder,
    /// Where each key and each value ends.
    entries: Vec<(usize, usize)>,
}

impl Sorted {
    fn write(&self, sink: &mut Sink<'_>) -> Result<(), EncodeError> {
        let bytes = self.encoder.bytes();
        let mut start = 0;
        let mut entries: Vec<(&[u8], &[u8])> = Vec::with_capacity(self.entries.len());
        for &(key, value) in &self.entries {
            entries.push((&bytes[start..key], &bytes[key..value]));
            start = value;
        }
        entries.sort_unstable();
        for (key, value) in entries {
            let left = sink.left();
            sink.put_slice(key)?;
            sink.put_slice(value)?;
            sink.pad(left)?;
        }
        Ok(())
    }
}

impl SerializeMap for Map<'_, '_> {
    type Ok = ();
    type Error = EncodeError;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), EncodeError> {
        if let Some(sorted) = &mut self.sorted {
            sorted.encoder.value(key)?;
            let end = sorted.encoder.len();
            sorted.entries.push((end, end));
            return Ok(());
        }
        self.left = self.list.sink.left();
        key.serialize(&mut *self.list.sink)
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
        self.list.count += 1;
        if let Some(sorted) = &mut self.sorted {
            sorted.encoder.value(value)?;
            if let Some(entry) = sorted.entries.last_mut() {
                entry.1 = sorted.encoder.len();
            }
            return Ok(());
        }
        value.serialize(&mut *self.list.sink)?;
        self.list.sink.pad(self.left)
    }

    #[inline]
    fn end(self) -> Result<(), EncodeError> {
        if let Some(sorted) = &self.sorted {
            sorted.write(self.list.sink)?;
        }
        self.list.end()
    }
}
