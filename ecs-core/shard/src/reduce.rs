//! `Reduce`: one number from all shards.

use std::any::type_name;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicI64, Ordering};

use ecs_engine::World;
use ecs_engine::meta::ConstTypeIdOf;
use ecs_engine::resource::Resource;

/// The function that combines the numbers added to a [`Reduce`]. Unlike a sum of floats, its result doesn't depend on their
/// order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// The sum, which wraps around at the limits of `i64`; 0 if nothing was added.
    Sum,
    /// The least number; `i64::MAX` if nothing was added.
    Min,
    /// The greatest number; `i64::MIN` if nothing was added.
    Max,
}

impl Reduction {
    const fn start(self) -> i64 {
        match self {
            Self::Sum => 0,
            Self::Min => i64::MAX,
            Self::Max => i64::MIN,
        }
    }

    pub(crate) fn join(self, one: i64, other: i64) -> i64 {
        match self {
            Self::Sum => one.wrapping_add(other),
            Self::Min => one.min(other),
            Self::Max => one.max(other),
        }
    }
}

/// A number that the systems of all shards compute together: a resource that [`reduce`](crate::Shards::reduce) declares. The
/// type `K` is its name.
///
/// [`add`](Self::add) contributes to the result of this tick. [`total`](Self::total) returns the result of the last tick, which is
/// the same on every shard. Add fractions as multiples of a small unit.
pub struct Reduce<K> {
    reduction: Reduction,
    now: AtomicI64,
    total: i64,
    name: PhantomData<fn() -> K>,
}

impl<K: 'static> Resource for Reduce<K> {
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::generic("ecs_shard::Reduce", "Reduce");
}

impl<K> Reduce<K> {
    fn new(reduction: Reduction) -> Self {
        Self {
            reduction,
            now: AtomicI64::new(reduction.start()),
            total: reduction.start(),
            name: PhantomData,
        }
    }

    /// Adds a number. It takes `&self`, so parallel loops can add too.
    #[inline]
    pub fn add(&self, number: i64) {
        // Relaxed: the order of additions makes no difference, and the result is read after all systems have ended.
        match self.reduction {
            Reduction::Sum => self.now.fetch_add(number, Ordering::Relaxed),
            Reduction::Min => self.now.fetch_min(number, Ordering::Relaxed),
            Reduction::Max => self.now.fetch_max(number, Ordering::Relaxed),
        };
    }

    /// Returns the result of the last tick on all shards.
    #[inline]
    #[must_use]
    pub fn total(&self) -> i64 {
        self.total
    }
}

/// The functions for one `Reduce`.
#[derive(Clone, Copy)]
pub(crate) struct ReduceFns {
    pub(crate) name: &'static str,
    pub(crate) reduction: Reduction,
    pub(crate) register: fn(&mut World, Reduction),
    /// Returns the number of this shard, and starts anew for the next tick.
    pub(crate) take: fn(&mut World) -> i64,
    pub(crate) set: fn(&mut World, i64),
    pub(crate) total: fn(&World) -> i64,
}

impl ReduceFns {
    pub(crate) fn of<K: 'static>(reduction: Reduction) -> Self {
        Self {
            name: type_name::<K>(),
            reduction,
            register: |world, reduction| {
                world.insert_resource(Reduce::<K>::new(reduction));
            },
            take: |world| {
                let mut reduce = world.resource_mut::<Reduce<K>>();
                let start = reduce.reduction.start();
                std::mem::replace(reduce.now.get_mut(), start)
            },
            set: |world, total| world.resource_mut::<Reduce<K>>().total = total,
            total: |world| world.resource::<Reduce<K>>().total,
        }
    }
}
