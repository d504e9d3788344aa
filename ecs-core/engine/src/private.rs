//! Items that macro-generated code names by full path, so that it does not depend on the user's imports or prelude.
//!
//! Not part of the public interface.

pub mod attributes;
mod listed;
mod param_struct;
pub mod place;

#[cfg(feature = "data")]
pub use alloc::string::String;
#[cfg(feature = "data")]
pub use serde_core;

pub use crate::view::Comp;
use crate::view::CompMut;
pub use core::clone::Clone;
pub use core::default::Default;
pub use core::fmt::{self, Debug, Formatter};
pub use core::marker::{PhantomData, Send, Sized, Sync};
pub use core::mem::take;
pub use core::ops::Drop;
pub use core::option::Option::{self, None, Some};
pub use core::primitive::{bool, u64, usize};
pub use core::result::Result::{self, Err, Ok};
pub use core::{column, concat, line, module_path};

pub use crate::bundle::{
    Bundle, Components, EffectVisitor, FieldSource, FieldVisitor, TypeVisitor, refuse_field,
};

#[cfg(feature = "std")]
pub use crate::clock::{Instant, has_clock};
pub use crate::component::{
    Component, ComponentId, Hooks, IdSlot, ImmediateComponent, IntoMut, Required, SparseComponent,
    StorageKind, Tracked, TrackedComponent, Tracking, Untracked,
};
pub use crate::data_type::{CopyProbe, DataType, DataTypeOf, IdProbe, MayHaveIds, NotCopy};
pub use crate::edit_distance::edit_distance;
pub use crate::entity::Entity;
pub use crate::entity::ids::Ids;
pub use crate::event::{DataEvent, EventDataOf};
use crate::event::{EventReader, EventWriter, Events};
#[cfg(feature = "validate")]
pub use crate::fail::armed as fail;
pub use crate::hash::{BuildIndexHasher, IndexHasher};
use crate::meta::{Access, Domain, refuse_conflict, refuse_forbidden};
pub use crate::meta::{
    Argument, ConstTypeId, ConstTypeIdOf, CrateContract, DeclaredAccess, Kind, ParamAccess,
    ParamInfo, ParamType, QueryAccess, RuledData, ShownByTypes, SystemMeta, SystemRules, WriteRule,
    assert_modules, refuse_field_conflict,
};
pub use crate::meta::{
    ComponentEntry, DataList, HiddenList, HidesData, ListEnd, ReadOf, Unfiltered, meet,
};
pub use crate::query::{
    Added, Any, Changed, DataStruct, FieldsOf, FilterStruct, ItemOf, Mutated, Query, QueryData,
    QueryFilter, ReadOnlyQueryData, ReadOnlyStruct, SameData, StructFetch, StructFilter, With,
    Without,
};
pub use crate::relation;
#[cfg(feature = "std")]
use crate::resource::{NonSend, NonSendMut};
pub use crate::resource::{Res, ResMut, Resource};
pub use crate::schedule::{
    ConstLink, DistinctSets, IntoConfigs, ListedFunction, OrderKind, Schedule, StaticSchedule,
    SystemList, WrittenCondition, matrix, order, refuse_cycle, refuse_undetermined,
    refuse_undetermined_condition, refuse_unknown, refuse_waived, stages, table_size,
};
pub use crate::storage::Storage;
pub use crate::system::reported::{IsComponent, IsParam, Reports};
pub use crate::system::{
    Broken, BrokenList, Direct, DirectParams, ExclusiveFn, HasInner, HeldBorrows, IntoCondition,
    LockError, More, ObserverSystem, Observing, ParamError, Remember, ResourcesRef, RunOutput,
    SharedParam, System, SystemParam, SystemVisitor, VisitSystem, WorldFor, WorldForMut, WorldRef,
    direct, list, same,
};
pub use crate::tick::Window;
pub use crate::toggle;
pub use crate::tuples::{Flat, for_each_narrow_arity, for_each_wide_arity};
pub use crate::type_name::data_name;
pub use crate::type_name::type_name;
pub use crate::world::hooks::{Observed, Triggered, TriggeredMut, Unobserved};
pub use crate::world::run_panic::message_of;
pub use crate::world::{BorrowError, CommandQueue, NoSuchEntity, World};
pub use listed::{Identities, Listed, NotCompared, OwnPairs, SharedData, Unlisted, share};
pub use param_struct::{StructGuard, StructOfParams, StructState};

/// Return types of a system that is called for each entity.
#[diagnostic::on_unimplemented(
    message = "a system that is called for each entity returns `()` or `Result<(), E>`, not `{Self}`",
    label = "not the result of one call"
)]
pub trait EachOutput {
    /// The result if no call failed.
    fn done() -> Self;

    /// Returns true if the iteration must stop.
    fn is_failed(&self) -> bool;
}

impl<E> EachOutput for Result<(), E> {
    #[inline]
    fn done() -> Self {
        Ok(())
    }

    #[inline]
    fn is_failed(&self) -> bool {
        self.is_err()
    }
}

/// Returns the `&mut` behind an item of a query, for the lifetime of the item.
#[inline]
pub fn into_mut<'a, T: 'a>(item: impl IntoMut<'a, T>) -> &'a mut T {
    item.into_mut()
}

/// Returns the `&mut` behind an item of a query.
#[inline]
pub fn through<P: core::ops::DerefMut>(item: &mut P) -> &mut P::Target {
    item
}

/// A field of a system's type for each of its type parameters, so that no lint finds the field complex.
pub type TypeMark<T> = PhantomData<fn() -> *const T>;

/// A value for a field of type `A`. If the value has that type, `fit` returns it.
///
/// Otherwise the type of the field is neither a parameter nor query data, and the type of the value is not known. That error was
/// reported already, and [`Unfit`] keeps the compiler from reporting the value too.
pub struct Fit<A, B>(B, core::marker::PhantomData<fn() -> A>);

impl<A, B> Fit<A, B> {
    /// Wraps a value.
    #[inline]
    pub const fn new(value: B) -> Self {
        Self(value, core::marker::PhantomData)
    }
}

impl<A> Fit<A, A> {
    /// Returns the value.
    #[inline]
    pub fn fit(self) -> A {
        self.0
    }
}

impl<'a, T: 'a, I: IntoMut<'a, T>> Fit<&'a mut T, I> {
    /// Returns the `&mut` behind the item of a query.
    #[inline]
    pub fn fit_mut(self) -> &'a mut T {
        self.0.into_mut()
    }
}

impl<'a, T: 'a, I: IntoMut<'a, T>> Fit<Option<&'a mut T>, Option<I>> {
    /// Returns the `&mut` behind the item of a query.
    #[inline]
    pub fn fit_mut(self) -> Option<&'a mut T> {
        self.0.map(I::into_mut)
    }
}

/// See [`Fit`].
pub trait Unfit<A>: Sized {
    /// Never called.
    fn fit(self) -> A {
        broken()
    }

    /// Never called.
    fn fit_mut(self) -> A {
        broken()
    }
}

impl<A, B> Unfit<A> for Fit<A, B> {}

/// `T`, the type of a field, if `IS` says that it is of the kind that the struct needs. `Otherwise` keeps the compiler
/// from reporting the field more than once.
pub type Fitting<T, Otherwise, const IS: bool> = <Choice<T, Otherwise, IS> as Choose>::Type;

/// `T`, the type of a parameter of a system, if the constant `IS` compiles. Otherwise a parameter is wrong, which is the error.
/// The type is then unknown to the compiler, which does not report the uses of the parameter.
#[cfg(not(rust_analyzer))]
pub type ParamIf<T, const IS: bool> = <T as Param<IS>>::Type;

/// `T`: editors do not evaluate the constant.
#[cfg(rust_analyzer)]
pub type ParamIf<T, const IS: bool> = T;

/// See [`ParamIf`].
pub trait Param<const IS: bool> {
    /// The type itself.
    type Type;
}

impl<T> Param<true> for T {
    type Type = T;
}

/// See [`Fitting`]. Has no values.
pub struct Choice<T, Otherwise, const IS: bool>(PhantomData<(T, Otherwise)>);

/// See [`Fitting`].
pub trait Choose {
    /// The type.
    type Type;
}

impl<T, Otherwise> Choose for Choice<T, Otherwise, true> {
    type Type = T;
}

impl<T, Otherwise> Choose for Choice<T, Otherwise, false> {
    type Type = Otherwise;
}

/// A pointer or reference to a field of a bundle. For a field that is not a bundle, which was reported already,
/// [`NoPart`] has the methods.
pub struct BundlePart<P>(pub P);

impl<B: Bundle> BundlePart<*mut B> {
    /// Calls [`Bundle::fields`].
    ///
    /// # Safety
    /// As for [`Bundle::fields`].
    #[inline]
    pub unsafe fn fields<V: FieldVisitor>(self, visitor: &mut V) {
        // SAFETY: by the caller's contract.
        unsafe { B::fields(self.0, visitor) };
    }
}

impl<B: Bundle> BundlePart<&mut B> {
    /// Calls [`Bundle::take_effects`].
    #[inline]
    pub fn take_effects<V: EffectVisitor>(self, visitor: &mut V) {
        self.0.take_effects(visitor);
    }
}

/// See [`BundlePart`].
pub trait NoPart: Sized {
    /// Never called.
    ///
    /// # Safety
    /// None.
    unsafe fn fields<V>(self, _: &mut V) {}

    /// Never called.
    fn take_effects<V>(self, _: &mut V) {}
}

impl<P> NoPart for BundlePart<P> {}

/// Uses a `mut` binding mutably, so that the compiler does not warn.
#[inline]
pub fn mutable<T>(_: &mut T) {}

/// Calls `f` with each item up to the first failure, which it returns.
#[inline]
pub fn until_failed<I: Iterator, O: EachOutput>(items: I, f: impl FnMut(I::Item) -> O) -> O {
    items.map(f).find(O::is_failed).unwrap_or_else(O::done)
}

/// Calls `f` with each item of the query, on several threads.
#[cfg(feature = "parallel")]
#[inline]
pub fn par_for_each<'a, D: QueryData, F: QueryFilter>(
    query: &'a mut Query<'_, D, F>,
    f: impl Fn(D::Item<'a>) + Sync,
) where
    D::Item<'a>: Send,
{
    query.par_for_each(f);
}

/// Calls `f` with each item of the query, on several threads, until a call fails. Returns the failure of the first entity
/// that has one, in the order of the query.
///
/// Entities after that one may or may not have been visited.
#[cfg(feature = "parallel")]
#[inline]
pub fn try_par_for_each<'a, D: QueryData, F: QueryFilter, O: EachOutput + Send>(
    query: &'a mut Query<'_, D, F>,
    f: impl Fn(D::Item<'a>) -> O + Sync,
) -> O
where
    D::Item<'a>: Send,
{
    let failure = query.par_find(|item| Some(f(item)).filter(O::is_failed));
    failure.unwrap_or_else(O::done)
}

/// The traits with fallback answers, without names: a `*` imports them all. Lints accept a `*` for a prelude.
pub mod prelude {
    /// A use of the import.
    pub const __END: () = ();

    pub use super::{
        BrokenList as _, Different as _, MayHaveIds as _, NoData as _, NoPart as _,
        NotCompared as _, NotCopy as _, Undecided as _, Unfit as _, Unknown as _, Unlisted as _,
    };
}

/// The contract of a crate without one.
pub mod no_contract {
    use super::CrateContract;
    pub use super::Unknown as _;

    /// No rules.
    pub static __CONTRACT_AT_THE_CRATE_ROOT: CrateContract = CrateContract::NONE;
}

/// Detects in a constant whether `T` has a trait: the compiler finds inherent constants before the constants of [`Unknown`].
/// Has no values.
pub struct Probe<T: ?Sized>(PhantomData<T>);

/// The fallback answers of a [`Probe`], for types without the trait.
pub trait Unknown {
    /// True if the type is a system parameter.
    const IS_PARAM: bool = false;
    /// True if the type is a component.
    const IS_COMPONENT: bool = false;
    /// The type as the name of a component in a rule.
    const COMPONENT: Option<ConstTypeId> = None;
    /// The type as the name of a resource in a rule.
    const RESOURCE: Option<ConstTypeId> = None;
    /// True if the type is an end of a relation.
    const IS_END: bool = false;
    /// True if the type is query data.
    const IS_DATA: bool = false;
    /// The access of the query data; the error about it is reported elsewhere.
    const DATA: &'static ParamAccess = &ParamAccess::Nothing;
    /// True if the type is a query filter.
    const IS_FILTER: bool = false;
    /// True if the type is a bundle.
    const IS_BUNDLE: bool = false;
    /// True if the type implements `Drop`.
    const HAS_DROP: bool = false;
    /// The description of the parameter; the error about it is reported elsewhere.
    const TYPE: ParamType = ParamType {
        access: &ParamAccess::Nothing,
        remembers: false,
        has_readers: false,
        is_row: false,
    };

    /// A stand-in for the argument that the function expects, so that no second error is reported about it.
    fn get<G, T>(_: G) -> T {
        broken()
    }

    /// A stand-in for an argument that cannot be passed to each call.
    fn copied<A>(_: &A) -> A {
        broken()
    }
}

impl<T: ?Sized> Unknown for Probe<T> {}

impl<T: SystemParam> Probe<T> {
    /// The type is a system parameter.
    pub const IS_PARAM: bool = true;
    /// The description of the parameter.
    pub const TYPE: ParamType = T::TYPE;

    /// The item that the system function receives, created anew for each call.
    #[inline]
    pub fn get<'g>(guard: &'g mut T::Guard<'_>) -> T::Item<'g> {
        T::item(guard)
    }
}

impl<T: Copy> Probe<T> {
    /// An argument of each call.
    #[inline]
    pub fn copied(argument: &T) -> T {
        *argument
    }
}

impl<T: Component> Probe<T> {
    /// The type is a component.
    pub const IS_COMPONENT: bool = true;
    /// The component in a rule.
    pub const COMPONENT: Option<ConstTypeId> = Some(T::IDENTITY.ident());
    /// True if the type is an end of a relation, which the world keeps consistent with the other end.
    pub const IS_END: bool = T::LINK.is_some();
}

impl<T: Resource> Probe<T> {
    /// The resource in a rule.
    pub const RESOURCE: Option<ConstTypeId> = Some(T::IDENTITY.ident());
}

impl<T: QueryData> Probe<T> {
    /// The type is query data.
    pub const IS_DATA: bool = true;
    /// The access of a query without a filter.
    pub const DATA: &'static ParamAccess = &ParamAccess::Query {
        data: T::ACCESS,
        filter: &QueryAccess::Nothing,
    };
}

impl<T: QueryFilter> Probe<T> {
    /// The type is a query filter.
    pub const IS_FILTER: bool = true;
}

impl<T: Bundle> Probe<T> {
    /// The type is a bundle.
    pub const IS_BUNDLE: bool = true;
}

#[expect(drop_bounds, reason = "asks for an impl, not for fields that need it")]
impl<T: Drop> Probe<T> {
    /// The type implements `Drop`.
    pub const HAS_DROP: bool = true;
}

/// Detects in a constant whether two parameters are all data of exactly the same type: the compiler finds the inherent
/// constant before the constant of [`Different`]. Has no values.
pub struct Pair<A, B>(PhantomData<(A, B)>);

/// The fallback answer of a [`Pair`], for other parameters.
pub trait Different {
    /// True if both are the same type.
    const SAME: bool = false;
}

impl<A, B> Different for Pair<A, B> {}

impl<A: SingleType, B: SingleType<Of = A::Of>> Pair<A, B> {
    /// Both are the same type.
    pub const SAME: bool = true;
}

/// A parameter that accesses all data of one type.
///
/// `#[system]` compares such types at compile time, exactly and through aliases. It needs that where constant
/// identities cannot decide: for generic types and for resources without a derive.
pub trait SingleType {
    /// The type.
    type Of;
}

macro_rules! single_types {
    ($($ty:ident | $param:ty => $of:ty;)+) => {$(
        impl<$ty> SingleType for $param {
            type Of = $of;
        }
    )+};
}

single_types! {
    T | Comp<'_, T> => T;
    T | CompMut<'_, T> => T;
    T | Res<'_, T> => T;
    T | ResMut<'_, T> => T;
    T | Option<Res<'_, T>> => T;
    T | Option<ResMut<'_, T>> => T;
    E | EventReader<'_, E> => Events<E>;
    E | EventWriter<'_, E> => Events<E>;
}

#[cfg(feature = "std")]
single_types! {
    T | NonSend<'_, T> => ThreadBound<T>;
    T | NonSendMut<'_, T> => ThreadBound<T>;
    T | Option<NonSend<'_, T>> => ThreadBound<T>;
    T | Option<NonSendMut<'_, T>> => ThreadBound<T>;
}

/// Distinguishes a thread-bound value from a resource of the same type.
#[cfg(feature = "std")]
pub struct ThreadBound<T>(T);

/// The identity of `T` as an argument of a generic type, if the bounds of that type say that `T` is a component. Has no values.
pub struct ArgumentOf<T: ?Sized>(PhantomData<T>);

/// The fallback for an argument that is not a component.
pub trait Undecided {
    /// Undecided.
    const ARGUMENT: Argument = Argument::UNDECIDED;
}

impl<T: ?Sized> Undecided for ArgumentOf<T> {}

impl<T: Component> ArgumentOf<T> {
    /// The identity.
    pub const ARGUMENT: Argument = T::IDENTITY.argument();
}

/// The access of parameters to the events of a type that is data. A parameter knows only the name of that type. Has no
/// values.
pub struct EventsOf<E>(PhantomData<E>);

/// The fallback for events that are not data.
pub trait NoData {
    /// None.
    const READ: Option<&'static ParamAccess> = None;
    /// None.
    const WRITE: Option<&'static ParamAccess> = None;
}

impl<E> NoData for EventsOf<E> {}

impl<E: DataEvent> EventsOf<E> {
    /// The access of an `EventReader`.
    pub const READ: Option<&'static ParamAccess> = Some(&Self::access(Kind::Read));
    /// The access of an `EventWriter`.
    pub const WRITE: Option<&'static ParamAccess> = Some(&ParamAccess::All(&[
        &Self::access(Kind::Write),
        <Events<E> as Resource>::SENDS,
    ]));

    #[inline]
    const fn access(kind: Kind) -> ParamAccess {
        let events = <Events<E> as Resource>::IDENTITY;
        ParamAccess::Leaf(Access {
            domain: Domain::Resource,
            kind,
            ident: events.with_data(E::DATA).ident(),
        })
    }
}

/// Returns the description of a parameter with this access, if there is one.
#[must_use]
#[inline]
pub const fn of_events(ty: ParamType, access: Option<&'static ParamAccess>) -> ParamType {
    let access = access_or(ty.access, access);
    ParamType { access, ..ty }
}

/// Returns the description of the items of a loop over entities.
#[must_use]
#[inline]
pub const fn of_row(ty: ParamType) -> ParamType {
    ParamType { is_row: true, ..ty }
}

/// Returns the other access, if there is one.
#[must_use]
#[inline]
pub const fn access_or(
    access: &'static ParamAccess,
    other: Option<&'static ParamAccess>,
) -> &'static ParamAccess {
    match other {
        Some(other) => other,
        None => access,
    }
}

/// Makes the identity of `Self`, whose name and crate's version follow the path and the place of this call.
///
/// Module path and name alone collide for types inside functions, line and column alone for types that one macro declares.
#[doc(hidden)]
#[macro_export]
macro_rules! __identity {
    ($name:literal $version:literal) => {
        $crate::__private::ConstTypeIdOf::<Self>::exact(
            $crate::__private::concat!(
                "@",
                $crate::__private::line!(),
                ":",
                $crate::__private::column!(),
                $version
            ),
            $crate::__private::concat!($crate::__private::module_path!(), $name),
        )
    };
}
pub use __identity as identity;

/// Makes the path of the system whose name follows the module of this call.
#[doc(hidden)]
#[macro_export]
macro_rules! __system_path {
    ($name:literal) => {
        $crate::__private::concat!($crate::__private::module_path!(), $name)
    };
}
pub use __system_path as system_path;

/// The path of a system.
pub type SystemPath = &'static str;

/// The static that caches an id, if there is one.
pub type Slot<T> = Option<&'static T>;

/// Requires that `T` is a component.
pub fn component<T: Component>() {}

/// Requires that `T` is a tracked component.
pub fn tracked<T: TrackedComponent>() {}

/// Requires that an argument can be passed to each call of a loop.
pub fn argument<T: EachArgument>() {}

/// Arguments of a system that is called for each entity.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to each call, because it is not `Copy`",
    label = "moved by the first call",
    note = "write `&{Self}` or `&mut {Self}` for the component of each entity, or let the caller pass a reference marked `#[arg]`"
)]
pub trait EachArgument {}

#[diagnostic::do_not_recommend]
impl<T: Copy> EachArgument for T {}

/// Requires that `D` is query data.
pub fn item<D: QueryData>() {}

/// Requires that `P` is a system parameter.
pub fn param<P: SystemParam>() {}

/// Requires that `P` is a parameter that threads can share.
pub fn shared<P: SharedParam>() {}

/// Fails to compile at the caller if the parameter at `second` of the system conflicts with an earlier one or with
/// itself; for `known` and `settled` see [`refuse_conflict`].
///
/// # Panics
/// If there is a conflict.
#[track_caller]
pub const fn refuse<const N: usize, const M: usize>(
    // By value: a reference to a constant would be one more constant to evaluate.
    system: SystemMeta,
    second: usize,
    known: [ShownByTypes; N],
    settled: [usize; M],
) {
    refuse_conflict(&system, second, &known, &settled);
}

/// Does the same for two parameters that are all data of one type each. `same` says whether that is one type: no access has to
/// be compared, which takes the compiler longer.
///
/// # Panics
/// If they conflict.
#[track_caller]
#[inline]
pub const fn refuse_same(system: SystemMeta, first: usize, second: usize, same: bool) {
    if same {
        refuse(system, second, [(first, (true, false))], []);
    }
}

/// Fails to compile at the caller if the parameter at `index` of the system touches data that the system may not.
///
/// # Panics
/// If it does.
#[track_caller]
#[inline]
pub const fn refuse_access(system: SystemMeta, index: usize) {
    refuse_access_of(system.name, system.rules, system.params[index]);
}

/// Describes a parameter of a system without rules. Fails to compile at the caller if it touches data that the system may not.
///
/// # Panics
/// If it does.
#[must_use]
#[track_caller]
#[inline]
pub const fn param_info(
    system: &'static str,
    name: &'static str,
    ty: &'static str,
    of: ParamType,
) -> ParamInfo {
    let param = ParamInfo { name, ty, of };
    refuse_access_of(system, SystemRules::NONE, param);
    param
}

#[track_caller]
#[inline]
const fn refuse_access_of(system: &'static str, rules: SystemRules, param: ParamInfo) {
    match param.of.access {
        // Most data has no owner, and the compiler spends time on each call.
        ParamAccess::Leaf(access) if access.ident.is_written_by_all() && rules.are_none() => {}
        _ => refuse_forbidden(system, &param, &rules),
    }
}

/// Fails to compile at the caller, with `message`, if `wrong`.
///
/// # Panics
/// If `wrong`.
#[track_caller]
#[inline]
pub const fn wrong_if(wrong: bool, message: &'static str) {
    assert!(!wrong, "{}", message);
}

/// The body of functions whose real body could not be generated; the error that caused it is reported elsewhere.
///
/// # Panics
/// Always; unreachable because the crate does not compile.
#[inline]
pub fn broken() -> ! {
    unreachable!("the `#[system]` attribute reported an error")
}
