use ecs_engine::Resource;
use ecs_engine::meta::ConstTypeIdOf;
use ecs_engine::schedule::{Fixed, Schedule, fixed};
use std::time::Duration;
#[derive(Default)]
pub struct Time {
    delta: Duration,
    elapsed: Duration,
}
impl Resource for Time {
    const IDENTITY: ConstTypeIdOf<Self> = ConstTypeIdOf::exact("ecs_core::app::Time", "Time");
}
#[derive(Default)]
pub struct RealTime {
    elapsed: Duration,
}
impl Resource for RealTime {
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::exact("ecs_core::app::RealTime", "RealTime");
}
impl Time {
    pub fn advance(&mut self, d: Duration) {
        self.delta = d;
        self.elapsed += d;
    }
    pub fn delta_secs(&self) -> f32 {
        self.delta.as_secs_f32()
    }
    pub fn elapsed_secs(&self) -> f32 {
        self.elapsed.as_secs_f32()
    }
}
impl RealTime {
    pub fn advance(&mut self, d: Duration) {
        self.elapsed += d;
    }
}
pub fn fixed_update(step: Duration, schedule: Schedule) -> Fixed {
    fixed(step, schedule)
}
