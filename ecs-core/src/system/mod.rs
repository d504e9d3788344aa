//! Systems: functions that borrow what they need from a world.

mod param;
mod runner;

pub use param::{ParamError, SystemParam};
pub use runner::{BoxError, DynExclusive, DynSystem, IntoSystem, Runner, SystemId, SystemSource};
