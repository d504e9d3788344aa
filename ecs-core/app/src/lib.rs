//! Time, timers and clocks; part of `ecs-core`, which re-exports it as `ecs_core::app` with the feature `app`.
//!
//! | item | is |
//! |---|---|
//! | [`Time`], [`RealTime`] | the time of the game, and that of the wall clock, as resources |
//! | [`Clock`] | the clock that measures frames: the system's, one that a test advances, or one of equal frames |
//! | [`fixed_update`] | a schedule at a fixed rate, inside of which `Time` is that of the steps |
//! | [`Timer`], [`Stopwatch`] | plain values that count time, for fields of components and resources |
//! | [`on_timer`], [`once_after`] | conditions for [`run_if`](ecs_engine::IntoConfigs::run_if) |

mod clock;
mod conditions;
mod fixed;
mod progress;
mod real_time;
mod stopwatch;
mod time;
mod timer;

pub use clock::{Clock, ManualClock};
pub use conditions::{on_timer, once_after};
pub use fixed::fixed_update;
pub use real_time::RealTime;
pub use stopwatch::Stopwatch;
pub use time::Time;
pub use timer::Timer;
