//! Entity ids inside of values that are saved and loaded.

use core::fmt;
use core::marker::PhantomData;

use serde_core::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

use super::Entity;
use super::session::{self, NEWTYPE, ReadForm};

/// An id means nothing outside of its world, so it can be serialised only as part of one: by `world.save()`, and by other
/// functions of the package `ecs-data`. It is written as a number. Reading that number returns the entity's new id.
///
/// # Errors
/// Outside of a save, and if the entity is not part of it.
impl Serialize for Entity {
    #[inline(always)]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if session::are_bits() {
            return serializer.serialize_newtype_struct(NEWTYPE, &self.to_bits());
        }
        match serializer.is_human_readable() {
            true => serialize_other(*self, serializer),
            // A function that gets a reference to a binary writer keeps it in memory, for all fields of the type around the id.
            false => serialize_binary(*self, serializer),
        }
    }
}

/// Not inlined into the code of each type for each text format.
#[inline(never)]
fn serialize_other<S: Serializer>(entity: Entity, serializer: S) -> Result<S::Ok, S::Error> {
    match session::write(entity) {
        Ok(session::Number::Dense(number)) => serializer.serialize_u32(number),
        Ok(session::Number::Bits(bits)) => serializer.serialize_newtype_struct(NEWTYPE, &bits),
        Ok(session::Number::Text(entity)) => serializer.collect_str(&entity),
        Ok(session::Number::Newtype(entity)) => {
            serializer.serialize_newtype_struct(NEWTYPE, &PrintedId(entity))
        }
        Err(error) => Err(ser::Error::custom(error)),
    }
}

/// Does the same for binary formats, inlined. They have no names, so that all texts are the same.
#[inline(always)]
fn serialize_binary<S: Serializer>(entity: Entity, serializer: S) -> Result<S::Ok, S::Error> {
    match session::write(entity) {
        Ok(session::Number::Dense(number)) => serializer.serialize_u32(number),
        Ok(session::Number::Bits(bits)) => serializer.serialize_newtype_struct(NEWTYPE, &bits),
        Ok(session::Number::Text(entity) | session::Number::Newtype(entity)) => {
            serializer.collect_str(&entity)
        }
        Err(error) => Err(ser::Error::custom(error)),
    }
}

/// Reads a number that `Serialize` has written. Returns the id of that entity in the world that is being loaded.
///
/// # Errors
/// Outside of a load, and if the save has no entity of the number.
impl<'de> Deserialize<'de> for Entity {
    #[inline]
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if session::are_bits() {
            let bits =
                deserializer.deserialize_newtype_struct(NEWTYPE, NumberVisitor(PhantomData))?;
            return match Self::from_bits(bits) {
                Some(entity) => Ok(entity),
                None => session::read_bits(bits).map_err(de::Error::custom),
            };
        }
        deserialize_other(deserializer)
    }
}

/// Not inlined into the code of each type, so that the form of most ids is.
#[inline(never)]
fn deserialize_other<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Entity, D::Error> {
    let read = match session::read_form() {
        ReadForm::Text => return deserializer.deserialize_str(TextVisitor),
        ReadForm::Bits => session::read_bits(
            deserializer.deserialize_newtype_struct(NEWTYPE, NumberVisitor(PhantomData))?,
        ),
        ReadForm::Number => session::read(
            deserializer.deserialize_newtype_struct(NEWTYPE, NumberVisitor(PhantomData))?,
        ),
    };
    read.map_err(de::Error::custom)
}

/// An id in its printed form.
struct PrintedId(Entity);

impl Serialize for PrintedId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// Reads a number. In all formats a newtype is written as its number, but code that searches for ids can tell it from other
/// numbers.
struct NumberVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> de::Visitor<'de> for NumberVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the number of an entity")
    }

    #[inline]
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        T::deserialize(deserializer)
    }
}

/// Reads an id from text.
struct TextVisitor;

impl de::Visitor<'_> for TextVisitor {
    type Value = Entity;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the id of an entity as a text, such as \"7v1\"")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Entity, E> {
        session::read_text(text).map_err(E::custom)
    }
}
