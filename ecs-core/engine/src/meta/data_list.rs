//! Lists of data as types, by which a constant finds data that two parameters share.
//!
//! Two identities can't always tell whether they belong to one type (see [`ConstTypeId`](super::ConstTypeId)), but the compiler
//! knows whether two types are one, whatever aliases they are written with. [`PairOf`] has the method `find` for equal data,
//! and each list of pairs dereferences to its rest, so the compiler stops at the first pair of equal types. Code that is never
//! called asks it, because constants can't call `deref`; only the type of the answer matters.

use core::marker::PhantomData;
use core::ops::Deref;

use super::ParamAccess;
use super::conflict::certainly_meet;
use crate::invariant::Invariant;

/// A list of data: [`ReadOf`], [`WriteOf`], [`NeedOf`], [`LackOf`] or [`ListEnd`].
pub trait DataList {
    /// The list before `Tail`, where the types are [hidden](HidesData) behind the struct `S`, from its datum number `N` on.
    type Hidden<S, Q, N, Tail: DataList>: DataList;
    /// The list of the opposite filter, before `Tail`.
    type Opposite<Tail: DataList>: DataList;
    /// The list with numbers from `N` on for its queries and parameters.
    type Numbered<N>: DataList;
    /// The list with [`Unfiltered`] for its queries and parameters.
    type Bare: DataList;
    /// The number behind the list, if `N` is the number of its first entry.
    type After<N>;
    /// The pairs of a read of `T` by `Q` with each write in the list, before `Rest`.
    type WithRead<T, Q, Rest>;
    /// The pairs of a write of `T` by `Q` with each read and write in the list, before `Rest`.
    type WithWrite<T, Q, Rest>;
    /// The pairs of `T`, which matched entities have, with everything in the list that they lack, before `Rest`.
    type WithNeed<T, Q, Rest>;
    /// The pairs of `T`, which matched entities lack, with everything in the list that they have, before `Rest`.
    type WithLack<T, Q, Rest>;
    /// The pairs of an access in this list with one in `Other`, at least one of them a write, before `Rest`.
    type Pairs<Other: DataList, Rest>;
    /// The pairs of a component that entities have in one of this list and `Other`, and lack in the other one, before `Rest`.
    type Tests<Other: DataList, Rest>;
    /// The pairs of two accesses in this list, at least one of them a write, before `Rest`.
    type Own<Rest>;
}

/// The end of a list.
#[derive(Clone, Copy)]
pub struct ListEnd;

/// The data of an entry.
pub trait ListedData {
    /// A type that is the same for the same data.
    type Data;
}

/// The component `T`.
pub struct ComponentEntry<T>(PhantomData<T>);

impl<T> ListedData for ComponentEntry<T> {
    type Data = Self;
}

/// The resource `T`: a component may have the same type.
pub struct ResourceEntry<T>(PhantomData<T>);

impl<T> ListedData for ResourceEntry<T> {
    type Data = Self;
}

/// A struct that hides the types of its data.
///
/// The compiler refuses expressions whose types show a type that is private elsewhere, and public impls that name one. It does
/// not look into conditions: so a derived impl names the list by a parameter that a condition determines.
pub trait HidesData<Q> {
    /// The list of its data, as the query `Q` accesses them.
    type Data: DataList;
}

/// The list of the struct `S`, as others see it, before `Tail`.
pub type HiddenList<S, Q, Tail> =
    <<S as HidesData<Q>>::Data as DataList>::Hidden<S, Q, NumberZero, Tail>;

/// The datum number `N` in the list of the struct `S`, and the query or parameter that accesses it.
pub struct HiddenData<S, Q, N>(PhantomData<(S, Q, N)>);

impl<S: HidesData<Q>, Q, N> ListedData for HiddenData<S, Q, N>
where
    S::Data: EntryAt<N>,
{
    type Data = <S::Data as EntryAt<N>>::Data;
}

impl<S: HidesData<Q>, Q, N> Accessing for HiddenData<S, Q, N>
where
    S::Data: EntryAt<N>,
{
    type Tests = HiddenList<TestsOf<Self>, (), ListEnd>;

    const ACCESS: &'static ParamAccess = <S::Data as EntryAt<N>>::By::ACCESS;
}

/// Hides the types of the components that the query in an entry tests.
pub struct TestsOf<E>(PhantomData<E>);

impl<S: HidesData<Q>, Q, N> HidesData<()> for TestsOf<HiddenData<S, Q, N>>
where
    S::Data: EntryAt<N>,
{
    type Data = <<S::Data as EntryAt<N>>::By as Accessing>::Tests;
}

/// A list that has an entry number `N`.
pub trait EntryAt<N> {
    /// Its data.
    type Data;
    /// The query or parameter that accesses them.
    type By: Accessing;
}

/// A list that begins with a read of `T` by the query or parameter `Q`.
pub struct ReadOf<T, Q, Tail>(PhantomData<(T, Q, Tail)>);

/// A list that begins with a write of `T` by the query or parameter `Q`.
pub struct WriteOf<T, Q, Tail>(PhantomData<(T, Q, Tail)>);

/// A list that begins with a component `T` that the entities of the query `Q` have.
pub struct NeedOf<T, Q, Tail>(PhantomData<(T, Q, Tail)>);

/// A list that begins with a component `T` that the entities of the query `Q` lack.
pub struct LackOf<T, Q, Tail>(PhantomData<(T, Q, Tail)>);

impl DataList for ListEnd {
    type Hidden<S, Q, N, Tail: DataList> = Tail;
    type Opposite<Tail: DataList> = Tail;
    type Numbered<N> = Self;
    type Bare = Self;
    type After<N> = N;
    type WithRead<T, Q, Rest> = Rest;
    type WithWrite<T, Q, Rest> = Rest;
    type WithNeed<T, Q, Rest> = Rest;
    type WithLack<T, Q, Rest> = Rest;
    type Pairs<Other: DataList, Rest> = Rest;
    type Tests<Other: DataList, Rest> = Rest;
    type Own<Rest> = Rest;
}

/// The pair of an entry and something else, where they meet, before `$rest`.
macro_rules! pair {
    (meets $rest:ty) => { PairOf<U, T, P, Q, $rest> };
    (passes $rest:ty) => { $rest };
}

/// The pairs of an entry with a list, before `$rest`.
macro_rules! pairs {
    ($list:ident accesses nothing, $rest:ty) => { $rest };
    ($list:ident accesses $pairs:ident, $rest:ty) => { $list::$pairs<U, P, $rest> };
}

/// Implements the traits of lists. Each row says how an entry is compared with others, and which entry is the opposite.
macro_rules! entries {
    ($($list:ident $opposite:ident: $access:ident, $test:ident,
        $read:ident read, $write:ident write, $need:ident need, $lack:ident lack;)+) => {$(
        impl<U, P, Tail: DataList> DataList for $list<U, P, Tail> {
            type Hidden<S, Q, N, End: DataList> =
                $list<HiddenData<S, Q, N>, HiddenData<S, Q, N>, Tail::Hidden<S, Q, NextNumber<N>, End>>;
            type Opposite<End: DataList> = $opposite<U, P, Tail::Opposite<End>>;
            type Numbered<N> = $list<U, N, Tail::Numbered<NextNumber<N>>>;
            type Bare = $list<U, Unfiltered, Tail::Bare>;
            type After<N> = Tail::After<NextNumber<N>>;
            type WithRead<T, Q, Rest> = pair!($read Tail::WithRead<T, Q, Rest>);
            type WithWrite<T, Q, Rest> = pair!($write Tail::WithWrite<T, Q, Rest>);
            type WithNeed<T, Q, Rest> = pair!($need Tail::WithNeed<T, Q, Rest>);
            type WithLack<T, Q, Rest> = pair!($lack Tail::WithLack<T, Q, Rest>);
            type Pairs<Other: DataList, Rest> = pairs!(Other accesses $access, Tail::Pairs<Other, Rest>);
            type Tests<Other: DataList, Rest> = Other::$test<U, P, Tail::Tests<Other, Rest>>;
            type Own<Rest> = pairs!(Tail accesses $access, Tail::Own<Rest>);
        }

        impl<T: ListedData, Q: Accessing, Tail> EntryAt<NumberZero> for $list<T, Q, Tail> {
            type Data = T::Data;
            type By = Q;
        }

        impl<T, Q, Tail: EntryAt<N>, N> EntryAt<NextNumber<N>> for $list<T, Q, Tail> {
            type Data = Tail::Data;
            type By = Tail::By;
        }
    )+};
}

entries! {
    ReadOf ReadOf: WithRead, WithNeed, passes read, meets write, passes need, meets lack;
    WriteOf WriteOf: WithWrite, WithNeed, meets read, meets write, passes need, meets lack;
    NeedOf LackOf: nothing, WithNeed, passes read, passes write, passes need, meets lack;
    LackOf NeedOf: nothing, WithLack, passes read, passes write, meets need, passes lack;
}

/// The number zero.
pub struct NumberZero;

/// The number after `N`.
pub struct NextNumber<N>(PhantomData<N>);

type AfterFive<N> = NextNumber<NextNumber<NextNumber<NextNumber<NextNumber<N>>>>>;
type AfterTwentyFive<N> = AfterFive<AfterFive<AfterFive<AfterFive<AfterFive<N>>>>>;

/// The number of pairs that one search compares. The compiler dereferences 128 times at most.
type PairLimit = AfterTwentyFive<AfterTwentyFive<AfterTwentyFive<AfterTwentyFive<NumberZero>>>>;

/// The number of an entry of the list `L`, or [`Unfiltered`] in place of one.
///
/// In lists of pairs it stands for a query: the compiler visits all lifetimes in such a list at each pair, and queries have many.
pub trait NumberIn<L> {
    /// The query or parameter in the entry.
    type By: Accessing;
}

impl<L> NumberIn<L> for Unfiltered {
    type By = Self;
}

impl<L: EntryAt<Self>> NumberIn<L> for NumberZero {
    type By = L::By;
}

impl<N, L: EntryAt<Self>> NumberIn<L> for NextNumber<N> {
    type By = L::By;
}

/// A list of pairs that can be cut.
pub trait FirstPairs<N = PairLimit> {
    /// The first `N` pairs, before `MorePairs`.
    type Pairs;
}

impl<N> FirstPairs<N> for ListEnd {
    type Pairs = Self;
}

impl<T, U, P, Q, Rest> FirstPairs<NumberZero> for PairOf<T, U, P, Q, Rest> {
    type Pairs = MorePairs<Self>;
}

impl<T, U, P, Q, Rest: FirstPairs<N>, N> FirstPairs<NextNumber<N>> for PairOf<T, U, P, Q, Rest> {
    type Pairs = PairOf<T, U, P, Q, Rest::Pairs>;
}

/// A search for equal data in the lists `L` and `K`, or twice in one list.
pub struct DataSearch<L, K, Pairs>(PhantomData<(L, K, Invariant<Pairs>)>);

impl<L, K, Pairs> Deref for DataSearch<L, K, Pairs> {
    type Target = Pairs;

    fn deref(&self) -> &Pairs {
        never_called()
    }
}

impl<L, K, Pairs> DataSearch<L, K, Pairs> {
    /// Returns the pairs of components by which filters may keep a result apart.
    pub fn tests<M: SearchResult<Self>>(&self, _: M) -> M::Tests {
        never_called()
    }
}

/// A search in nothing.
pub struct NoSearch;

impl NoSearch {
    /// Finds none.
    #[inline]
    pub fn find(&self) -> ListEnd {
        never_called()
    }

    /// Returns no pairs.
    #[inline]
    pub fn tests(&self, _: ListEnd) -> ListEnd {
        never_called()
    }
}

/// A list of pairs that begins with an access to `T` by `P` and one to `U` by `Q`, which are [numbers](NumberIn).
///
/// `Invariant` keeps the types from deciding what dropping the list needs, which would take the compiler a step for each pair.
pub struct PairOf<T, U, P, Q, Rest>(Invariant<(T, U, P, Q, Rest)>);

impl<T, U, P, Q, Rest> Deref for PairOf<T, U, P, Q, Rest> {
    type Target = Rest;

    fn deref(&self) -> &Rest {
        never_called()
    }
}

impl<T: ListedData, U: ListedData<Data = T::Data>, P, Q, Rest> PairOf<T, U, P, Q, Rest> {
    /// Finds the first pair of equal data.
    #[inline]
    pub fn find(&self) -> Met<P, Q, Rest> {
        never_called()
    }
}

impl ListEnd {
    /// Finds none.
    #[inline]
    pub fn find(&self) -> Self {
        never_called()
    }

    /// Returns the end.
    #[inline]
    pub fn rest(&self) -> Self {
        never_called()
    }
}

/// The pairs that are left to the next search.
pub struct MorePairs<Pairs>(Invariant<Pairs>);

impl<Pairs> Clone for MorePairs<Pairs> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Pairs> Copy for MorePairs<Pairs> {}

impl<Pairs: FirstPairs> MorePairs<Pairs> {
    /// Finds none up to here.
    #[inline]
    pub fn find(&self) -> Self {
        never_called()
    }

    /// Returns the first ones.
    #[inline]
    pub fn rest(&self) -> Pairs::Pairs {
        never_called()
    }
}

/// The [numbers](NumberIn) of two queries or parameters that access data of one type, and the pairs behind that one.
pub struct Met<P, Q, Rest>(Invariant<(P, Q, Rest)>);

impl<P, Q, Rest> Clone for Met<P, Q, Rest> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P, Q, Rest> Copy for Met<P, Q, Rest> {}

impl<P, Q, Rest> Met<P, Q, Rest> {
    /// Returns the pairs behind it.
    #[inline]
    pub fn rest(&self) -> Rest {
        never_called()
    }
}

type TestPairs<P, Q> = <<<P as Accessing>::Tests as DataList>::Bare as DataList>::Tests<
    <<Q as Accessing>::Tests as DataList>::Bare,
    ListEnd,
>;

/// The result of the search `S`.
pub trait SearchResult<S> {
    /// The first pairs of components that one of the two queries needs and the other one excludes.
    type Tests;

    /// True if no pair of equal data is left.
    const IS_NONE: bool = false;
    /// True if data of one type was found and filters don't keep its entities apart; true if they don't in case that all pairs of
    /// components that they test are different.
    const MEET: (bool, bool) = (false, false);
}

impl<S> SearchResult<S> for ListEnd {
    type Tests = Self;

    const IS_NONE: bool = true;
}

impl<S, Pairs> SearchResult<S> for MorePairs<Pairs> {
    type Tests = ListEnd;
}

impl<L, K, Pairs, P: NumberIn<K>, Q: NumberIn<L>, Rest> SearchResult<DataSearch<L, K, Pairs>>
    for Met<P, Q, Rest>
where
    TestPairs<P::By, Q::By>: FirstPairs,
{
    type Tests = <TestPairs<P::By, Q::By> as FirstPairs>::Pairs;

    const MEET: (bool, bool) = certainly_meet(P::By::ACCESS, Q::By::ACCESS);
}

/// The query or parameter in an entry of a list.
pub trait Accessing {
    /// The list of the components by which filters can keep it apart from others.
    type Tests: DataList;

    /// The access by which filters can keep it apart from others.
    const ACCESS: &'static ParamAccess;
}

/// Accesses the data of all entities, or of none.
pub struct Unfiltered;

impl Accessing for Unfiltered {
    type Tests = ListEnd;

    const ACCESS: &'static ParamAccess = &ParamAccess::Nothing;
}

/// Several results of the search `S`: each is a pair of the search for shared data and the search for components that keep its
/// entities apart.
pub trait SearchResults<S> {
    /// True if one of them found shared data; true if it did because no component that one query needs is excluded by the other
    /// one.
    const MEET: (bool, bool);
}

impl<S> SearchResults<S> for () {
    const MEET: (bool, bool) = (false, false);
}

impl<S, M: SearchResult<S>, T: SearchResult<S>, Rest: SearchResults<S>> SearchResults<S>
    for (M, T, Rest)
{
    const MEET: (bool, bool) = {
        let differ = Rest::MEET.1 || M::MEET.1 && T::IS_NONE;
        (Rest::MEET.0 || M::MEET.0 || differ, differ)
    };
}

/// Returns what a function that searches, and is never called, finds.
pub const fn meet<S, R: SearchResults<S>>(_: fn() -> (R, S)) -> (bool, bool) {
    R::MEET
}

#[inline]
fn never_called() -> ! {
    unreachable!("only its type is asked for")
}
