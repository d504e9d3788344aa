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
    Accessing, Compatibility, ComponentEntry, DataList, DataSearch, FirstPairs, HiddenList,
    HidesData, ListEnd, NoSearch, NumberZero, ParamAccess, ReadOf, ResourceEntry, Unfiltered,
    WriteOf, params_compatible_in_const, self_compatible_in_const,
};
use crate::query::{Query, QueryData, QueryFilter, Single};
use crate::resource::{Res, ResMut, Resource};
use crate::system::{Local, More, ParamSet, ResourcesRef, SystemParam, TurnLocal, WorldRef};
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
    /// declaration compares them. `N` is the number of the first entry of its list.
    type Pairs<N, Rest>;
}

macro_rules! listed {
    ($([$($parameter:tt)*] $param:ty => $list:ty;)+) => {$(
        impl<Tail: DataList, $($parameter)*> Listed<Tail> for $param {
            type List = $list;
        }

        impl<$($parameter)*> OwnPairs for $param {
            type Pairs<N, Rest> = Rest;
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
    type Pairs<N, Rest> = <<D::List<Unfiltered, ListEnd> as DataList>::Bare as DataList>::Own<Rest>;
}

impl<Tail: DataList, D: QueryData, F: QueryFilter> Listed<Tail> for Single<'_, D, F> {
    type List = <Query<'static, D, F> as Listed<Tail>>::List;
}

impl<D: QueryData, F: QueryFilter> OwnPairs for Single<'_, D, F> {
    type Pairs<N, Rest> = <Query<'static, D, F> as OwnPairs>::Pairs<N, Rest>;
}

impl<Tail: DataList, P: Listed<Tail>> Listed<Tail> for Option<P> {
    type List = P::List;
}

impl<P: OwnPairs> OwnPairs for Option<P> {
    type Pairs<N, Rest> = P::Pairs<N, Rest>;
}

impl<Tail: DataList, P: Listed<Tail>> Listed<Tail> for ParamSet<'_, P> {
    type List = P::List;
}

impl<P> OwnPairs for ParamSet<'_, P> {
    // Its members are not borrowed at the same time.
    type Pairs<N, Rest> = Rest;
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
    type Pairs<N, Rest> = L::Pairs<N, P::Pairs<EndOf<L, N>, PairsOf<L, N, P, EndOf<L, N>, Rest>>>;
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
            type Pairs<N, Rest> = <more!((); $($name)+) as OwnPairs>::Pairs<N, Rest>;
        }
    };
}

for_each_narrow_arity!(tuple);

/// A query over `D` with the filter `F`.
pub struct Filtered<D, F>(PhantomData<(D, F)>);

impl<D: QueryData, F: QueryFilter> Accessing for Filtered<D, F> {
    type Tests = D::List<Unfiltered, F::List<Unfiltered, ListEnd>>;

    const ACCESS: &'static ParamAccess = &ParamAccess::Query {
        data: D::ACCESS,
        filter: F::ACCESS,
    };
}

/// Two parameters whose data are compared, if identities leave them `UNDECIDED`: a search takes the compiler far longer.
pub struct SharedData<A, B, const UNDECIDED: bool>(PhantomData<(A, B)>);

/// The list of the data of a parameter.
type ListOf<P> = <P as Listed<ListEnd>>::List;

/// The number behind the list of a parameter that begins with the number `N`.
type EndOf<P, N> = <ListOf<P> as DataList>::After<N>;

/// The pairs of the data of two parameters, whose lists begin with the numbers `N` and `M`, before `Rest`.
type PairsOf<A, N, B, M, Rest> = <<ListOf<A> as DataList>::Numbered<N> as DataList>::Pairs<
    <ListOf<B> as DataList>::Numbered<M>,
    Rest,
>;

type AllPairs<A, B> = PairsOf<A, NumberZero, B, NumberZero, ListEnd>;

impl<A: Listed<ListEnd>, B: Listed<ListEnd>> SharedData<A, B, true>
where
    AllPairs<A, B>: FirstPairs,
{
    /// Returns a search in their data, which begins with the first pairs.
    pub fn search() -> DataSearch<ListOf<A>, ListOf<B>, <AllPairs<A, B> as FirstPairs>::Pairs> {
        broken()
    }
}

/// The first pairs of the data of one parameter.
type FirstOwnPairs<A> = <<A as OwnPairs>::Pairs<NumberZero, ListEnd> as FirstPairs>::Pairs;

impl<A: OwnPairs + Listed<ListEnd>> SharedData<A, A, true>
where
    A::Pairs<NumberZero, ListEnd>: FirstPairs,
{
    /// Returns a search in the data of one parameter, which begins with the first pairs.
    pub fn search_own() -> DataSearch<ListOf<A>, ListOf<A>, FirstOwnPairs<A>> {
        broken()
    }
}

/// The fallback for parameters that are decided, or implemented by hand.
pub trait Unlisted {
    /// Returns a search in nothing.
    fn search() -> NoSearch {
        broken()
    }

    /// Returns a search in nothing.
    fn search_own() -> NoSearch {
        broken()
    }
}

impl<A, B, const UNDECIDED: bool> Unlisted for SharedData<A, B, UNDECIDED> {}

/// Two parameters that identities compare. Has no values.
pub struct Identities<A, B>(PhantomData<(A, B)>);

impl<A: SystemParam, B: SystemParam> Identities<A, B> {
    /// True if identities leave undecided whether the parameters conflict.
    pub const UNDECIDED: bool = matches!(
        params_compatible_in_const(A::TYPE.access, B::TYPE.access),
        Compatibility::Unknown
    );
    /// True if identities leave undecided whether the first parameter conflicts with itself.
    pub const ITSELF_UNDECIDED: bool = matches!(
        self_compatible_in_const(A::TYPE.access),
        Compatibility::Unknown
    );
}

/// The fallback for types that are no parameters.
pub trait NotCompared {
    /// Nothing is left.
    const UNDECIDED: bool = false;
    /// Nothing is left.
    const ITSELF_UNDECIDED: bool = false;
}

impl<A, B> NotCompared for Identities<A, B> {}

/// Returns two values: whether the types of two parameters show that both access the same data, one of them for writing, or that
/// the parts of one parameter do; and whether that is so because no component that one query needs is excluded by the other one.
/// The traits `Unlisted` and `NotCompared` have to be in scope.
///
/// Searches several times: a struct of parameters may have two queries over the same data, one of which a filter keeps apart from
/// the other parameter, and one search looks at a part of a long list.
#[doc(hidden)]
#[macro_export]
macro_rules! __share {
    ($one:ty) => {
        $crate::__private::share!(in $crate::__private::SharedData::<$one, $one, {
            <$crate::__private::Identities<$one, $one>>::ITSELF_UNDECIDED
        }>::search_own())
    };
    ($one:ty, $two:ty) => {
        $crate::__private::share!(in $crate::__private::SharedData::<$one, $two, {
            <$crate::__private::Identities<$one, $two>>::UNDECIDED
        }>::search())
    };
    (in $search:expr) => {
        $crate::__private::meet(|| {
            let search = $search;
            let first = search.find();
            let second = first.rest().find();
            ((first, search.tests(first).find(), (second, search.tests(second).find(), ())), search)
        })
    };
}
pub use __share as share;
