//! The data of parameters as lists of types, by which a constant finds data that two parameters share.
//!
//! Two identities can't always tell whether they belong to one type (see [`ConstTypeId`](crate::meta::ConstTypeId)), but the
//! compiler knows whether two types are one, whatever aliases they are written with. [`share`](crate::__private::share) asks it
//! about concrete types: [`PairOf`] has the method `find` for equal types, and each list dereferences to its rest, so the
//! compiler stops at the first pair of equal types. It asks in a closure that nobody calls, because constants can't call
//! `deref`.

use core::marker::PhantomData;
use core::ops::Deref;

use super::broken;
#[cfg(feature = "std")]
use super::{NonSend, NonSendMut, ThreadBound};
use crate::bundle::Bundle;
use crate::command::Commands;
use crate::component::Component;
use crate::event::{EventReader, EventValue, EventWriter, Events};
use crate::meta::{ParamAccess, certainly_meet};
use crate::query::{Query, QueryData, QueryFilter, Single};
use crate::resource::{Res, ResMut, Resource};
use crate::system::{Local, More, ParamSet, ResourcesRef, TurnLocal, WorldRef};
use crate::tuples::for_each_narrow_arity;
use crate::view::{Comp, CompMut, Entities, Removed};

/// A parameter whose data are known as a list, before the list `Tail`.
///
/// A derived parameter implements it on condition that its fields do: a condition on a concrete type has to have a type
/// parameter, such as `Tail`, or the compiler checks it at once. `By` is a type as private as the fields, so that a `pub`
/// parameter may have private ones; the compiler infers it.
pub trait Listed<By, Tail> {
    /// The list.
    type List: DataList;
    /// The pairs of data that the parameter borrows at the same time, at least one of them for writing, before `Rest`, unless
    /// its declaration compares them.
    type Own<Rest>;
}

macro_rules! listed {
    ($([$($parameter:tt)*] $param:ty => $list:ty;)+) => {$(
        impl<Tail: DataList, $($parameter)*> Listed<(), Tail> for $param {
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

impl<Tail: DataList, D: QueryData, F: QueryFilter> Listed<(), Tail> for Query<'_, D, F> {
    type List = D::List<Filtered<D, F>, F::List<Filtered<D, F>, Tail>>;
    type Own<Rest> = <D::List<Unfiltered, ListEnd> as DataList>::Own<Rest>;
}

impl<Tail: DataList, D: QueryData, F: QueryFilter> Listed<(), Tail> for Single<'_, D, F> {
    type List = <Query<'static, D, F> as Listed<(), Tail>>::List;
    type Own<Rest> = <Query<'static, D, F> as Listed<(), Tail>>::Own<Rest>;
}

impl<By, Tail, P: Listed<By, Tail>> Listed<By, Tail> for Option<P> {
    type List = P::List;
    type Own<Rest> = P::Own<Rest>;
}

impl<By, Tail, P: Listed<By, Tail>> Listed<By, Tail> for ParamSet<'_, P> {
    type List = P::List;
    // The members of a set are not borrowed at the same time.
    type Own<Rest> = Rest;
}

impl<X, Y, Tail, L, P> Listed<(X, Y), Tail> for More<L, P>
where
    P: Listed<Y, Tail> + Listed<Y, ListEnd>,
    L: Listed<X, <P as Listed<Y, Tail>>::List> + Listed<X, ListEnd>,
{
    type List = <L as Listed<X, <P as Listed<Y, Tail>>::List>>::List;
    type Own<Rest> = <L as Listed<X, ListEnd>>::Own<
        <P as Listed<Y, ListEnd>>::Own<
            <<L as Listed<X, ListEnd>>::List as DataList>::Pairs<
                <P as Listed<Y, ListEnd>>::List,
                Rest,
            >,
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
        impl<By, Tail, $($name),+> Listed<By, Tail> for ($($name,)+)
        where
            more!((); $($name)+): Listed<By, Tail>,
        {
            type List = <more!((); $($name)+) as Listed<By, Tail>>::List;
            type Own<Rest> = <more!((); $($name)+) as Listed<By, Tail>>::Own<Rest>;
        }
    };
}

for_each_narrow_arity!(tuple);

/// A list of data: [`ReadOf`], [`WriteOf`] or [`ListEnd`].
pub trait DataList {
    /// The pairs of a read of `T` by `Q` with each write in the list, before `Rest`.
    type WithRead<T, Q, Rest>;
    /// The pairs of a write of `T` by `Q` with everything in the list, before `Rest`.
    type WithWrite<T, Q, Rest>;
    /// The pairs of an access in this list with one in `Other`, at least one of them a write, before `Rest`.
    type Pairs<Other: DataList, Rest>;
    /// The pairs of two accesses in this list, at least one of them a write, before `Rest`.
    type Own<Rest>;
}

/// The end of a list.
pub struct ListEnd;

/// A list that begins with a read of `T` by the query or parameter `Q`.
pub struct ReadOf<T, Q, Tail>(PhantomData<(T, Q, Tail)>);

/// A list that begins with a write of `T` by the query or parameter `Q`.
pub struct WriteOf<T, Q, Tail>(PhantomData<(T, Q, Tail)>);

impl DataList for ListEnd {
    type WithRead<T, Q, Rest> = Rest;
    type WithWrite<T, Q, Rest> = Rest;
    type Pairs<Other: DataList, Rest> = Rest;
    type Own<Rest> = Rest;
}

impl<U, P, Tail: DataList> DataList for ReadOf<U, P, Tail> {
    type WithRead<T, Q, Rest> = Tail::WithRead<T, Q, Rest>;
    type WithWrite<T, Q, Rest> = PairOf<U, T, P, Q, Tail::WithWrite<T, Q, Rest>>;
    type Pairs<Other: DataList, Rest> = Other::WithRead<U, P, Tail::Pairs<Other, Rest>>;
    type Own<Rest> = Tail::WithRead<U, P, Tail::Own<Rest>>;
}

impl<U, P, Tail: DataList> DataList for WriteOf<U, P, Tail> {
    type WithRead<T, Q, Rest> = PairOf<U, T, P, Q, Tail::WithRead<T, Q, Rest>>;
    type WithWrite<T, Q, Rest> = PairOf<U, T, P, Q, Tail::WithWrite<T, Q, Rest>>;
    type Pairs<Other: DataList, Rest> = Other::WithWrite<U, P, Tail::Pairs<Other, Rest>>;
    type Own<Rest> = Tail::WithWrite<U, P, Tail::Own<Rest>>;
}

/// A list of pairs that begins with an access to `T` by `P` and one to `U` by `Q`.
pub struct PairOf<T, U, P, Q, Rest>(PhantomData<(T, U, P, Q, Rest)>);

impl<T, U, P, Q, Rest> Deref for PairOf<T, U, P, Q, Rest> {
    type Target = Rest;

    fn deref(&self) -> &Rest {
        broken()
    }
}

impl<T, P, Q, Rest> PairOf<T, T, P, Q, Rest> {
    /// Finds the first pair of equal types.
    pub fn find(&self) -> Met<P, Q, Rest> {
        broken()
    }
}

impl ListEnd {
    /// Finds none.
    pub fn find(&self) -> Self {
        broken()
    }

    /// Returns the end.
    pub fn rest(&self) -> Self {
        broken()
    }
}

/// Two queries or parameters that access data of one type, and the pairs behind that one.
pub struct Met<P, Q, Rest>(PhantomData<(P, Q, Rest)>);

impl<P, Q, Rest> Met<P, Q, Rest> {
    /// Returns the pairs behind it.
    pub fn rest(&self) -> Rest {
        broken()
    }
}

/// The result of a search.
pub trait DataMeeting {
    /// True if data of one type was found, and filters do not keep its entities apart.
    const MEET: bool;
}

impl DataMeeting for ListEnd {
    const MEET: bool = false;
}

impl<P: Accessing, Q: Accessing, Rest> DataMeeting for Met<P, Q, Rest> {
    const MEET: bool = certainly_meet(P::ACCESS, Q::ACCESS);
}

/// The query or parameter in an entry of a list.
pub trait Accessing {
    /// The access by which filters can keep it apart from others.
    const ACCESS: &'static ParamAccess;
}

/// Accesses the data of all entities, or of none.
pub struct Unfiltered;

impl Accessing for Unfiltered {
    const ACCESS: &'static ParamAccess = &ParamAccess::Nothing;
}

/// A query over `D` with the filter `F`.
pub struct Filtered<D, F>(PhantomData<(D, F)>);

impl<D: QueryData, F: QueryFilter> Accessing for Filtered<D, F> {
    const ACCESS: &'static ParamAccess = &ParamAccess::Query {
        data: D::ACCESS,
        filter: F::ACCESS,
    };
}

/// Two parameters whose data are compared.
pub struct SharedData<A, B, X, Y>(PhantomData<(A, B, X, Y)>);

impl<X, Y, A: Listed<X, ListEnd>, B: Listed<Y, ListEnd>> SharedData<A, B, X, Y> {
    /// Returns the pairs of their data.
    pub fn pairs() -> <A::List as DataList>::Pairs<B::List, ListEnd> {
        broken()
    }
}

impl<X, A: Listed<X, ListEnd>> SharedData<A, A, X, X> {
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

impl<A, B> Unlisted for SharedData<A, B, (), ()> {}

/// Returns the answer for [`share`](crate::__private::share).
pub const fn meet<M: DataMeeting, N: DataMeeting>(_: fn() -> (M, N)) -> bool {
    M::MEET || N::MEET
}

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
            let found = $crate::__private::SharedData::<$one, $one, _, _>::own().find();
            (found, $crate::__private::ListEnd)
        })
    };
    ($one:ty, $two:ty) => {
        $crate::__private::meet(|| {
            let first = $crate::__private::SharedData::<$one, $two, _, _>::pairs().find();
            let second = first.rest().find();
            (first, second)
        })
    };
}
pub use __share as share;
