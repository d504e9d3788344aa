//! Values of components that are defined at run time, as trees.

use ecs_engine::component::ComponentId;
use ecs_engine::dynamic::{DynamicRef, DynamicValue, FieldMut, FieldRef};
use serde_core::Serialize;
use serde_core::de::DeserializeOwned;

use crate::Value;
use crate::codec::{DecodeError, EncodeError};

/// Returns a value as a map of its fields, in a session that writes ids.
pub(super) fn tree(value: DynamicRef<'_>) -> Result<Value, EncodeError> {
    let mut fields = Vec::new();
    for (name, field) in value.fields() {
        fields.push((name.into(), field_tree(field)?));
    }
    Ok(Value::Map(fields))
}

fn field_tree(field: FieldRef<'_>) -> Result<Value, EncodeError> {
    match field {
        FieldRef::Bool(field) => Value::of(field),
        FieldRef::I8(field) => Value::of(field),
        FieldRef::I16(field) => Value::of(field),
        FieldRef::I32(field) => Value::of(field),
        FieldRef::I64(field) => Value::of(field),
        FieldRef::U8(field) => Value::of(field),
        FieldRef::U16(field) => Value::of(field),
        FieldRef::U32(field) => Value::of(field),
        FieldRef::U64(field) => Value::of(field),
        FieldRef::F32(field) => Value::of(field),
        FieldRef::F64(field) => Value::of(field),
        FieldRef::Char(field) => Value::of(field),
        FieldRef::String(field) => Value::of(field),
        FieldRef::Entity(field) => Value::of(field),
        other => Value::of(&Unknown(other)),
    }
}

/// A field of a type that this package does not know.
struct Unknown<'a>(FieldRef<'a>);

impl Serialize for Unknown<'_> {
    fn serialize<S: serde_core::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// Reads a map of fields as a value, in a session that reads ids. Fields that it lacks are zero, false, empty or nothing.
///
/// # Errors
/// With the message, and the path of the field.
pub(super) fn read(component: ComponentId, tree: &Value) -> Result<DynamicValue, String> {
    let Value::Map(entries) = tree else {
        return Err("expected a map of fields".to_owned());
    };
    let mut value = DynamicValue::new(component).map_err(|error| error.to_string())?;
    for (name, tree) in entries {
        let Value::String(name) = name else {
            return Err(format!("expected the name of a field, found {name}"));
        };
        let mut writer = value.as_mut();
        let Some((_, field)) = writer.fields_mut().find(|(known, _)| known == name) else {
            let known = value.as_ref();
            let known: Vec<&str> = known.fields().map(|(name, _)| name).collect();
            return Err(format!(
                "unknown field `{name}`, expected one of `{}`",
                known.join("`, `")
            ));
        };
        set(field, tree).map_err(|error| {
            let path = error.path().unwrap_or_default();
            format!("{}, at `{name}{path}`", error.message())
        })?;
    }
    Ok(value)
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
        _ => Err(serde_core::de::Error::custom(
            "a field of this type is not written by name",
        )),
    }
}
