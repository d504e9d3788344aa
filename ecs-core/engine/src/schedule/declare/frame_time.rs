//! The length of a frame.

use core::time::Duration;

use crate::meta::ConstTypeIdOf;
use crate::resource::Resource;

/// The length of the last frame, which [`fixed`](crate::schedule::fixed) steps have to catch up on; a resource.
///
/// The program sets it, or [`measure_frame`](crate::schedule::measure_frame) does from the system clock. Runs are
/// reproducible if the program sets `delta`.
///
/// Each [`run`](crate::Schedule::run) of a schedule counts it once, for the fixed steps inside and for
/// [delays](crate::Commands::delay) of commands. So a frame that runs two schedules counts it twice for delays: add both to
/// one schedule, or set it to zero before the second one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameTime {
    /// From the start of the last frame to the start of this one.
    pub delta: Duration,
}

impl Resource for FrameTime {
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::exact("ecs_core::FrameTime", "FrameTime");
}
