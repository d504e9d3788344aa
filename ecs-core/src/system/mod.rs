//! Systems: functions that borrow what they need from a world.

mod param;
mod runner;

pub use param::{ParamError, SystemParam};
pub use runner::{
    BoxError, ConditionSource, DynExclusive, DynSystem, IntoCondition, IntoSystem, Runner,
    SystemId, SystemSource,
};
