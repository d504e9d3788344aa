//! Games that run 60 frames a second, on screens that show more or fewer.

/// Seconds of a frame of the game.
const FRAME: f32 = 1.0 / 60.0;
/// After a pause the game goes on, without all the frames to catch up on.
const MOST: f32 = 4.0;

/// Counts the frames of a game that are due.
#[derive(Debug, Default)]
pub struct FramePace {
    seconds: f32,
}

impl FramePace {
    /// Returns the number of frames that are due after so many more seconds.
    pub fn due(&mut self, seconds: f32) -> u32 {
        self.seconds = (self.seconds + seconds).min(MOST * FRAME);
        let due = (self.seconds / FRAME) as u32;
        self.seconds -= due as f32 * FRAME;
        due
    }
}
