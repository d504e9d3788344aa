//! `Any`: entities that have at least one of several components.

use core::marker::PhantomData;

use super::data::{QueryData, ReadOnlyQueryData};
use crate::join::{AnyFetch, OptionFetch};
use crate::meta::QueryAccess;
use crate::storage::Storage;
use crate::tick::Window;
use crate::tuples::for_each_narrow_arity;

/// Query data of entities that have at least one member of a tuple.
///
/// The item is a tuple of `Option`s, one for each member. Unlike in a tuple of `Option`s, one of them is always `Some`: an
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
///     for (shield, health) in &mut targets {
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
/// The members are query data of any kind, also tuples, derived structs and other `Any`s. A member that all entities have,
/// such as an `Option`, makes all entities match. To test for components without fetching them, use the filter
/// [`Or`](super::Or).
///
/// # Cost
/// A loop skips whole tables without the members. If a member is sparse, a loop looks at each entity that the rest of the
/// query matches.
#[doc(alias = "AnyOf")]
#[doc(alias = "either")]
pub struct Any<D>(PhantomData<fn() -> D>);

macro_rules! any_data {
    ($($name:ident $value:ident),+) => {
        // SAFETY: locks and fetches the same as the tuple of its members, in the same way; `ACCESS` names all of it, and
        // matching entities have at least one of the members.
        unsafe impl<$($name: QueryData),+> QueryData for Any<($($name,)+)> {
            type Item<'a> = ($(Option<$name::Item<'a>>,)+);
            type Fetch<'a> = AnyFetch<($(OptionFetch<$name::Fetch<'a>>,)+)>;
            type ReadOnly = Any<($($name::ReadOnly,)+)>;
            type Static = Any<($($name::Static,)+)>;
            type Locked = ($($name,)+);

            const ACCESS: &'static QueryAccess = &QueryAccess::Or(&[$($name::ACCESS),+]);

            #[inline]
            unsafe fn fetch<'a>(storage: &'a Storage, window: Window) -> Self::Fetch<'a> {
                // SAFETY: clauses 1 to 3 hold for each member: the tuple locks the same. Clause 2 holds among them because
                // members whose items would alias cannot be locked at the same time.
                AnyFetch(($(OptionFetch(Some(unsafe { $name::fetch(storage, window) })),)+))
            }
        }

        // SAFETY: all its fetches only read.
        unsafe impl<$($name: ReadOnlyQueryData),+> ReadOnlyQueryData for Any<($($name,)+)> {}
    };
}

for_each_narrow_arity!(any_data);
