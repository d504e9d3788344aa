//! The lists of the data of parameters, which `#[system]` compares in pairs.

use core::marker::PhantomData;

use super::broken;
#[cfg(feature = "std")]
use super::{NonSend, NonSendMut, ThreadBound};
use crate::bundle::Bundle;
use crate::command::Commands;
use crate::component::Component;
use crate::event::{EventReader, EventValue, EventWriter, Events};
use crate::meta::{Accessing, DataList, ListEnd, ParamAccess, ReadOf, Unfiltered, WriteOf};
use crate::query::{Query, QueryData, QueryFilter, Single};
use crate::resource::{Res, ResMut, Resource};
use crate::system::{Local, More, ParamSet, ResourcesRef, TurnLocal, WorldRef};
use crate::tuples::for_each_narrow_arity;
use crate::view::{Comp, CompMut, Entities, Removed};

/// A parameter whose data are known as a list, before the list `Tail`.
///
/// A derived parameter implements it on condition that its fields do. `Tail` is a parameter of the trait because the compiler
/// checks a condition without a type parameter at once.
pub trait Listed<Tail> {
    /// The list.
    type List: DataList;
    /// The pairs of data that the parameter borrows at the same time, at least one of them for writing, before `Rest`, unless
    /// its declaration compares them.
    type Own<Rest>;
}

macro_rules! listed {
    ($([$($parameter:tt)*] $param:ty => $list:ty;)+) => {$(
        impl<Tail: DataList, $($parameter)*> Listed<Tail> for $param {
            type List = $list;
            type Own<Rest> = Rest;
        }
    )+};
}

listed! {
    [T: Component] Comp<'_, T> => ReadOf<T, Unfiltered, Tail>;
    [T: Component] CompMut<'_, T> => WriteOf<T, Unfiltered, Tail>;
    [T: Resource] Res<'_, T> => ReadOf<ResourceOf<T>, Unfiltered, Tail>;
    [T: Resource] ResMut<'_, T> => WriteOf<ResourceOf<T>, Unfiltered, Tail>;
    [E: EventValue] EventReader<'_, E> => ReadOf<ResourceOf<Events<E>>, Unfiltered, Tail>;
    [E: EventValue] EventWriter<'_, E> => WriteOf<ResourceOf<Events<E>>, Unfiltered, Tail>;
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
    [T] NonSend<'_, T> => ReadOf<ThreadBound<T>, Unfiltered, Tail>;
    [T] NonSendMut<'_, T> => WriteOf<ThreadBound<T>, Unfiltered, Tail>;
}

/// A resource: a component may have the same type.
pub struct ResourceOf<T>(PhantomData<T>);

impl<Tail: DataList, D: QueryData, F: QueryFilter> Listed<Tail> for Query<'_, D, F> {
    type List = D::List<Filtered<D, F>, F::List<Filtered<D, F>, Tail>>;
    type Own<Rest> = <D::List<Unfiltered, ListEnd> as DataList>::Own<Rest>;
}

impl<Tail: DataList, D: QueryData, F: QueryFilter> Listed<Tail> for Single<'_, D, F> {
    type List = <Query<'static, D, F> as Listed<Tail>>::List;
    type Own<Rest> = <Query<'static, D, F> as Listed<Tail>>::Own<Rest>;
}

impl<Tail, P: Listed<Tail>> Listed<Tail> for Option<P> {
    type List = P::List;
    type Own<Rest> = P::Own<Rest>;
}

impl<Tail, P: Listed<Tail>> Listed<Tail> for ParamSet<'_, P> {
    type List = P::List;
    // The members of a set are not borrowed at the same time.
    type Own<Rest> = Rest;
}

impl<Tail, L, P> Listed<Tail> for More<L, P>
where
    P: Listed<Tail> + Listed<ListEnd>,
    L: Listed<<P as Listed<Tail>>::List> + Listed<ListEnd>,
{
    type List = <L as Listed<<P as Listed<Tail>>::List>>::List;
    type Own<Rest> = <L as Listed<ListEnd>>::Own<
        <P as Listed<ListEnd>>::Own<
            <<L as Listed<ListEnd>>::List as DataList>::Pairs<<P as Listed<ListEnd>>::List, Rest>,
        >,
    >;
}

/// The list of parameters that begins with `$list`.
macro_rules! more {
    ($list:ty;) => { $list };
    ($list:ty; $first:ident $($rest:ident)*) => { more!(More<$list, $first>; $($rest)*) };
}

macro_rules! tuple {
    ($($name:ident $value:ident),+) => {
        impl<Tail, $($name),+> Listed<Tail> for ($($name,)+)
        where
            more!((); $($name)+): Listed<Tail>,
        {
            type List = <more!((); $($name)+) as Listed<Tail>>::List;
            type Own<Rest> = <more!((); $($name)+) as Listed<Tail>>::Own<Rest>;
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

impl<A: Listed<ListEnd>, B: Listed<ListEnd>> SharedData<A, B> {
    /// Returns the pairs of their data.
    pub fn pairs() -> <A::List as DataList>::Pairs<B::List, ListEnd> {
        broken()
    }
}

impl<A: Listed<ListEnd>> SharedData<A, A> {
    /// Returns the pairs of the data of one parameter.
    pub fn own() -> A::Own<ListEnd> {
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
