//! The saved forms of `Name` (a text) and `ChildOf` (a unit).

use alloc::string::String;
use core::fmt;

use serde_core::de::{Error, Visitor};
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use super::{ChildOf, Name};

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}

impl Serialize for ChildOf {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit_struct("ChildOf")
    }
}

impl<'de> Deserialize<'de> for ChildOf {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_unit_struct("ChildOf", UnitVisitor)
    }
}

/// Reads a unit, like derived implementations.
struct UnitVisitor;

impl Visitor<'_> for UnitVisitor {
    type Value = ChildOf;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unit struct ChildOf")
    }

    fn visit_unit<E: Error>(self) -> Result<ChildOf, E> {
        Ok(ChildOf)
    }
}
