//! Entities: ids, their allocation, and the location of their rows.

#[doc(hidden)]
pub mod dead;
mod entities;
#[cfg(feature = "snapshot")]
mod facts;
mod free_set;
#[cfg(feature = "data")]
mod given;
pub(crate) mod ids;
mod local;
mod marks;
#[cfg(feature = "snapshot")]
mod part;
mod revived;
#[cfg(feature = "data")]
mod serde;
#[cfg(feature = "data")]
#[doc(hidden)]
pub mod session;
#[cfg(feature = "snapshot")]
mod snapshot;

pub(crate) use entities::{EntityTable, Location, TableId};
#[cfg(feature = "snapshot")]
pub(crate) use facts::IdFacts;
#[cfg(feature = "data")]
pub(crate) use given::CheckedIds;
#[cfg(feature = "data")]
pub use given::GivenIdError;
pub(crate) use marks::EntityMarks;
#[cfg(feature = "snapshot")]
pub(crate) use part::PartError;
#[cfg(feature = "snapshot")]
pub(crate) use snapshot::EntitiesCopy;

use core::fmt;
use core::num::NonZeroU32;
use core::str::FromStr;

/// The id of an entity: an index, and a generation that distinguishes successive entities with that index.
///
/// A plain `Copy` value of 8 bytes, and so is `Option<Entity>`. No id is allocated twice: an index whose generations are
/// used up is retired.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Entity {
    /// Invariant 1: not `u32::MAX`, in an id that leaves the engine. No world allocates that index, so the engine can
    /// use such an id as a sentinel.
    index: u32,
    generation: NonZeroU32,
}

impl Entity {
    pub(crate) const fn new(index: u32, generation: NonZeroU32) -> Self {
        Self { index, generation }
    }

    /// Returns the id with the same generation and another index, which is not `u32::MAX`.
    #[inline]
    pub(crate) const fn with_index(self, index: u32) -> Self {
        Self::new(index, self.generation)
    }

    /// The index: a small integer that no other entity has while this one is alive.
    #[inline]
    #[must_use]
    pub const fn index(self) -> u32 {
        self.index
    }

    /// The generation: the number of entities that have had the index, including this one.
    #[inline]
    #[must_use]
    pub const fn generation(self) -> u32 {
        self.generation.get()
    }

    /// The id as one number, for a network message or a log: `generation << 32 | index`.
    #[inline]
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        (self.generation.get() as u64) << 32 | self.index as u64
    }

    /// The id for a number from [`to_bits`](Self::to_bits); `None` if the number is not an id: no entity has generation 0 or
    /// index `u32::MAX`.
    #[inline]
    #[must_use]
    pub const fn from_bits(bits: u64) -> Option<Self> {
        let index = bits as u32;
        match NonZeroU32::new((bits >> 32) as u32) {
            Some(generation) if index != u32::MAX => Some(Self::new(index, generation)),
            _ => None,
        }
    }
}

/// The same index and generation, for use as a key of a container.
#[cfg(feature = "containers")]
impl From<Entity> for ecs_containers::Id {
    #[inline]
    fn from(entity: Entity) -> Self {
        Self::from_bits(entity.to_bits()).expect("the bits of an entity are an id")
    }
}

/// The same index and generation, for example of a key that was an entity.
#[cfg(feature = "containers")]
impl From<ecs_containers::Id> for Entity {
    #[inline]
    fn from(id: ecs_containers::Id) -> Self {
        Self::from_bits(id.to_bits()).expect("the bits of an id form an entity")
    }
}

impl fmt::Debug for Entity {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}v{}", self.index, self.generation)
    }
}

impl fmt::Display for Entity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// Reads an id as it is printed: its index, `v` and its generation.
///
/// ```
/// use ecs_core::prelude::*;
///
/// let id = World::new().spawn(());
/// assert_eq!(id.to_string().parse(), Ok(id));
/// let error = "hero".parse::<Entity>().unwrap_err();
/// assert_eq!(error.to_string(), "this is not an entity id; help: write it like `7v1`, an index and a generation");
/// ```
impl FromStr for Entity {
    type Err = ParseEntityError;

    #[inline]
    fn from_str(text: &str) -> Result<Self, ParseEntityError> {
        let parse = || {
            let (index, generation) = text.split_once('v')?;
            let is_plain = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
            if !is_plain(index) || !is_plain(generation) {
                return None;
            }
            let (index, generation): (u32, u32) = (index.parse().ok()?, generation.parse().ok()?);
            Self::from_bits(u64::from(generation) << 32 | u64::from(index))
        };
        parse().ok_or(ParseEntityError)
    }
}

/// The error of reading an [`Entity`] from a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseEntityError;

impl fmt::Display for ParseEntityError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "this is not an entity id; help: write it like `7v1`, an index and a generation",
        )
    }
}

impl core::error::Error for ParseEntityError {}
