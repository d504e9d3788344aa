//! The components of a trait, as a type: nested pairs `(A, (B, ()))`.
//!
//! So the accesses of a query are constants, and a loop has a column for each component, which it gets once per table. A list
//! can be as long as you like, unlike a tuple.

use super::data::{QueryData, ReadOnlyQueryData};
use super::present::{FetchOf, OptionList};
use crate::component::{Component, IntoMut, MutOf, PendingChange, Tracking};
use crate::join::{Filter, Joined, OptionFetch};

/// A trait whose components are listed, so that queries fetch them by it: [`All<dyn Shape>`](super::All) and
/// [`One<dyn Shape>`](super::One).
///
/// [`queryable!`](crate::query::queryable) implements it for the trait's `dyn` type.
#[diagnostic::on_unimplemented(
    message = "the components of `{Self}` are not listed",
    label = "no list of components",
    note = "list them where the trait is defined: `ecs_core::query::queryable!({Self}: Disc, Square);`"
)]
pub trait TraitObject: 'static {
    /// The components, as nested pairs.
    type Components: ObjectList<Self>;
}

/// A component that is listed for a trait; implemented by [`queryable!`](crate::query::queryable).
pub trait AsObject<O: ?Sized>: Component {
    /// Returns the value by its trait.
    fn as_object(&self) -> &O;

    /// Returns the value by its trait.
    fn as_object_mut(&mut self) -> &mut O;
}

/// Lists the components of a trait: `queryable!(dyn Shape: Disc, Square);`.
///
/// Queries then fetch them by the trait: [`All<dyn Shape>`](super::All), [`AllMut`](super::AllMut), [`One<dyn Shape>`](super::One) and [`OneMut`](super::OneMut). The list
/// is complete, so a query borrows the listed components and no others, and conflicts are found as for any query. It belongs in
/// the crate that defines the trait. A component can be in the lists of several traits, and instances of generic components
/// are listed one by one.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::query::{One, queryable};
///
/// trait Named {
///     fn name(&self) -> String;
/// }
///
/// #[derive(Component)]
/// struct Town(&'static str);
/// #[derive(Component)]
/// struct Road<const LANES: u8>;
///
/// impl Named for Town {
///     fn name(&self) -> String {
///         self.0.into()
///     }
/// }
///
/// impl<const LANES: u8> Named for Road<LANES> {
///     fn name(&self) -> String {
///         format!("a road with {LANES} lanes")
///     }
/// }
///
/// queryable!(dyn Named: Town, Road<2>, Road<4>);
///
/// let mut world = World::new();
/// world.spawn(Town("Ulm"));
/// world.spawn(Road::<4>);
/// let query = world.query::<One<dyn Named>>();
/// let names: Vec<String> = query.iter().map(|named| named.name()).collect();
/// assert_eq!(names, ["Ulm", "a road with 4 lanes"]);
/// ```
///
/// A component that is listed twice doesn't compile, and neither does one without the trait. For a list of more than about 60
/// components, the compiler asks for `#![recursion_limit = "256"]`.
// At the root of the crate, like all exported macros; `query` re-exports it.
#[doc(hidden)]
#[macro_export]
macro_rules! __queryable {
    (@list) => { () };
    (@list $a:ty, $b:ty, $c:ty, $d:ty, $($rest:ty,)*) => {
        ($a, ($b, ($c, ($d, $crate::__queryable!(@list $($rest,)*)))))
    };
    (@list $first:ty, $($rest:ty,)*) => { ($first, $crate::__queryable!(@list $($rest,)*)) };
    ($object:ty: $($component:ty),* $(,)?) => {
        impl $crate::query::TraitObject for $object {
            type Components = $crate::__queryable!(@list $($component,)*);
        }
        $(
            impl $crate::query::AsObject<$object> for $component {
                #[inline]
                fn as_object(&self) -> &$crate::query::ObjectType<$object> {
                    self
                }

                #[inline]
                fn as_object_mut(&mut self) -> &mut $crate::query::ObjectType<$object> {
                    self
                }
            }
        )*
    };
}

/// The type itself, without a lifetime that depends on a reference around it: `&dyn Shape` is short for `&'a (dyn Shape + 'a)`.
#[doc(hidden)]
pub type ObjectType<O> = O;

/// The components of a trait, as nested pairs.
///
/// The functions visit the values of one entity, or of all of them, in the order of the list. `Values` and `ValuesMut` have
/// an `Option` for each component.
#[doc(hidden)]
pub trait ObjectList<O: ?Sized + 'static>: 'static {
    /// The values of an entity.
    type Values<'a>: Copy + Send + Sync;
    /// The values of an entity, to be written.
    type ValuesMut<'a>: Send;
    /// The data that fetches the values.
    type Read: OptionList
        + ReadOnlyQueryData
        + for<'a> QueryData<Static = Self::Read, Item<'a> = Self::Values<'a>>;
    /// The data that fetches the values to be written.
    type Write: OptionList
        + for<'a> QueryData<
            Static = Self::Write,
            ReadOnly = Self::Read,
            Item<'a> = Self::ValuesMut<'a>,
        >;

    /// Takes the first value that is left.
    fn next<'a>(values: &mut Self::Values<'a>) -> Option<&'a O>;

    /// Calls `f` with each value that the entity has.
    fn fold<'a, B>(values: Self::Values<'a>, init: B, f: &mut impl FnMut(B, &'a O) -> B) -> B;

    /// Returns the values to be read only.
    fn share<'b>(values: &'b Self::ValuesMut<'_>) -> Self::Values<'b>;

    /// Reborrows the values.
    fn reborrow<'b>(values: &'b mut Self::ValuesMut<'_>) -> Self::ValuesMut<'b>;

    /// Takes the first value that is left; counts as a change.
    fn next_mut<'a>(values: &mut Self::ValuesMut<'a>) -> Option<&'a mut O>;

    /// Returns the first value that the entity has, and its tick if it is tracked.
    fn first_mut(values: Self::ValuesMut<'_>) -> Option<(&mut O, Option<PendingChange<'_>>)>;

    /// Like [`fold`](Self::fold); counts as a change of each value.
    fn fold_mut<'a, B>(
        values: Self::ValuesMut<'a>,
        init: B,
        f: &mut impl FnMut(B, &'a mut O) -> B,
    ) -> B;

    /// Calls `f` with each value of each component.
    fn each<'a, F: Filter<'a>>(
        join: Joined<'a, FetchOf<'a, Self::Read>, F>,
        f: &mut impl FnMut(&'a O),
    );

    /// Calls `f` with each value of each component; counts as a change of each.
    fn each_mut<'a, F: Filter<'a>>(
        join: Joined<'a, FetchOf<'a, Self::Write>, F>,
        f: &mut impl FnMut(&'a mut O),
    );
}

// The functions for one entity are inlined whole, whatever the number of components: a loop over one value each takes 5
// instructions an entity instead of 14.
impl<O: ?Sized + 'static> ObjectList<O> for () {
    type Values<'a> = ();
    type ValuesMut<'a> = ();
    type Read = ();
    type Write = ();

    #[inline(always)]
    fn next<'a>((): &mut ()) -> Option<&'a O> {
        None
    }

    #[inline(always)]
    fn fold<'a, B>((): (), init: B, _: &mut impl FnMut(B, &'a O) -> B) -> B {
        init
    }

    #[inline(always)]
    fn share((): &()) {}

    #[inline(always)]
    fn reborrow((): &mut ()) {}

    #[inline(always)]
    fn next_mut<'a>((): &mut ()) -> Option<&'a mut O> {
        None
    }

    #[inline(always)]
    fn first_mut<'a>((): ()) -> Option<(&'a mut O, Option<PendingChange<'a>>)> {
        None
    }

    #[inline(always)]
    fn fold_mut<'a, B>((): (), init: B, _: &mut impl FnMut(B, &'a mut O) -> B) -> B {
        init
    }

    #[inline(always)]
    fn each<'a, F: Filter<'a>>(_: Joined<'a, (), F>, _: &mut impl FnMut(&'a O)) {}

    #[inline(always)]
    fn each_mut<'a, F: Filter<'a>>(_: Joined<'a, (), F>, _: &mut impl FnMut(&'a mut O)) {}
}

impl<O: ?Sized + 'static, T: AsObject<O>, Rest: ObjectList<O>> ObjectList<O> for (T, Rest) {
    type Values<'a> = (Option<&'a T>, Rest::Values<'a>);
    type ValuesMut<'a> = (Option<MutOf<'a, T>>, Rest::ValuesMut<'a>);
    type Read = (Option<&'static T>, Rest::Read);
    type Write = (Option<&'static mut T>, Rest::Write);

    #[inline(always)]
    fn next<'a>((first, rest): &mut Self::Values<'a>) -> Option<&'a O> {
        match first.take() {
            Some(value) => Some(value.as_object()),
            None => Rest::next(rest),
        }
    }

    #[inline(always)]
    fn fold<'a, B>(
        (first, rest): Self::Values<'a>,
        init: B,
        f: &mut impl FnMut(B, &'a O) -> B,
    ) -> B {
        let init = match first {
            Some(value) => f(init, value.as_object()),
            None => init,
        };
        Rest::fold(rest, init, f)
    }

    #[inline(always)]
    fn share<'b>((first, rest): &'b Self::ValuesMut<'_>) -> Self::Values<'b> {
        (first.as_deref(), Rest::share(rest))
    }

    #[inline(always)]
    fn reborrow<'b>((first, rest): &'b mut Self::ValuesMut<'_>) -> Self::ValuesMut<'b> {
        let first = first.as_mut().map(T::Tracking::reborrow);
        (first, Rest::reborrow(rest))
    }

    #[inline(always)]
    fn next_mut<'a>((first, rest): &mut Self::ValuesMut<'a>) -> Option<&'a mut O> {
        match first.take() {
            Some(item) => Some(item.into_mut().as_object_mut()),
            None => Rest::next_mut(rest),
        }
    }

    #[inline(always)]
    fn first_mut<'a>(
        (first, rest): Self::ValuesMut<'a>,
    ) -> Option<(&'a mut O, Option<PendingChange<'a>>)> {
        match first {
            Some(item) => {
                let (value, change) = T::Tracking::split(item);
                Some((value.as_object_mut(), change))
            }
            None => Rest::first_mut(rest),
        }
    }

    #[inline(always)]
    fn fold_mut<'a, B>(
        (first, rest): Self::ValuesMut<'a>,
        init: B,
        f: &mut impl FnMut(B, &'a mut O) -> B,
    ) -> B {
        let init = match first {
            Some(item) => f(init, item.into_mut().as_object_mut()),
            None => init,
        };
        Rest::fold_mut(rest, init, f)
    }

    #[inline]
    fn each<'a, F: Filter<'a>>(
        join: Joined<'a, FetchOf<'a, Self::Read>, F>,
        f: &mut impl FnMut(&'a O),
    ) {
        let (first, rest) = split(join);
        if let Some(first) = first {
            first.each(&mut |value: &'a T| f(value.as_object()));
        }
        Rest::each(rest, f);
    }

    #[inline]
    fn each_mut<'a, F: Filter<'a>>(
        join: Joined<'a, FetchOf<'a, Self::Write>, F>,
        f: &mut impl FnMut(&'a mut O),
    ) {
        let (first, rest) = split(join);
        if let Some(first) = first {
            first.each(&mut |item: MutOf<'a, T>| f(item.into_mut().as_object_mut()));
        }
        Rest::each_mut(rest, f);
    }
}

/// Splits a join of a component and others into one of the component, if it is known to the world, and one of the others.
#[inline]
fn split<'a, T, Rest, F: Filter<'a>>(
    join: Joined<'a, (OptionFetch<T>, Rest), F>,
) -> (Option<Joined<'a, T, F>>, Joined<'a, Rest, F>) {
    let (storage, filter) = (join.storage, join.filter);
    let (OptionFetch(first), fetch) = join.fetch;
    let first = first.map(|fetch| Joined {
        storage,
        fetch,
        filter,
    });
    let rest = Joined {
        storage,
        fetch,
        filter,
    };
    (first, rest)
}
