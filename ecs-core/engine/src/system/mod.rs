//! Systems: functions that borrow what they need from a world.

mod closure;
mod combine;
mod direct;
mod function;
mod handle;
mod joint;
#[cfg(test)]
mod joint_tests;
mod list;
mod name;
mod once;
mod param;
mod params;
mod runner;
mod shared;
mod source;
#[cfg(test)]
mod tick_tests;

#[doc(hidden)]
pub use closure::FromFn;
pub use closure::{FnSystem, SystemClosure, from_fn};
pub use combine::not;
pub use direct::LockError;
#[doc(hidden)]
pub use direct::direct;
pub use function::{
    Call, HasInner, Refused, RunnableFn, System, SystemFn, SystemInfo, Visit, inner, meta,
};
#[doc(hidden)]
pub use function::{Exclusive, Shared};
pub use handle::{Describe, WorldFor, WorldForMut};
pub use joint::Joint;
#[doc(hidden)]
pub use list::{BrokenList, Function, List, ListOf, More, Params, Run, list};
pub(crate) use name::arguments;
pub use param::{ParamError, SystemParam};
#[doc(hidden)]
pub use params::Slots;
pub use params::{FromWorld, Local, OneType, ParamList, ParamSet, ResourcesRef, WorldRef};
pub use runner::{
    BoxCondition, BoxError, ConditionSource, DynExclusive, DynSystem, IntoCondition, IntoSystem,
    Runner, SystemId, SystemSource,
};
pub use shared::SharedParam;
pub use source::{ConditionOutput, SystemOutput};
