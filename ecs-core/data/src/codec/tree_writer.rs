//! The methods that serde calls to make a tree of a value.

use ecs_engine::entity::session::NEWTYPE;
use serde_core::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant, Serializer,
};

use super::error::EncodeError;
use crate::Value;
use crate::value::widen_float;

/// The maximum depth of a tree. Readers allow 128 levels, and a file takes some of them.
const MAX_DEPTH: u32 = 112;

/// The maximum number of elements to make room for in advance: the announced number is only a hint.
const CAUTIOUS: usize = 4096;

/// Returns the tree of a value.
pub(super) fn tree_of<T: Serialize + ?Sized>(value: &T) -> Result<Value, EncodeError> {
    let tree = value.serialize(TreeWriter::new())?;
    check_depth(&tree, MAX_DEPTH)?;
    Ok(tree)
}

/// Checks that a tree has no more levels than there may be.
pub(super) fn check_depth(value: &Value, levels: u32) -> Result<(), EncodeError> {
    if matches!(value, Value::List(_) | Value::Map(_)) && levels == 0 {
        return Err(EncodeError::too_deep(MAX_DEPTH));
    }
    let check = |part: &Value| match part {
        Value::List(_) | Value::Map(_) => check_depth(part, levels - 1),
        _ => Ok(()),
    };
    match value {
        Value::List(values) => values.iter().try_for_each(check),
        Value::Map(entries) => entries.iter().try_for_each(|(key, value)| {
            check(key)?;
            check(value)
        }),
        _ => Ok(()),
    }
}

/// Makes a tree, with at most this many further levels of types. That is a bound for the stack: an option is a level of a
/// type, but only sometimes one of the tree.
#[derive(Clone, Copy)]
pub(super) struct TreeWriter {
    levels: u32,
    /// The levels that the tree may have here.
    depth: u32,
}

impl TreeWriter {
    pub(super) fn new() -> Self {
        Self {
            levels: 2 * MAX_DEPTH,
            depth: MAX_DEPTH,
        }
    }

    /// Returns the levels that a tree which is written here may have.
    pub(super) fn depth(self) -> u32 {
        self.depth
    }

    /// Returns the writer of a part of a value.
    pub(super) fn part(self) -> Result<Self, EncodeError> {
        let inside = self.inside()?;
        match self.depth.checked_sub(1) {
            Some(depth) => Ok(Self { depth, ..inside }),
            None => Err(EncodeError::too_deep(MAX_DEPTH)),
        }
    }

    /// Returns the writer of the content of an option.
    pub(super) fn option(self) -> Result<Self, EncodeError> {
        self.inside()
    }

    /// Returns the writer of a value one level further inside.
    fn inside(self) -> Result<Self, EncodeError> {
        match self.levels.checked_sub(1) {
            Some(levels) => Ok(Self { levels, ..self }),
            None => Err(EncodeError::too_deep(MAX_DEPTH)),
        }
    }

    fn list(self, variant: Option<&'static str>, len: usize) -> Result<TreeList, EncodeError> {
        let writer = if variant.is_some() {
            self.inside()?
        } else {
            self
        };
        Ok(TreeList {
            writer: writer.inside()?,
            variant,
            values: Vec::with_capacity(len.min(CAUTIOUS)),
        })
    }

    fn map(self, variant: Option<&'static str>, len: usize) -> Result<TreeMap, EncodeError> {
        let writer = if variant.is_some() {
            self.inside()?
        } else {
            self
        };
        Ok(TreeMap {
            writer: writer.inside()?,
            variant,
            entries: Vec::with_capacity(len.min(CAUTIOUS)),
            key: Value::Null,
        })
    }
}

/// Returns the tree of a variant with values.
fn variant_of(name: Option<&'static str>, value: Value) -> Value {
    match name {
        Some(name) => Value::Map(vec![(Value::from(name), value)]),
        None => value,
    }
}

macro_rules! from {
    ($($method:ident: $type:ty,)*) => {$(
        fn $method(self, value: $type) -> Result<Value, EncodeError> {
            Ok(Value::from(value))
        }
    )*};
}

impl Serializer for TreeWriter {
    type Ok = Value;
    type Error = EncodeError;
    type SerializeSeq = TreeList;
    type SerializeTuple = TreeList;
    type SerializeTupleStruct = TreeList;
    type SerializeTupleVariant = TreeList;
    type SerializeMap = TreeMap;
    type SerializeStruct = TreeMap;
    type SerializeStructVariant = TreeMap;

    from! {
        serialize_bool: bool,
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64, serialize_i128: i128,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_f64: f64, serialize_char: char, serialize_str: &str,
    }

    fn is_human_readable(&self) -> bool {
        true
    }

    fn serialize_u128(self, value: u128) -> Result<Value, EncodeError> {
        Ok(i128::try_from(value).map_or_else(|_| Value::String(value.to_string()), Value::Int))
    }

    fn serialize_f32(self, value: f32) -> Result<Value, EncodeError> {
        Ok(Value::Float(widen_float(value)))
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<Value, EncodeError> {
        Ok(Value::Bytes(value.to_owned()))
    }

    fn serialize_none(self) -> Result<Value, EncodeError> {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Value, EncodeError> {
        value.serialize(self.inside()?).map(Value::some)
    }

    fn serialize_unit(self) -> Result<Value, EncodeError> {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Value, EncodeError> {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
    ) -> Result<Value, EncodeError> {
        Ok(Value::from(name))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<Value, EncodeError> {
        let value = value.serialize(self)?;
        if name == NEWTYPE
            && let Some(entity) = value.to_entity()
        {
            return Ok(Value::Entity(entity));
        }
        Ok(value)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        value: &T,
    ) -> Result<Value, EncodeError> {
        Ok(variant_of(Some(name), value.serialize(self.inside()?)?))
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<TreeList, EncodeError> {
        self.list(None, len.unwrap_or(0))
    }

    fn serialize_tuple(self, len: usize) -> Result<TreeList, EncodeError> {
        self.list(None, len)
    }

    fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<TreeList, EncodeError> {
        self.list(None, len)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        len: usize,
    ) -> Result<TreeList, EncodeError> {
        self.list(Some(name), len)
    }

    fn serialize_map(self, len: Option<usize>) -> Result<TreeMap, EncodeError> {
        self.map(None, len.unwrap_or(0))
    }

    fn serialize_struct(self, _: &'static str, len: usize) -> Result<TreeMap, EncodeError> {
        self.map(None, len)
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        len: usize,
    ) -> Result<TreeMap, EncodeError> {
        self.map(Some(name), len)
    }
}

/// Elements that are collected.
pub(super) struct TreeList {
    writer: TreeWriter,
    variant: Option<&'static str>,
    values: Vec<Value>,
}

impl TreeList {
    fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
        self.values.push(value.serialize(self.writer)?);
        Ok(())
    }

    fn finish(self) -> Value {
        variant_of(self.variant, Value::List(self.values))
    }
}

/// Entries that are collected.
pub(super) struct TreeMap {
    writer: TreeWriter,
    variant: Option<&'static str>,
    entries: Vec<(Value, Value)>,
    /// The key of the next value.
    key: Value,
}

impl TreeMap {
    fn push<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), EncodeError> {
        self.entries
            .push((Value::from(name), value.serialize(self.writer)?));
        Ok(())
    }

    fn finish(self) -> Value {
        variant_of(self.variant, Value::Map(self.entries))
    }
}

macro_rules! collect {
    ($($trait:ident for $type:ty { $method:ident($($name:ident: $name_type:ty)?) })*) => {$(
        impl $trait for $type {
            type Ok = Value;
            type Error = EncodeError;

            fn $method<T: Serialize + ?Sized>(&mut self, $($name: $name_type,)? value: &T) -> Result<(), EncodeError> {
                self.push($($name,)? value)
            }

            fn end(self) -> Result<Value, EncodeError> {
                Ok(self.finish())
            }
        }
    )*};
}

collect! {
    SerializeSeq for TreeList { serialize_element() }
    SerializeTuple for TreeList { serialize_element() }
    SerializeTupleStruct for TreeList { serialize_field() }
    SerializeTupleVariant for TreeList { serialize_field() }
    SerializeStruct for TreeMap { serialize_field(name: &'static str) }
    SerializeStructVariant for TreeMap { serialize_field(name: &'static str) }
}

impl SerializeMap for TreeMap {
    type Ok = Value;
    type Error = EncodeError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), EncodeError> {
        self.key = key.serialize(self.writer)?;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), EncodeError> {
        let value = value.serialize(self.writer)?;
        self.entries.push((std::mem::take(&mut self.key), value));
        Ok(())
    }

    fn end(self) -> Result<Value, EncodeError> {
        Ok(self.finish())
    }
}
