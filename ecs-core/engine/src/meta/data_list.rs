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

/// A list of data: [`ReadOf`], [`WriteOf`] or [`ListEnd`].
pub trait DataList {
    /// The list before `Tail`, where the types are [hidden](HidesData) behind the struct `S`, from its datum number `N` on.
    type Hidden<S, Q, N, Tail: DataList>: DataList;
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
    const ACCESS: &'static ParamAccess = <S::Data as EntryAt<N>>::By::ACCESS;
}

/// A list that has an entry number `N`.
pub trait EntryAt<N> {
    /// Its data.
    type Data;
    /// The query or parameter that accesses them.
    type By: Accessing;
}

macro_rules! entries {
    ($($list:ident)+) => {$(
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

entries!(ReadOf WriteOf);

/// A list that begins with a read of `T` by the query or parameter `Q`.
pub struct ReadOf<T, Q, Tail>(PhantomData<(T, Q, Tail)>);

/// A list that begins with a write of `T` by the query or parameter `Q`.
pub struct WriteOf<T, Q, Tail>(PhantomData<(T, Q, Tail)>);

impl DataList for ListEnd {
    type Hidden<S, Q, N, Tail: DataList> = Tail;
    type WithRead<T, Q, Rest> = Rest;
    type WithWrite<T, Q, Rest> = Rest;
    type Pairs<Other: DataList, Rest> = Rest;
    type Own<Rest> = Rest;
}

impl<U, P, Tail: DataList> DataList for ReadOf<U, P, Tail> {
    type Hidden<S, Q, N, End: DataList> =
        ReadOf<HiddenData<S, Q, N>, HiddenData<S, Q, N>, Tail::Hidden<S, Q, NextNumber<N>, End>>;
    type WithRead<T, Q, Rest> = Tail::WithRead<T, Q, Rest>;
    type WithWrite<T, Q, Rest> = PairOf<U, T, P, Q, Tail::WithWrite<T, Q, Rest>>;
    type Pairs<Other: DataList, Rest> = Other::WithRead<U, P, Tail::Pairs<Other, Rest>>;
    type Own<Rest> = Tail::WithRead<U, P, Tail::Own<Rest>>;
}

impl<U, P, Tail: DataList> DataList for WriteOf<U, P, Tail> {
    type Hidden<S, Q, N, End: DataList> =
        WriteOf<HiddenData<S, Q, N>, HiddenData<S, Q, N>, Tail::Hidden<S, Q, NextNumber<N>, End>>;
    type WithRead<T, Q, Rest> = PairOf<U, T, P, Q, Tail::WithRead<T, Q, Rest>>;
    type WithWrite<T, Q, Rest> = PairOf<U, T, P, Q, Tail::WithWrite<T, Q, Rest>>;
    type Pairs<Other: DataList, Rest> = Other::WithWrite<U, P, Tail::Pairs<Other, Rest>>;
    type Own<Rest> = Tail::WithWrite<U, P, Tail::Own<Rest>>;
}

/// The number zero.
pub struct NumberZero;

/// The number after `N`.
pub struct NextNumber<N>(PhantomData<N>);

type AfterFive<N> = NextNumber<NextNumber<NextNumber<NextNumber<NextNumber<N>>>>>;
type AfterTwentyFive<N> = AfterFive<AfterFive<AfterFive<AfterFive<AfterFive<N>>>>>;

/// The number of pairs that are compared. The compiler dereferences 128 times at most.
pub type PairLimit = AfterTwentyFive<AfterTwentyFive<AfterTwentyFive<AfterTwentyFive<NumberZero>>>>;

/// A list of pairs that can be cut.
pub trait FirstPairs<N> {
    /// The first `N` pairs.
    type Pairs;
}

impl<N> FirstPairs<N> for ListEnd {
    type Pairs = Self;
}

impl<T, U, P, Q, Rest> FirstPairs<NumberZero> for PairOf<T, U, P, Q, Rest> {
    type Pairs = ListEnd;
}

impl<T, U, P, Q, Rest: FirstPairs<N>, N> FirstPairs<NextNumber<N>> for PairOf<T, U, P, Q, Rest> {
    type Pairs = PairOf<T, U, P, Q, Rest::Pairs>;
}

/// A list of pairs that begins with an access to `T` by `P` and one to `U` by `Q`.
pub struct PairOf<T, U, P, Q, Rest>(PhantomData<(T, U, P, Q, Rest)>);

impl<T, U, P, Q, Rest> Deref for PairOf<T, U, P, Q, Rest> {
    type Target = Rest;

    fn deref(&self) -> &Rest {
        never_called()
    }
}

impl<T: ListedData, U: ListedData<Data = T::Data>, P, Q, Rest> PairOf<T, U, P, Q, Rest> {
    /// Finds the first pair of equal data.
    pub fn find(&self) -> Met<P, Q, Rest> {
        never_called()
    }
}

impl ListEnd {
    /// Finds none.
    pub fn find(&self) -> Self {
        never_called()
    }

    /// Returns the end.
    pub fn rest(&self) -> Self {
        never_called()
    }
}

/// Two queries or parameters that access data of one type, and the pairs behind that one.
pub struct Met<P, Q, Rest>(PhantomData<(P, Q, Rest)>);

impl<P, Q, Rest> Met<P, Q, Rest> {
    /// Returns the pairs behind it.
    pub fn rest(&self) -> Rest {
        never_called()
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

/// Returns whether a function that searches twice, and is never called, finds data that two parameters share.
pub const fn meet<M: DataMeeting, N: DataMeeting>(_: fn() -> (M, N)) -> bool {
    M::MEET || N::MEET
}

fn never_called() -> ! {
    unreachable!("only its type is asked for")
}
