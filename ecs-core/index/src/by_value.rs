//! Entities by the value of a component.

use alloc::collections::{BTreeMap, btree_map};
use core::borrow::Borrow;
use core::fmt;
use core::hash::Hash;
use core::ops::{Bound, RangeBounds};

use ecs_engine::Entity;
use hashbrown::{HashMap, hash_map};

use crate::hash::BuildKeyHasher;
use crate::lists::EntityLists;
use crate::structure::Structure;

/// The least number of values without entities to keep for reuse.
const SPARE: usize = 16;

/// The structure of an [`Index`](crate::Index): lists of entities by value.
///
/// A change costs O(1) and its part of the next reading, which sorts the changes and passes over the changed lists.
pub struct ByValue<T> {
    /// The number of the list of each value. Some lists may have no entities.
    numbers: HashMap<T, u32, BuildKeyHasher>,
    lists: EntityLists<()>,
}

/// The structure of an [`OrderedIndex`](crate::OrderedIndex): lists of entities by value, in the order of the values.
///
/// A change costs O(log values) and its part of the next reading, which sorts the changes and passes over the changed lists.
pub struct ByOrder<T> {
    /// The number of the list of each value. Some lists may have no entities.
    numbers: BTreeMap<T, u32>,
    lists: EntityLists<()>,
}

/// Implements the methods of both.
macro_rules! structure {
    ($name:ident, $map:ident, $($bound:ident)+) => {
        impl<T> Default for $name<T> {
            fn default() -> Self {
                Self {
                    numbers: Default::default(),
                    lists: EntityLists::default(),
                }
            }
        }

        #[diagnostic::do_not_recommend]
        impl<T: $($bound +)+ Clone + Send + Sync + 'static> Structure<T> for $name<T> {
            fn set(&mut self, entity: Entity, value: &T) {
                let number = match self.numbers.get(value) {
                    Some(&number) => number,
                    None => match self.numbers.entry(value.clone()) {
                        $map::Entry::Occupied(known) => *known.get(),
                        $map::Entry::Vacant(new) => *new.insert(self.lists.add_list()),
                    },
                };
                self.lists.put(entity, number, ());
            }

            fn remove(&mut self, entity: Entity) {
                self.lists.remove(entity);
            }

            fn retain(&mut self, keep: &mut dyn FnMut(Entity) -> bool) {
                self.lists.retain(keep);
            }

            fn finish(&mut self) {
                self.lists.finish();
                // Seldom, because most values without entities will be used again.
                if self.lists.has_too_many(self.numbers.len(), SPARE) {
                    let lists = &mut self.lists;
                    self.numbers.retain(|_, &mut number| !lists.free_list(number));
                }
            }
        }

        impl<T: $($bound +)+> $name<T> {
            /// Returns the entities that have this value, in ascending order.
            ///
            /// O(1), or O(log values) in an ordered index.
            #[must_use]
            pub fn get<Q>(&self, value: &Q) -> &[Entity]
            where
                T: Borrow<Q>,
                Q: $($bound +)+ ?Sized,
            {
                match self.numbers.get(value) {
                    Some(&number) => self.lists.list(number).entities(),
                    None => &[],
                }
            }
        }

        impl<T> $name<T> {
            /// Returns the number of entities that have a value.
            #[must_use]
            pub fn len(&self) -> usize {
                self.lists.len()
            }

            /// Returns true if no entity has a value.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// Returns the number of different values that entities have.
            #[must_use]
            pub fn values_len(&self) -> usize {
                self.lists.occupied()
            }
        }

        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({} entities, {} values)"), self.len(), self.values_len())
            }
        }
    };
}

structure!(ByValue, hash_map, Hash Eq);
structure!(ByOrder, btree_map, Ord);

impl<T: Ord> ByOrder<T> {
    /// Returns the entities whose values are in a range, with the values: in the order of the values, and in ascending
    /// order where the values are equal.
    ///
    /// It is empty if the range is, or if its end is before its start. O(log values), and O(1) for each entity; the iterator may
    /// also pass over values without entities, at most twice as many as there are others.
    pub fn range<Q, R>(&self, range: R) -> impl DoubleEndedIterator<Item = (&T, Entity)>
    where
        T: Borrow<Q>,
        Q: Ord + ?Sized,
        R: RangeBounds<Q>,
    {
        let is_empty = is_empty(range.start_bound(), range.end_bound());
        let numbers = (!is_empty).then(|| self.numbers.range(range));
        numbers.into_iter().flatten().flat_map(|(value, &number)| {
            let entities = self.lists.list(number).entities();
            entities.iter().map(move |&entity| (value, entity))
        })
    }

    /// Returns all entities with their values, in the order of [`range`](Self::range).
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&T, Entity)> {
        self.range::<T, _>(..)
    }
}

/// Returns true if no value is between the bounds, which a `BTreeMap` would refuse.
fn is_empty<Q: Ord + ?Sized>(start: Bound<&Q>, end: Bound<&Q>) -> bool {
    match (start, end) {
        (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
        (Bound::Included(start), Bound::Included(end)) => start > end,
        (Bound::Included(start) | Bound::Excluded(start), Bound::Excluded(end))
        | (Bound::Excluded(start), Bound::Included(end)) => start >= end,
    }
}
