//! Systems: functions that borrow their parameters from a world.

mod borrowed;
mod closure;
mod closure_input;
mod condition;
mod deferred;
mod definition;
mod direct;
mod dynamic;
mod error;
mod exclusive;
mod execute;
mod function;
mod handle;
mod held_borrows;
#[cfg(test)]
mod held_borrows_tests;
mod kept;
mod mutation;
mod name;
mod observer;
mod observer_closure;
mod observer_condition;
mod observer_config;
mod param;
mod param_tuple;
mod params;
mod pipe;
mod registered;
mod remembered;
pub(crate) mod reported;
mod run;
mod runner;
mod shared;
mod source;
#[cfg(test)]
mod tick_tests;
mod value;
mod visitor;

pub use borrowed::Borrowed;
#[doc(hidden)]
pub use closure::{Closure, ExclusiveClosure, FromFn};
pub use closure::{FnSystem, SystemClosure, from_fn};
pub use closure_input::In;
#[doc(hidden)]
pub use condition::BoxCondition;
#[cfg(test)]
pub(crate) use condition::function;
pub use condition::{ConditionOutput, ConditionSource, IntoCondition, not};
pub use definition::System;
#[doc(hidden)]
pub use definition::{HasInner, same};
#[doc(hidden)]
pub use direct::direct;
pub use dynamic::{DynamicParams, DynamicSystem};
#[doc(hidden)]
pub use error::ParamLockError;
pub use error::{LockError, ParamError};
pub(crate) use exclusive::{exclusive, exclusive_meta};
#[doc(hidden)]
pub use execute::Direct;
#[doc(hidden)]
pub use function::{Exclusive, Named, Shared, SystemFn};
pub use function::{SystemFn as SystemInfo, inner, meta};
#[doc(hidden)]
pub use handle::{SystemProbe, WorldFor, WorldForMut};
pub use held_borrows::HeldBorrows;
#[cfg(feature = "snapshot")]
pub(crate) use kept::{CalledSystem, KeptStates, LentStates};
pub use mutation::{
    Mutation, OldValues, trigger_mutations, trigger_mutations_with_old, trigger_resource_mutations,
};
#[doc(hidden)]
pub use name::SystemNames;
pub(crate) use name::arguments;
#[doc(hidden)]
pub use observer::{ObserverSystem, Observing};
#[cfg(feature = "snapshot")]
pub(crate) use observer_condition::ObserverCondition;
pub use observer_config::{ObserverConfig, observer};
pub use param::SystemParam;
#[doc(hidden)]
#[doc(hidden)]
pub use param_tuple::More;
pub use params::{Local, ParamSet};
#[doc(hidden)]
pub use params::{ParamList, ParamSetGuard, ResourcesRef, TurnLocal, WorldRef};
pub use registered::{RunError, SystemHandle};
pub(crate) use remembered::Memory;
#[doc(hidden)]
pub use remembered::{Remember, Remembered, Turn, TurnMemory};
#[doc(hidden)]
pub use run::Run;
pub use runner::{BoxError, IntoSystem, SystemId, SystemOutput, SystemSource};
#[doc(hidden)]
pub use runner::{DynSystem, RunOutput, Runner};
pub use shared::SharedParam;
pub(crate) use source::{condition_source, source};
pub use value::{FromOutput, IntoSystemValue, MapSystem, SystemValue};
pub use visitor::{
    Broken, BrokenList, DirectParams, ExclusiveFn, SystemVisitor, VisitSystem, list,
};
