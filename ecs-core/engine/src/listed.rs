//! The lists of the data of parameters, which `#[system]` compares in pairs.

use core::marker::PhantomData;

use super::broken;
#[cfg(feature = "std")]
use super::{NonSend, NonSendMut, ThreadBound};
use crate::bundle::Bundle;
use crate::command::Commands;
use crate::component::Component;
use crate::event::{EventReader, EventValue, EventWriter, Events};
use crate::meta::{
    Accessing, ComponentEntry, DataList, FirstPairs, HiddenList, HidesData, ListEnd, PairLimit,
    ParamAccess, ReadOf, ResourceEntry, Unfiltered, WriteOf,
};
use crate::query::{Query, QueryData, QueryFilter, Single};
use crate::resource::{Res, ResMut, Resource};
use crate::system::{Local, More, ParamSet, ResourcesRef, TurnLocal, WorldRef};
use crate::tuples::for_each_narrow_arity;
use crate::view::{Comp, CompMut, Entities, Removed};

/// A parameter whose data are known as a list, before the list `Tail`.
///
/// A derived parameter [hides](HidesData) its list, on condition that its fields have lists. `Tail` is a parameter of the trait
/// because the compiler checks a condition without a type parameter at once.
pub trait Listed<Tail: DataList> {
    /// The list.
    type List: DataList;
}

impl<Tail: DataList, S: HidesData<()>> Listed<Tail> for S {
    type List = HiddenList<S, (), Tail>;
}

/// A parameter whose own data can be compared.
pub trait OwnPairs {
    /// The pairs of data that it borrows at the same time, at least one of them for writing, before `Rest`, unless its
    /// declaration compares them.
    type Pairs<Rest>;
}

macro_rules! listed {
    ($([$($parameter:tt)*] $param:ty => $list:ty;)+) => {$(
        impl<Tail: DataList, $($parameter)*> Listed<Tail> for $param {
            type List = $list;
        }

        impl<$($parameter)*> OwnPairs for $param {
            type Pairs<Rest> = Rest;
        }
    )+};
}

listed! {
    [T: Component] Comp<'_, T> => ReadOf<ComponentEntry<T>, Unfiltered, Tail>;
    [T: Component] CompMut<'_, T> => WriteOf<ComponentEntry<T>, Unfiltered, Tail>;
    [T: Resource] Res<'_, T> => ReadOf<ResourceEntry<T>, Unfiltered, Tail>;
    [T: Resource] ResMut<'_, T> => WriteOf<ResourceEntry<T>, Unfiltered, Tail>;
    [E: EventValue] EventReader<'_, E> => ReadOf<ResourceEntry<Events<E>>, Unfiltered, Tail>;
    [E: EventValue] EventWriter<'_, E> => WriteOf<ResourceEntry<Events<E>>, Unfiltered, Tail>;
    [T] Local<'_, T> => Tail;
    [T] TurnLocal<'_, T> => Tail;
    [B: Bundle] Commands<'_, B> => Tail;
    [] Entities<'_> => Tail;
    [T] Removed<'_, T> => Tail;
    [] WorldRef<'_> => Tail;
    [] ResourcesRef<'_> => Tail;
    [] () => Tail;
}

#[cfg(feature = "std")]
listed! {
    [T] NonSend<'_, T> => ReadOf<ResourceEntry<ThreadBound<T>>, Unfiltered, Tail>;
    [T] NonSendMut<'_, T> => WriteOf<ResourceEntry<ThreadBound<T>>, Unfiltered, Tail>;
}

impl<Tail: DataList, D: QueryData, F: QueryFilter> Listed<Tail> for Query<'_, D, F> {
    type List = D::List<Filtered<D, F>, F::List<Filtered<D, F>, Tail>>;
}

impl<D: QueryData, F: QueryFilter> OwnPairs for Query<'_, D, F> {
    type Pairs<Rest> = <D::List<Unfiltered, ListEnd> as DataList>::Own<Rest>;
}

impl<Tail: DataList, D: QueryData, F: QueryFilter> Listed<Tail> for Single<'_, D, F> {
    type List = <Query<'static, D, F> as Listed<Tail>>::List;
}

impl<D: QueryData, F: QueryFilter> OwnPairs for Single<'_, D, F> {
    type Pairs<Rest> = <Query<'static, D, F> as OwnPairs>::Pairs<Rest>;
}

impl<Tail: DataList, P: Listed<Tail>> Listed<Tail> for Option<P> {
    type List = P::List;
}

impl<P: OwnPairs> OwnPairs for Option<P> {
    type Pairs<Rest> = P::Pairs<Rest>;
}

impl<Tail: DataList, P: Listed<Tail>> Listed<Tail> for ParamSet<'_, P> {
    type List = P::List;
}

impl<P> OwnPairs for ParamSet<'_, P> {
    // Its members are not borrowed at the same time.
    type Pairs<Rest> = Rest;
}

impl<Tail: DataList, L, P> Listed<Tail> for More<L, P>
where
    P: Listed<Tail>,
    L: Listed<P::List>,
{
    type List = L::List;
}

impl<L, P> OwnPairs for More<L, P>
where
    L: OwnPairs + Listed<ListEnd>,
    P: OwnPairs + Listed<ListEnd>,
{
    type Pairs<Rest> = L::Pairs<P::Pairs<<L::List as DataList>::Pairs<P::List, Rest>>>;
}

/// The list of parameters that begins with `$list`.
macro_rules! more {
    ($list:ty;) => { $list };
    ($list:ty; $first:ident $($rest:ident)*) => { more!(More<$list, $first>; $($rest)*) };
}

macro_rules! tuple {
    ($($name:ident $value:ident),+) => {
        impl<Tail: DataList, $($name),+> Listed<Tail> for ($($name,)+)
        where
            more!((); $($name)+): Listed<Tail>,
        {
            type List = <more!((); $($name)+) as Listed<Tail>>::List;
        }

        impl<$($name),+> OwnPairs for ($($name,)+)
        where
            more!((); $($name)+): OwnPairs,
        {
            type Pairs<Rest> = <more!((); $($name)+) as OwnPairs>::Pairs<Rest>;
        }
    };
}

for_each_narrow_arity!(tuple);

/// A query over `D` with the filter `F`.
pub struct Filtered<D, F>(PhantomData<(D, F)>);

impl<D: QueryData, F: QueryFilter> Accessing for Filtered<D, F> {
    const ACCESS: &'static ParamAccess = &ParamAccess::Query {
        data: D::ACCESS,
        filter: F::ACCESS,
    };
}

/// Two parameters whose data are compared.
pub struct SharedData<A, B>(PhantomData<(A, B)>);

/// The pairs of the data of two parameters.
type PairsOf<A, B> =
    <<A as Listed<ListEnd>>::List as DataList>::Pairs<<B as Listed<ListEnd>>::List, ListEnd>;

impl<A: Listed<ListEnd>, B: Listed<ListEnd>> SharedData<A, B>
where
    PairsOf<A, B>: FirstPairs<PairLimit>,
{
    /// Returns the first pairs of their data.
    pub fn pairs() -> <PairsOf<A, B> as FirstPairs<PairLimit>>::Pairs {
        broken()
    }
}

impl<A: OwnPairs> SharedData<A, A>
where
    A::Pairs<ListEnd>: FirstPairs<PairLimit>,
{
    /// Returns the first pairs of the data of one parameter.
    pub fn own() -> <A::Pairs<ListEnd> as FirstPairs<PairLimit>>::Pairs {
        broken()
    }
}

/// The fallback for a parameter that is implemented by hand.
pub trait Unlisted {
    /// Returns no pairs.
    fn own() -> ListEnd {
        broken()
    }

    /// Returns no pairs.
    fn pairs() -> ListEnd {
        broken()
    }
}

impl<A, B> Unlisted for SharedData<A, B> {}

/// Returns whether the types of two parameters show that both access the same data, one of them for writing. The trait
/// `Unlisted` has to be in scope.
///
/// Looks at two pairs of equal types: a struct of parameters may have two queries over the same data, one of which a filter
/// keeps apart from the other parameter.
#[doc(hidden)]
#[macro_export]
macro_rules! __share {
    ($one:ty) => {
        $crate::__private::meet(|| {
            let found = $crate::__private::SharedData::<$one, $one>::own().find();
            (found, $crate::__private::ListEnd)
        })
    };
    ($one:ty, $two:ty) => {
        $crate::__private::meet(|| {
            let first = $crate::__private::SharedData::<$one, $two>::pairs().find();
            let second = first.rest().find();
            (first, second)
        })
    };
}
pub use __share as share;
