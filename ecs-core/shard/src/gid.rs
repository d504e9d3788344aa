//! Ids that all shards share, and the marks of entities without one.

use ecs_data::__private::Saved;
use ecs_engine::component::{Component, IdSlot, SparseComponent, StorageKind, Untracked};
use ecs_engine::data_type::{DataType, DataTypeOf};
use ecs_engine::meta::ConstTypeIdOf;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The id of an entity on all shards, and in one world: the component that every entity of a shard has.
///
/// An [`Entity`](ecs_engine::Entity) is a place in one shard's world, and the same entity has another one elsewhere. So hashes,
/// seeds of random numbers, orders and messages use the `Gid`. The entities that [`Shards::setup`](crate::Shards::setup) makes are
/// numbered in the order of their ids, and [new](Birth) ones follow.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Gid(pub(crate) u64);

impl Gid {
    /// Returns the id with a number, whether there is such an entity or not: to send a message, or to compare.
    #[inline]
    #[must_use]
    pub const fn from_number(number: u64) -> Self {
        Self(number)
    }

    /// Returns the number.
    #[inline]
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }

    /// Returns a number that looks random, the same for the same entity and `salt` on every shard: salt it with the tick to draw a
    /// new one each tick.
    ///
    /// The mix is the finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators).
    #[inline]
    #[must_use]
    pub const fn random(self, salt: u64) -> u64 {
        Self::random_of(self.0, salt)
    }

    /// Returns the same for any number: for the [setup](crate::Shards::setup), where entities have no `Gid` yet.
    #[inline]
    #[must_use]
    pub const fn random_of(number: u64, salt: u64) -> u64 {
        mix(mix(number) ^ salt)
    }
}

/// Mixes the bits of a number.
#[inline]
const fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl fmt::Display for Gid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

impl fmt::Debug for Gid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Returns the description of a component as data.
const fn component<T>(name: &'static str) -> DataType
where
    T: Component + Clone + fmt::Debug + Serialize + DeserializeOwned,
{
    let saved = const { &Saved::of::<T>() };
    let data = DataTypeOf::<T>::new(name, 1).component().cloned().printed();
    // They are numbers on all shards.
    data.without_ids(true).coded(saved).erased()
}

// Lists of components in errors do not name these.
#[diagnostic::do_not_recommend]
impl Component for Gid {
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::exact("ecs_shard::Gid", "Gid")
        .with_data(const { &[component::<Self>("ecs.gid")] });
    type Tracking = Untracked;

    fn id_slot() -> Option<&'static IdSlot<Self>> {
        static SLOT: IdSlot<Gid> = IdSlot::new();
        Some(&SLOT)
    }
}

/// The place of a new entity among all that are born in one tick: a component to spawn it with.
///
/// No shard knows how many entities are born elsewhere, so a new entity gets its [`Gid`] when the tick ends: by the rank of its
/// `Birth`, first by the parent's `Gid`, then by `nth`. Two births of a tick with the same values are an
/// [error](crate::ShardError::SameBirth).
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::shard::{Birth, Gid};
///
/// #[derive(Component)]
/// struct Cell {
///     food: u32,
/// }
///
/// #[system(for_each)]
/// fn divide(gid: &Gid, cell: &mut Cell, mut commands: Commands) {
///     if cell.food >= 100 {
///         cell.food /= 2;
///         commands.spawn((Cell { food: cell.food }, Birth::of(*gid, 0)));
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Birth {
    pub(crate) parent: u64,
    pub(crate) nth: u32,
}

impl Birth {
    /// Returns the place of the `nth` entity that a parent makes in this tick.
    #[inline]
    #[must_use]
    pub const fn of(parent: Gid, nth: u32) -> Self {
        Self {
            parent: parent.0,
            nth,
        }
    }
}

#[diagnostic::do_not_recommend]
impl Component for Birth {
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::exact("ecs_shard::Birth", "Birth")
        .with_data(const { &[component::<Self>("ecs.birth")] });
    const STORAGE: StorageKind = StorageKind::Sparse;
    type Tracking = Untracked;

    fn id_slot() -> Option<&'static IdSlot<Self>> {
        static SLOT: IdSlot<Birth> = IdSlot::new();
        Some(&SLOT)
    }
}

#[diagnostic::do_not_recommend]
impl SparseComponent for Birth {}

/// Marks an entity that lives on another shard and is named by one that lives here. It has a [`Gid`] and is
/// [disabled](ecs_engine::Disabled), so systems do not see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stub;

#[diagnostic::do_not_recommend]
impl Component for Stub {
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::exact("ecs_shard::Stub", "Stub")
        .with_data(const { &[component::<Self>("ecs.stub")] });
    type Tracking = Untracked;

    fn id_slot() -> Option<&'static IdSlot<Self>> {
        static SLOT: IdSlot<Stub> = IdSlot::new();
        Some(&SLOT)
    }
}
