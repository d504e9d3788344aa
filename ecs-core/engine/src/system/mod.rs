//! Systems: functions that borrow their parameters from a world.

mod closure;
mod combine;
mod direct;
mod execute;
mod function;
mod handle;
mod held_borrows;
#[cfg(test)]
mod held_borrows_tests;
mod name;
mod param;
mod param_tuple;
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
#[doc(hidden)]
pub use function::{
    Exclusive, HasInner, ParamLockError, RunnableFn, Shared, SystemFn, SystemVisitor, VisitSystem,
};
pub use function::{System, SystemInfo, inner, meta};
#[doc(hidden)]
pub use handle::{SystemProbe, WorldFor, WorldForMut};
pub use held_borrows::HeldBorrows;
pub(crate) use name::arguments;
pub use param::{ParamError, SystemParam};
#[doc(hidden)]
pub use param_tuple::{BrokenList, Function, List, ListOf, More, Params, Run, list};
pub use params::{FromWorld, Local, ParamSet};
#[doc(hidden)]
pub use params::{ParamList, ResourcesRef, SingleType, Slots, WorldRef};
#[doc(hidden)]
pub use runner::{BoxCondition, DynExclusive, DynSystem, Runner};
pub use runner::{BoxError, ConditionSource, IntoCondition, IntoSystem, SystemId, SystemSource};
pub use shared::SharedParam;
pub use source::{ConditionOutput, SystemOutput};
