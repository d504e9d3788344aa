//! Steps and conditions that the library provides.

pub mod conditions;
mod fixed;
mod nested;
mod states;

pub use fixed::{Fixed, FixedTime, FrameTime, fixed, measure_frame};
pub use nested::Nested;
pub use states::{NextState, State, StateValue, Transitions};
