//! `Name`: the name of an entity.

use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;
use core::ops::Deref;

use crate::component::{Component, IdSlot, SparseComponent, StorageKind, Untracked};
#[cfg(feature = "data")]
use crate::data_type::{DataType, DataTypeOf};
use crate::meta::ConstTypeIdOf;

/// The name of an entity: a component for messages, tools and [paths](crate::tree#paths).
///
/// Names need not be unique. A literal is stored without an allocation. The component is sparse, so entities with a name
/// share tables with those that have none.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::tree::Name;
///
/// let mut world = World::new();
/// let ship = world.spawn(Name::new("ship"));
/// let boat = world.spawn(Name::new(format!("boat {}", 7)));
/// assert_eq!(world.get::<Name>(boat).unwrap().as_str(), "boat 7");
/// assert_eq!(format!("{} and {}", world.display(ship), boat), format!("ship ({ship}) and {boat}"));
/// ```
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Cow<'static, str>);

impl Name {
    /// Creates a name from a literal or a [`String`].
    #[must_use]
    pub fn new(name: impl Into<Cow<'static, str>>) -> Self {
        Self(name.into())
    }

    /// Returns the text of the name.
    #[must_use]
    #[inline]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[diagnostic::do_not_recommend]
impl Component for Name {
    #[cfg(not(feature = "data"))]
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::exact("ecs_core", "ecs_core::tree::Name");
    #[cfg(feature = "data")]
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::exact("ecs_core", "ecs_core::tree::Name")
        .with_data({
            const DATA: &[DataType] = &[DataTypeOf::<Name>::new("ecs.name", 1)
                .component()
                .cloned()
                .printed()
                .erased()];
            DATA
        });
    const STORAGE: StorageKind = StorageKind::Sparse;
    type Tracking = Untracked;

    fn id_slot() -> Option<&'static IdSlot<Self>> {
        static SLOT: IdSlot<Name> = IdSlot::new();
        Some(&SLOT)
    }
}

#[diagnostic::do_not_recommend]
impl SparseComponent for Name {}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl From<&'static str> for Name {
    #[inline]
    fn from(name: &'static str) -> Self {
        Self::new(name)
    }
}

impl From<String> for Name {
    #[inline]
    fn from(name: String) -> Self {
        Self::new(name)
    }
}

impl fmt::Display for Name {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Debug for Name {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Name").field(&self.0).finish()
    }
}
