use std::time::Duration;
pub(crate) use std::time::Instant;
#[derive(Default)]
pub struct Clock(Option<Instant>);
impl Clock {
    pub fn frame(&mut self) -> Duration {
        let now = Instant::now();
        now - self.0.replace(now).unwrap_or(now)
    }
}
