//! Entities that have at least one of several members: their items, and the fetch.

#![expect(
    private_interfaces,
    reason = "sealed by their signatures: only the engine can name tables, rows and the storage"
)]

use super::fetch::Fetch;
use super::fetches::OptionFetch;
use super::reborrow::Reborrow;
use crate::entity::{Entity, Location, TableId};
use crate::storage::Storage;
use crate::tuples::for_each_narrow_arity;

/// Query data of entities that have at least one member of the tuple `M`, and their item.
///
/// The item has a tuple of `Option`s, one for each member. Unlike in a tuple of `Option`s, one of them is always `Some`: an
/// entity that has none of the members does not match.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Component)]
/// struct Health(i32);
/// #[derive(Component)]
/// struct Shield(i32);
///
/// #[system]
/// fn burn(mut targets: Query<Any<(&mut Shield, &mut Health)>>) {
///     for Any((shield, health)) in &mut targets {
///         match (shield, health) {
///             (Some(shield), _) => shield.0 -= 5,
///             (None, Some(health)) => health.0 -= 5,
///             (None, None) => unreachable!("one of them is there"),
///         }
///     }
/// }
///
/// let mut world = World::new();
/// let knight = world.spawn((Health(10), Shield(7)));
/// let peasant = world.spawn(Health(10));
/// let drone = world.spawn(Shield(7));
/// world.spawn(());
/// burn(&world);
/// assert_eq!(world.get::<Shield>(knight).unwrap().0, 2);
/// assert_eq!(world.get::<Health>(knight).unwrap().0, 10);
/// assert_eq!(world.get::<Health>(peasant).unwrap().0, 5);
/// assert_eq!(world.get::<Shield>(drone).unwrap().0, 2);
/// assert_eq!(world.query::<Any<(&Health, &Shield)>>().iter().count(), 3);
/// ```
///
/// It is an item of a system that is called for each entity, and a field of a `#[derive(QueryData)]`, under the type that it
/// has there:
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Component)]
/// struct Health(i32);
/// #[derive(Component)]
/// struct Shield(i32);
///
/// #[system(for_each)]
/// fn repair(Any((shield, health)): Any<(&mut Shield, &mut Health)>) {
///     shield.map(|shield| shield.0 += 1);
///     health.map(|health| health.0 += 2);
/// }
///
/// #[derive(QueryData)]
/// struct Target<'a> {
///     entity: Entity,
///     life: Any<(&'a mut Shield, &'a mut Health)>,
/// }
///
/// let mut world = World::new();
/// let drone = world.spawn(Shield(7));
/// repair(&world);
/// let targets = world.query::<Target>();
/// let target = targets.iter().next().unwrap();
/// let Any((shield, health)) = target.life;
/// assert!(target.entity == drone && shield.unwrap().0 == 8 && health.is_none());
/// ```
///
/// The members are query data of any kind, also tuples, derived structs and other `Any`s. A member that all entities have,
/// such as an `Option`, makes all entities match. To test for components without fetching them, use the filter
/// [`Or`](crate::query::Or).
///
/// # Cost
/// A loop skips whole tables without the members. If a member is sparse, a loop looks at each entity that the rest of the
/// query matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(alias = "AnyOf")]
#[doc(alias = "either")]
pub struct Any<M: AnyMembers>(
    /// The members that the entity has.
    pub M::Options,
);

/// The members of an [`Any`]: a tuple.
#[diagnostic::on_unimplemented(
    message = "`Any` takes a tuple of members, not `{Self}`",
    label = "not a tuple of up to 8 members",
    note = "write `Any<(&A, &B)>`, or `Option<&A>` for one component that an entity may lack"
)]
pub trait AnyMembers {
    /// A tuple with an `Option` of each.
    type Options;
}

/// Fetches an [`Any`] from entities that have at least one of the members `M`, a tuple of [`OptionFetch`]es.
#[derive(Clone, Copy)]
pub struct AnyFetch<M>(pub(crate) M);

/// Optional members. An entity may have none.
#[doc(hidden)]
pub trait OptionalMembers<'a>: Fetch<'a> {
    /// The item of all of them.
    type Any;

    /// Returns the item.
    fn any(options: Self::Item) -> Self::Any;

    /// Returns true if the entities of a table have one of them.
    fn has_column(column: &Self::Ptr) -> bool;

    /// Returns true if an entity that is placed at `at` has one of them.
    fn has_one(&self, entity: Entity, at: Location) -> bool;
}

// SAFETY: the members keep the contract; `column` is `Some` only for tables whose entities all have a member, and the
// fetch is not dense.
unsafe impl<'a, M: OptionalMembers<'a>> Fetch<'a> for AnyFetch<M> {
    type Item = M::Any;
    type Ptr = M::Ptr;
    type Block<const LEN: usize> = M::Block<LEN>;
    type Chunk = M::Chunk;
    type Lookup = ();

    const BY_ENTITY: bool = M::BY_ENTITY;
    const SEES_DISABLED: bool = M::SEES_DISABLED;

    fn lookup(&self, _: &'a [Entity]) {}

    #[inline]
    fn column(&self, storage: &'a Storage, table: TableId) -> Option<Self::Ptr> {
        self.0.column(storage, table).filter(M::has_column)
    }

    #[inline]
    unsafe fn block<const LEN: usize>(column: Self::Ptr, row: usize) -> Self::Block<LEN> {
        // SAFETY: by the caller's contract the column has `LEN` rows from `row` on, and no other item is alive.
        unsafe { M::block(column, row) }
    }

    #[inline]
    fn with_block<const LEN: usize, F: FnOnce(Self::Ptr)>(&self, block: Self::Block<LEN>, f: F) {
        self.0.with_block::<LEN, F>(block, f);
    }

    #[inline]
    unsafe fn chunk(column: Self::Ptr, row: usize, len: usize) -> Self::Chunk {
        // SAFETY: by the caller's contract the column has `len` rows from `row` on, and no other item is alive.
        unsafe { M::chunk(column, row, len) }
    }

    #[inline]
    unsafe fn at(column: Self::Ptr, row: usize) -> Self::Item {
        // SAFETY: by the caller's contract the column has the row, and no other item of it is alive.
        M::any(unsafe { M::at(column, row) })
    }

    #[inline]
    fn has(&self, entity: Entity, at: Location) -> bool {
        self.0.has_one(entity, at)
    }

    #[inline]
    unsafe fn get(&self, storage: &'a Storage, entity: Entity, at: Location) -> Option<Self::Item> {
        if !self.0.has_one(entity, at) {
            return None;
        }
        // SAFETY: by the caller's contract the entity is placed at `at`, and no other item of it is alive.
        unsafe { self.0.get(storage, entity, at) }.map(M::any)
    }
}

macro_rules! members {
    ($($name:ident $value:ident),+) => {
        impl<$($name),+> AnyMembers for ($($name,)+) {
            type Options = ($(Option<$name>,)+);
        }

        impl<'a, $($name: Fetch<'a>),+> OptionalMembers<'a> for ($(OptionFetch<$name>,)+) {
            type Any = Any<($($name::Item,)+)>;

            #[inline]
            fn any(options: Self::Item) -> Self::Any {
                Any(options)
            }

            #[inline]
            fn has_column(($($value,)+): &Self::Ptr) -> bool {
                $($value.is_some())||+
            }

            #[inline]
            fn has_one(&self, entity: Entity, at: Location) -> bool {
                let ($($value,)+) = self;
                $($value.0.as_ref().is_some_and(|inner| inner.has(entity, at)))||+
            }
        }

        // SAFETY: `Short` and `Shared` belong to the members, which keep the contract.
        unsafe impl<'a, $($name: Reborrow<'a>),+> Reborrow<'a> for AnyFetch<($(OptionFetch<$name>,)+)> {
            type ShortItem<'b> = Any<($($name::ShortItem<'b>,)+)>;
            type Short<'b> = AnyFetch<($(OptionFetch<$name::Short<'b>>,)+)>;
            type Shared<'b> = AnyFetch<($(OptionFetch<$name::Shared<'b>>,)+)>;

            #[inline]
            unsafe fn shared<'b>(&self) -> Self::Shared<'b> {
                let ($($value,)+) = &self.0;
                // SAFETY: by the caller's contract `'b` ends before `'a` does, and no item that writes is used in `'b` for
                // an entity that the new fetch is used for.
                AnyFetch(($(unsafe { $value.shared() },)+))
            }
        }
    };
}

for_each_narrow_arity!(members);
