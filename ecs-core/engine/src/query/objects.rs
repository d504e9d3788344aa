//! Components by a trait that they implement: `All<dyn Shape>` and `One<dyn Shape>`.

use core::fmt;
use core::iter::FusedIterator;
use core::ops::{Deref, DerefMut};

use super::data::{QueryData, ReadOnlyQueryData};
use super::filter::QueryFilter;
use super::handle::Query;
use super::object_list::{ObjectList, TraitObject};
use super::present::{OptionList, PresentData, PresentFetch};
use super::structs::ItemOf;
use crate::component::PendingChange;
use crate::join::{Fetch, Joined, SeesDisabled};
use crate::meta::{DataList, QueryAccess};
use crate::storage::Storage;
use crate::tick::Window;

type ListOf<O> = <O as TraitObject>::Components;
type ValuesOf<'a, O> = <ListOf<O> as ObjectList<O>>::Values<'a>;
type ValuesMutOf<'a, O> = <ListOf<O> as ObjectList<O>>::ValuesMut<'a>;

/// Query data of entities that have at least one component with a trait, and their item: all of these components, to be read.
///
/// [`queryable!`](crate::query::queryable) lists the components of the trait; the item iterates over the ones that the entity
/// has, in the order of the list. [`AllMut`] writes them, and [`One`] matches the entities that have exactly one.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::query::{All, AllMut, queryable};
///
/// trait Effect {
///     fn damage(&self) -> u32;
///     fn fade(&mut self);
/// }
///
/// #[derive(Component)]
/// struct Burning(u32);
/// #[derive(Component)]
/// #[component(storage = "sparse")]
/// struct Poisoned { strength: u32 }
///
/// impl Effect for Burning {
///     fn damage(&self) -> u32 { self.0 }
///     fn fade(&mut self) { self.0 /= 2; }
/// }
///
/// impl Effect for Poisoned {
///     fn damage(&self) -> u32 { self.strength }
///     fn fade(&mut self) { self.strength -= 1; }
/// }
///
/// queryable!(dyn Effect: Burning, Poisoned);
///
/// #[derive(Component)]
/// struct Health(u32);
///
/// #[system]
/// fn suffer(mut victims: Query<(&mut Health, All<dyn Effect>)>) {
///     for (health, effects) in &mut victims {
///         health.0 -= effects.iter().map(|effect| effect.damage()).sum::<u32>();
///     }
/// }
///
/// #[system]
/// fn fade(mut effects: Query<AllMut<dyn Effect>>) {
///     effects.for_each_value(|effect| effect.fade());
/// }
///
/// let mut world = World::new();
/// let both = world.spawn((Health(100), Burning(8), Poisoned { strength: 3 }));
/// let burning = world.spawn((Health(100), Burning(4)));
/// let well = world.spawn(Health(100));
/// for _ in 0..2 {
///     suffer(&world);
///     fade(&world);
/// }
/// let health = [both, burning, well].map(|entity| world.get::<Health>(entity).unwrap().0);
/// assert_eq!(health, [100 - 11 - 6, 100 - 4 - 2, 100]);
/// ```
///
/// A query borrows all listed components, so it conflicts with each system that writes one of them:
///
/// ```compile_fail
/// # use ecs_core::prelude::*;
/// # use ecs_core::query::{All, queryable};
/// # trait Effect {}
/// # #[derive(Component)]
/// # struct Burning(u32);
/// # impl Effect for Burning {}
/// # queryable!(dyn Effect: Burning);
/// #[system]
/// fn flare(mut burning: CompMut<Burning>, effects: Query<All<dyn Effect>>) {} // `Burning` is an `Effect`
/// ```
///
/// # Cost
/// A loop gets a column of each listed component once per table, and tests per entity which of them are there: about three
/// instructions for each. [`Query::for_each_value`] has no such tests; it costs as much as one loop for each component. If a
/// component of the list is sparse, loops over entities look all of them up.
pub struct All<'a, O: TraitObject + ?Sized>(ValuesOf<'a, O>);

/// Query data like [`All`], to be written. Its item iterates over `&mut dyn Shape`.
///
/// A tracked value counts as changed when it is handed out to be written: by [`iter_mut`](Self::iter_mut), by
/// iteration over the item itself and by [`for_each_value`](Query::for_each_value), but not by [`iter`](Self::iter).
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::query::{AllMut, queryable};
///
/// trait Timer {
///     fn step(&mut self);
/// }
///
/// #[derive(Component)]
/// struct Fuse(u32);
/// #[derive(Component)]
/// struct Cooldown(u32);
///
/// impl Timer for Fuse {
///     fn step(&mut self) { self.0 -= 1; }
/// }
///
/// impl Timer for Cooldown {
///     fn step(&mut self) { self.0 -= 2; }
/// }
///
/// queryable!(dyn Timer: Fuse, Cooldown);
///
/// #[system(for_each)]
/// fn step(timers: AllMut<dyn Timer>) {
///     for timer in timers {
///         timer.step();
///     }
/// }
///
/// let mut world = World::new();
/// let bomb = world.spawn((Fuse(9), Cooldown(9)));
/// step(&world);
/// assert_eq!(world.get::<Fuse>(bomb).unwrap().0, 8);
/// assert_eq!(world.get::<Cooldown>(bomb).unwrap().0, 7);
/// ```
pub struct AllMut<'a, O: TraitObject + ?Sized>(ValuesMutOf<'a, O>);

/// Query data of entities that have exactly one component with a trait, and their item: that component, to be read.
///
/// See [`All`] for how a trait lists its components. [`OneMut`] writes the component.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::query::{One, OneMut, queryable};
///
/// trait Shape {
///     fn area(&self) -> f32;
///     fn scale(&mut self, by: f32);
/// }
///
/// #[derive(Component)]
/// struct Disc(f32);
/// #[derive(Component)]
/// struct Square(f32);
///
/// impl Shape for Disc {
///     fn area(&self) -> f32 { 3.0 * self.0 * self.0 }
///     fn scale(&mut self, by: f32) { self.0 *= by; }
/// }
///
/// impl Shape for Square {
///     fn area(&self) -> f32 { self.0 * self.0 }
///     fn scale(&mut self, by: f32) { self.0 *= by; }
/// }
///
/// queryable!(dyn Shape: Disc, Square);
///
/// #[system(for_each)]
/// fn grow(mut shape: OneMut<dyn Shape>) {
///     shape.scale(2.0);
/// }
///
/// #[system]
/// fn largest(shapes: Query<(Entity, One<dyn Shape>)>) -> Option<Entity> {
///     let largest = shapes.iter().max_by(|(_, a), (_, b)| a.area().total_cmp(&b.area()));
///     largest.map(|(entity, _)| entity)
/// }
///
/// let mut world = World::new();
/// let disc = world.spawn(Disc(1.0));
/// let square = world.spawn(Square(1.5));
/// let both = world.spawn((Disc(9.0), Square(9.0)));
/// grow(&world);
/// assert_eq!(largest(&world), Some(disc));
/// assert_eq!(world.get::<Square>(square).unwrap().0, 3.0);
/// assert_eq!(world.get::<Disc>(both).unwrap().0, 9.0);
/// ```
pub struct One<'a, O: TraitObject + ?Sized>(
    /// The component.
    pub &'a O,
);

/// Query data like [`One`], to be written. Its item derefs to the component; a tracked one counts as changed when the item is
/// dereferenced mutably, as for [`Mut`](crate::Mut).
pub struct OneMut<'a, O: TraitObject + ?Sized> {
    value: &'a mut O,
    change: Option<PendingChange<'a>>,
}

/// Implements query data whose item is `$data`, made of the data `$list` of the components.
macro_rules! object_data {
    ($($data:ident $list:ident $read_only:ident $exactly_one:literal |$members:ident| $make:expr;)+) => {$(
        impl<O: TraitObject + ?Sized> PresentData for $data<'static, O> {
            type Members = <ListOf<O> as ObjectList<O>>::$list;
            type Made<'a> = $data<'a, O>;

            const EXACTLY_ONE: bool = $exactly_one;

            #[inline]
            fn make<'a>($members: ItemOf<'a, Self::Members>) -> $data<'a, O> {
                $make
            }
        }

        // SAFETY: locks and fetches the same as the optional members, in the same way; `ACCESS` names all of it, and matching
        // entities have at least one of the members.
        unsafe impl<'t, O: TraitObject + ?Sized> QueryData for $data<'t, O> {
            type Item<'a> = $data<'a, O>;
            type Fetch<'a> = PresentFetch<'a, $data<'static, O>>;
            type ReadOnly = $read_only<'t, O>;
            type Static = $data<'static, O>;
            type Locked = <ListOf<O> as ObjectList<O>>::$list;
            type List<Q, Tail: DataList> = <Self::Locked as QueryData>::List<Q, Tail>;

            const ACCESS: &'static QueryAccess = Self::Locked::ANY;

            #[inline]
            unsafe fn fetch<'a>(storage: &'a Storage, window: Window) -> Self::Fetch<'a> {
                // SAFETY: clauses 1 to 3 hold because the members lock and fetch the same.
                unsafe { PresentFetch::new(storage, window) }
            }
        }
    )+};
}

object_data! {
    All Read All false |members| All(members);
    AllMut Write All false |members| AllMut(members);
    One Read One true |members| {
        let mut members = members;
        One(<ListOf<O>>::next(&mut members).expect("an entity has one"))
    };
    OneMut Write One true |members| {
        let (value, change) = <ListOf<O>>::first_mut(members).expect("an entity has one");
        OneMut { value, change }
    };
}

// SAFETY: its fetch only reads.
unsafe impl<O: TraitObject + ?Sized> ReadOnlyQueryData for All<'_, O> {}

// SAFETY: its fetch only reads.
unsafe impl<O: TraitObject + ?Sized> ReadOnlyQueryData for One<'_, O> {}

impl<O: TraitObject + ?Sized> Clone for All<'_, O> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<O: TraitObject + ?Sized> Copy for All<'_, O> {}

impl<O: TraitObject + ?Sized> Clone for One<'_, O> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<O: TraitObject + ?Sized> Copy for One<'_, O> {}

impl<'a, O: TraitObject + ?Sized> All<'a, O> {
    /// Iterates over the components that the entity has.
    #[inline]
    pub fn iter(&self) -> ObjectIter<'a, O> {
        ObjectIter { values: self.0 }
    }
}

impl<'a, O: TraitObject + ?Sized> IntoIterator for All<'a, O> {
    type Item = &'a O;
    type IntoIter = ObjectIter<'a, O>;

    #[inline]
    fn into_iter(self) -> ObjectIter<'a, O> {
        self.iter()
    }
}

impl<'a, O: TraitObject + ?Sized> IntoIterator for &All<'a, O> {
    type Item = &'a O;
    type IntoIter = ObjectIter<'a, O>;

    #[inline]
    fn into_iter(self) -> ObjectIter<'a, O> {
        self.iter()
    }
}

impl<'a, O: TraitObject + ?Sized> AllMut<'a, O> {
    /// Iterates over the components that the entity has, to read them.
    #[inline]
    pub fn iter(&self) -> ObjectIter<'_, O> {
        ObjectIter {
            values: <ListOf<O>>::share(&self.0),
        }
    }

    /// Iterates over the components that the entity has.
    #[inline]
    pub fn iter_mut(&mut self) -> ObjectIterMut<'_, O> {
        ObjectIterMut {
            values: <ListOf<O>>::reborrow(&mut self.0),
        }
    }
}

impl<'a, O: TraitObject + ?Sized> IntoIterator for AllMut<'a, O> {
    type Item = &'a mut O;
    type IntoIter = ObjectIterMut<'a, O>;

    #[inline]
    fn into_iter(self) -> ObjectIterMut<'a, O> {
        ObjectIterMut { values: self.0 }
    }
}

impl<'b, O: TraitObject + ?Sized> IntoIterator for &'b AllMut<'_, O> {
    type Item = &'b O;
    type IntoIter = ObjectIter<'b, O>;

    #[inline]
    fn into_iter(self) -> ObjectIter<'b, O> {
        self.iter()
    }
}

impl<'b, O: TraitObject + ?Sized> IntoIterator for &'b mut AllMut<'_, O> {
    type Item = &'b mut O;
    type IntoIter = ObjectIterMut<'b, O>;

    #[inline]
    fn into_iter(self) -> ObjectIterMut<'b, O> {
        self.iter_mut()
    }
}

/// Iterator over the components of an [`All`].
///
/// [`for_each`](Iterator::for_each) and other methods that build on `fold` are faster than a `for` loop.
pub struct ObjectIter<'a, O: TraitObject + ?Sized> {
    /// The values that are left.
    values: ValuesOf<'a, O>,
}

/// Iterator over the components of an [`AllMut`].
///
/// [`for_each`](Iterator::for_each) and other methods that build on `fold` are faster than a `for` loop.
pub struct ObjectIterMut<'a, O: TraitObject + ?Sized> {
    /// The values that are left.
    values: ValuesMutOf<'a, O>,
}

impl<O: TraitObject + ?Sized> Clone for ObjectIter<'_, O> {
    #[inline]
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

impl<'a, O: TraitObject + ?Sized> Iterator for ObjectIter<'a, O> {
    type Item = &'a O;

    #[inline]
    fn next(&mut self) -> Option<&'a O> {
        <ListOf<O>>::next(&mut self.values)
    }

    #[inline]
    fn fold<B, F: FnMut(B, &'a O) -> B>(self, init: B, mut f: F) -> B {
        <ListOf<O>>::fold(self.values, init, &mut f)
    }
}

impl<O: TraitObject + ?Sized> FusedIterator for ObjectIter<'_, O> {}

impl<'a, O: TraitObject + ?Sized> Iterator for ObjectIterMut<'a, O> {
    type Item = &'a mut O;

    #[inline]
    fn next(&mut self) -> Option<&'a mut O> {
        <ListOf<O>>::next_mut(&mut self.values)
    }

    #[inline]
    fn fold<B, F: FnMut(B, &'a mut O) -> B>(self, init: B, mut f: F) -> B {
        <ListOf<O>>::fold_mut(self.values, init, &mut f)
    }
}

impl<O: TraitObject + ?Sized> FusedIterator for ObjectIterMut<'_, O> {}

impl<O: TraitObject + ?Sized> Deref for One<'_, O> {
    type Target = O;

    #[inline]
    fn deref(&self) -> &O {
        self.0
    }
}

impl<O: TraitObject + ?Sized> Deref for OneMut<'_, O> {
    type Target = O;

    #[inline]
    fn deref(&self) -> &O {
        self.value
    }
}

impl<O: TraitObject + ?Sized> DerefMut for OneMut<'_, O> {
    #[inline]
    fn deref_mut(&mut self) -> &mut O {
        self.change.iter_mut().for_each(PendingChange::record);
        self.value
    }
}

impl<'a, O: TraitObject + ?Sized> OneMut<'a, O> {
    /// Converts into a reference for the whole lifetime of the borrow; counts as a change.
    #[inline]
    #[must_use]
    pub fn into_inner(mut self) -> &'a mut O {
        self.change.iter_mut().for_each(PendingChange::record);
        self.value
    }
}

impl<O: TraitObject + ?Sized + fmt::Debug> fmt::Debug for All<'_, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl<O: TraitObject + ?Sized + fmt::Debug> fmt::Debug for AllMut<'_, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self).finish()
    }
}

impl<O: TraitObject + ?Sized + fmt::Debug> fmt::Debug for One<'_, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<O: TraitObject + ?Sized + fmt::Debug> fmt::Debug for OneMut<'_, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

impl<'t, O: TraitObject + ?Sized, F: QueryFilter> Query<'_, All<'t, O>, F> {
    /// Calls `f` with each component of the trait, of all entities that pass the filter: all values of the first component in
    /// the list, then of the next one.
    ///
    /// It is a loop over each component, so it's faster than a loop over entities, most of all if a
    /// component of the list is sparse.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::query::{All, queryable};
    ///
    /// trait Shape {
    ///     fn area(&self) -> f32;
    /// }
    ///
    /// #[derive(Component)]
    /// struct Square(f32);
    /// #[derive(Component)]
    /// struct Strip(f32);
    ///
    /// impl Shape for Square {
    ///     fn area(&self) -> f32 { self.0 * self.0 }
    /// }
    ///
    /// impl Shape for Strip {
    ///     fn area(&self) -> f32 { self.0 }
    /// }
    ///
    /// queryable!(dyn Shape: Square, Strip);
    ///
    /// let mut world = World::new();
    /// world.spawn((Square(2.0), Strip(1.0)));
    /// world.spawn(Strip(3.0));
    /// let mut total = 0.0;
    /// world.query::<All<dyn Shape>>().for_each_value(|shape| total += shape.area());
    /// assert_eq!(total, 8.0);
    /// ```
    #[inline]
    pub fn for_each_value<'a>(&'a self, mut f: impl FnMut(&'a O)) {
        let Joined {
            storage,
            fetch,
            filter,
        } = self.read();
        let (fetch, sees) = (fetch.members, sees_disabled(&fetch));
        // A component alone may be none that disables.
        match sees {
            true => <ListOf<O>>::each(
                Joined {
                    storage,
                    fetch,
                    filter: (filter, SeesDisabled),
                },
                &mut f,
            ),
            false => <ListOf<O>>::each(
                Joined {
                    storage,
                    fetch,
                    filter,
                },
                &mut f,
            ),
        }
    }
}

impl<O: TraitObject + ?Sized, F: QueryFilter> Query<'_, AllMut<'_, O>, F> {
    /// Calls `f` with each component of the trait, of all entities that pass the filter, to be written: all values of the
    /// first component in the list, then of the next one.
    #[inline]
    pub fn for_each_value<'a>(&'a mut self, mut f: impl FnMut(&'a mut O)) {
        let Joined {
            storage,
            fetch,
            filter,
        } = self.write();
        let (fetch, sees) = (fetch.members, sees_disabled(&fetch));
        match sees {
            true => <ListOf<O>>::each_mut(
                Joined {
                    storage,
                    fetch,
                    filter: (filter, SeesDisabled),
                },
                &mut f,
            ),
            false => <ListOf<O>>::each_mut(
                Joined {
                    storage,
                    fetch,
                    filter,
                },
                &mut f,
            ),
        }
    }
}

/// Returns true if loops over the fetch visit disabled entities too.
#[inline]
fn sees_disabled<'a, T: Fetch<'a>>(_: &T) -> bool {
    T::SEES_DISABLED
}
