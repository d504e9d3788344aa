//! Steps and conditions that the library provides.

pub mod conditions;
mod fixed;
mod fixed_time;
mod fixed_times;
mod loads;
mod nested;
mod states;

#[cfg(feature = "std")]
pub use fixed::measure_frame;
pub use fixed::{Fixed, fixed};
pub use fixed_time::FixedTime;
pub use fixed_times::FixedTimes;
#[cfg(feature = "snapshot")]
pub(crate) use loads::LastLoad;
#[doc(hidden)]
pub use loads::Load;
pub use nested::Nested;
#[cfg(feature = "snapshot")]
pub(crate) use states::PendingTransition;
#[doc(hidden)]
pub use states::StateMemory;
#[doc(hidden)]
pub use states::is_state;
pub use states::{DespawnOnExit, NextState, State, StateValue, Transitions};
