//! Values of components that are defined at run time: maps of their fields, by name.
//!
//! They have no plain form, so a program can add fields and still read its old saves. If fields are missing, the error names them.

use std::ptr::NonNull;

use ecs_engine::dynamic::{
    DynamicMut, DynamicRef, DynamicType, DynamicValue, FieldKind, FieldMut, FieldRef,
};
use serde_core::de::{DeserializeOwned, Error as _};
use serde_core::ser::{Error as _, SerializeMap};
use serde_core::{Serialize, Serializer};

use super::error::ErrorPlace;
use super::functions::{Form, encode_trees};
use super::{DecodeError, Decoder, EncodeError, Encoder};
use crate::Value;

/// The functions of serde for a component that is defined at run time.
#[derive(Clone, Copy)]
pub(crate) struct DynamicCodec {
    /// Invariant 1: has fields, or none if it is a tag; it is not raw.
    ty: &'static DynamicType,
}

impl DynamicCodec {
    /// Returns the functions of a component; `None` if it is raw.
    pub(crate) fn of(ty: &'static DynamicType) -> Option<Self> {
        (!ty.is_raw()).then_some(Self { ty })
    }

    /// Returns the size of a value.
    pub(crate) fn size(self) -> usize {
        self.ty.layout().size()
    }

    /// Returns true if values can name entities.
    pub(crate) fn has_entities(self) -> bool {
        let mut fields = self.ty.fields().iter();
        fields.any(|field| field.kind() == FieldKind::Entity)
    }

    /// Returns the fields, with the texts of their shapes.
    pub(crate) fn field_kinds(self) -> Vec<(&'static str, &'static str)> {
        let fields = self.ty.fields().iter();
        let kinds = fields.map(|field| {
            let kind = match field.kind() {
                FieldKind::String => "str",
                FieldKind::Entity => "?id",
                kind => kind.name(),
            };
            (field.name(), kind)
        });
        kinds.collect()
    }

    /// Returns the value with the default of each field.
    pub(crate) fn default_value(self) -> Option<Value> {
        let value = DynamicValue::new(self.ty.component()).ok()?;
        Value::of(&DynamicFields(value.as_ref())).ok()
    }

    /// Appends `n` values in a form; see [`Codec::encode_as`](super::Codec::encode_as).
    ///
    /// # Safety
    /// `values` points to `n` values of the component, and nothing changes them during the call.
    pub(crate) unsafe fn encode_as(
        self,
        form: Form,
        values: *const u8,
        n: usize,
        encoder: &mut Encoder,
    ) -> Result<(), EncodeError> {
        if form == Form::Plain {
            return Err(EncodeError::NEEDS_NAMES);
        }
        encode_trees(encoder, n, |row| {
            // SAFETY: the caller says that there are `n` values, and the row is one of them.
            let value = unsafe { values.add(row * self.size()) };
            // SAFETY: the caller says that it is a value of the component, and that nothing changes it during the call.
            unsafe { self.to_value(value) }
        })
    }

    /// Returns a value as a tree; see [`Codec::to_value`](super::Codec::to_value).
    ///
    /// # Safety
    /// `value` points to a value of the component, and nothing changes it during the call.
    pub(crate) unsafe fn to_value(self, value: *const u8) -> Result<Value, EncodeError> {
        // SAFETY: as the caller guarantees.
        Value::of(&unsafe { self.fields(value) })
    }

    /// Returns the fields of a value.
    ///
    /// # Safety
    /// `value` points to a value of the component, and nothing changes it while the result lives.
    pub(crate) unsafe fn fields<'a>(self, value: *const u8) -> DynamicFields<'a> {
        // SAFETY: the caller says that it is a value of the component, and that nothing changes it. By invariant 1 the component
        // was defined by its fields.
        DynamicFields(unsafe { self.ty.value(value) })
    }

    /// Reads `n` values into `place`; see [`Codec::decode`](super::Codec::decode). A value that could be read in part is
    /// counted, too.
    ///
    /// # Safety
    /// `place` is aligned, and valid for writes of `n` values of the component.
    pub(crate) unsafe fn decode(
        self,
        form: Form,
        decoder: &mut Decoder<'_>,
        place: *mut u8,
        n: usize,
        written: &mut usize,
    ) -> Result<(), DecodeError> {
        *written = 0;
        for row in 0..n {
            let tree = match form {
                Form::Plain if decoder.is_of_bytes() => {
                    return Err(DecodeError::custom(
                        "the fields have no names here: a Rust type has saved them; help: load the save with that type",
                    ));
                }
                Form::Plain => decoder.value::<Value>()?,
                Form::Tree => decoder.tree()?,
            };
            // SAFETY: the caller says that there are `n` places, and the row is one of them.
            let place = unsafe { place.add(row * self.size()) };
            let place = NonNull::new(place).expect("a place is not null");
            // SAFETY: the place is one for a value of the component, which was defined by its fields (1), and nothing else
            // accesses it.
            let value = unsafe { self.ty.write_default(place) };
            *written = row + 1;
            read_fields(value, &tree)?;
        }
        Ok(())
    }
}

/// The fields of a value, for any format.
#[derive(Clone, Copy)]
pub(crate) struct DynamicFields<'a>(pub(crate) DynamicRef<'a>);

impl Serialize for DynamicFields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let fields = self.0.dynamic_type().fields();
        let mut map = serializer.serialize_map(Some(fields.len()))?;
        for (name, field) in self.0.fields() {
            match field {
                FieldRef::Bool(field) => map.serialize_entry(name, field),
                FieldRef::I8(field) => map.serialize_entry(name, field),
                FieldRef::I16(field) => map.serialize_entry(name, field),
                FieldRef::I32(field) => map.serialize_entry(name, field),
                FieldRef::I64(field) => map.serialize_entry(name, field),
                FieldRef::U8(field) => map.serialize_entry(name, field),
                FieldRef::U16(field) => map.serialize_entry(name, field),
                FieldRef::U32(field) => map.serialize_entry(name, field),
                FieldRef::U64(field) => map.serialize_entry(name, field),
                FieldRef::F32(field) => map.serialize_entry(name, field),
                FieldRef::F64(field) => map.serialize_entry(name, field),
                FieldRef::Char(field) => map.serialize_entry(name, field),
                FieldRef::String(field) => map.serialize_entry(name, field),
                FieldRef::Entity(field) => map.serialize_entry(name, field),
                other => Err(S::Error::custom(no_form(other))),
            }?;
        }
        map.end()
    }
}

fn no_form(field: FieldRef<'_>) -> String {
    format!("a field of type `{}` has no saved form", field.kind())
}

/// Sets those fields of a value that a tree has.
fn read_fields(mut value: DynamicMut<'_>, tree: &Value) -> Result<(), DecodeError> {
    let Value::Map(entries) = tree else {
        return Err(DecodeError::custom("expected a map of fields"));
    };
    let fields = value.dynamic_type().fields();
    let mut is_read = vec![false; fields.len()];
    for (name, tree) in entries {
        let Value::String(name) = name else {
            return Err(DecodeError::custom("expected the name of a field"));
        };
        let position = fields.iter().position(|field| field.name() == name);
        let Some(position) = position else {
            let known: Vec<&str> = fields.iter().map(|field| field.name()).collect();
            let expected = match known.is_empty() {
                true => "there are no fields".to_owned(),
                false => format!("expected one of `{}`", known.join("`, `")),
            };
            return Err(DecodeError::custom(format_args!(
                "unknown field `{}`, {expected}",
                name.escape_debug()
            )));
        };
        if core::mem::replace(&mut is_read[position], true) {
            return Err(DecodeError::custom(format_args!(
                "the field `{name}` occurs twice"
            )));
        }
        let field = value.fields_mut().nth(position);
        let (_, field) = field.expect("the value has the fields of its type");
        set(field, tree).map_err(|error| {
            let path = format!("{name}{}", error.path().unwrap_or_default());
            let error = DecodeError::new(error.message()).at(|| Some(ErrorPlace::Path(path)));
            DecodeError::custom(error)
        })?;
    }
    Ok(())
}

fn set(field: FieldMut<'_>, tree: &Value) -> Result<(), DecodeError> {
    fn to<T: DeserializeOwned>(field: &mut T, tree: &Value) -> Result<(), DecodeError> {
        *field = tree.to()?;
        Ok(())
    }
    match field {
        FieldMut::Bool(field) => to(field, tree),
        FieldMut::I8(field) => to(field, tree),
        FieldMut::I16(field) => to(field, tree),
        FieldMut::I32(field) => to(field, tree),
        FieldMut::I64(field) => to(field, tree),
        FieldMut::U8(field) => to(field, tree),
        FieldMut::U16(field) => to(field, tree),
        FieldMut::U32(field) => to(field, tree),
        FieldMut::U64(field) => to(field, tree),
        FieldMut::F32(field) => to(field, tree),
        FieldMut::F64(field) => to(field, tree),
        FieldMut::Char(field) => to(field, tree),
        FieldMut::String(field) => to(field, tree),
        FieldMut::Entity(field) => to(field, tree),
        _ => Err(DecodeError::custom(
            "a field of this type has no saved form",
        )),
    }
}
