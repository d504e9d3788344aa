//! Systems: functions that borrow their parameters from a world.

mod closure;
mod condition;
mod definition;
mod direct;
mod error;
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
pub use condition::{BoxCondition, ConditionOutput, ConditionSource, IntoCondition, not};
pub use definition::{HasInner, System, SystemVisitor, Visit, VisitSystem};
#[doc(hidden)]
pub use direct::{BrokenList, Direct, List, direct, list};
pub use error::{LockError, ParamError, ParamLockError};
#[doc(hidden)]
pub use function::{Exclusive, Shared};
pub use function::{RunnableFn, SystemFn, SystemInfo, inner, meta};
pub use handle::{SystemProbe, WorldFor, WorldForMut};
pub use held_borrows::HeldBorrows;
pub(crate) use name::arguments;
pub use param::SystemParam;
#[doc(hidden)]
pub use param_tuple::{More, Params, Run};
#[doc(hidden)]
pub use params::Slots;
pub use params::{FromWorld, Local, ParamList, ParamSet, ResourcesRef, SingleType, WorldRef};
pub use runner::{
    BoxError, DynExclusive, DynSystem, IntoSystem, Runner, SystemId, SystemOutput, SystemSource,
};
pub use shared::SharedParam;
